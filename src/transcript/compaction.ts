// Which part of a long conversation is to be shortened, and what a summary of it is made from. Whole turns only.
import type { HistoryCompacted, Recorded } from '../../machines/facts.ts';
import type { NodeId } from '../../machines/vocabulary.ts';
import { type Message, render } from './render.ts';

/** Settled turns that stay as they are, at the end. */
const keptTurns = 2;

export interface Compaction {
  /** The first turn that stays. */
  readonly upTo: NodeId;
  /** The conversation that is to be shortened, an earlier summary included. */
  readonly messages: readonly Message[];
}

/** The last summary of a conversation, if there is one. */
export const lastCompaction = (facts: readonly Recorded[]): HistoryCompacted | undefined =>
  facts.findLast((fact) => fact.type === 'history_compacted');

/** What is to be shortened before `turn` asks; null where what stands before it has fewer bytes than `aboveBytes`, or too few turns. */
export function findCompaction(facts: readonly Recorded[], turn: NodeId, aboveBytes: number): Compaction | null {
  const asking = facts.findIndex((fact) => fact.type === 'turn_opened' && fact.turn === turn);
  const before = facts.slice(0, asking);
  const settled = new Set(facts.flatMap((fact) => (fact.type === 'turn_ended' ? fact.turn : [])));
  const from = lastCompaction(facts)?.upTo;
  const opened = before.flatMap((fact) => (fact.type === 'turn_opened' ? fact.turn : []));
  const turns = opened.slice(Math.max(0, opened.indexOf(from ?? ''))).filter((id) => settled.has(id));
  const shortened = turns.slice(0, -keptTurns);
  const last = shortened.at(-1);
  const upTo = turns.at(-keptTurns);
  if (last === undefined || upTo === undefined) return null;
  const whole = { instructions: '', contextTurns: Number.POSITIVE_INFINITY, contextBytes: Number.POSITIVE_INFINITY };
  const bytes = render(before, { ...whole, turn: turns.at(-1) ?? last }).reduce(
    (sum, message) => sum + bytesOf(message),
    0,
  );
  return bytes > aboveBytes ? { upTo, messages: render(before, { ...whole, turn: last }) } : null;
}

const bytesOf = (message: Message): number =>
  Buffer.byteLength(message.content) +
  (message.role === 'assistant' ? message.calls.reduce((sum, call) => sum + Buffer.byteLength(call.arguments), 0) : 0);
