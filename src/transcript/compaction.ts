// Which part of a long conversation is to be shortened, and the request that asks for it. Whole turns only.
import type { HistoryCompacted, Recorded } from '../../machines/facts.ts';
import type { NodeId } from '../../machines/vocabulary.ts';
import { bytesOf, bytesOfNotes, conversation, type Message, type Passage, viewOf } from './passages.ts';
import { lastCompaction } from './summary.ts';

/** Settled turns that stay as they are: those that have settled last. */
const keptTurns = 2;

export interface Compaction {
  /** The first of the turns that stay; the one that asks where no other does. */
  readonly upTo: NodeId;
  /** The turns that are to be shortened. One that is still open is none of them, however long ago it was opened. */
  readonly covers: readonly NodeId[];
  /** The summary that the next one goes on from. */
  readonly base: HistoryCompacted | undefined;
  /** Asks a model for the summary. */
  readonly messages: readonly Message[];
}

/** As in src/actors/limits.ts. */
export interface CompactionBounds {
  readonly compactAboveBytes: number;
  readonly summaryChars: number;
}

/** What is to be shortened before `turn` asks; null where the conversation is within its budget, or there is nothing to shorten. */
export function findCompaction(facts: readonly Recorded[], turn: NodeId, bounds: CompactionBounds): Compaction | null {
  const { compactAboveBytes, summaryChars } = bounds;
  const { own, before, notes, passageOf } = viewOf(facts, turn);
  const passages = before.map(passageOf);
  const bytes = [own, ...passages].map(bytesOf).reduce((sum, one) => sum + one, bytesOfNotes(notes));
  if (bytes <= compactAboveBytes) return null;
  // by their ends: of two lanes the one that was slow has the turn that somebody goes on from
  const settled = facts.flatMap((fact) => (fact.type === 'turn_ended' ? fact.turn : []));
  const latest = passages.toSorted((a, b) => settled.indexOf(a.turn.id) - settled.indexOf(b.turn.id)).slice(-keptTurns);
  const shortened = passages.filter((passage) => !latest.includes(passage));
  if (shortened.length === 0) return null;
  return {
    upTo: (passages.find((passage) => latest.includes(passage)) ?? own).turn.id,
    covers: shortened.map((passage) => passage.turn.id),
    base: lastCompaction(facts),
    messages: request(shortened, notes.summary, taskOf(summaryChars)),
  };
}

/** What is kept of a summary that a model wrote: as much as is allowed, and no half of a character. */
export function fitSummary(text: string, { summaryChars }: CompactionBounds): string {
  const isSplit = /[\uD800-\uDBFF]/.test(text.charAt(summaryChars - 1));
  return text.slice(0, isSplit ? summaryChars - 1 : summaryChars).toWellFormed();
}

const taskOf = (chars: number) =>
  `Summarize this conversation for yourself, in at most ${chars} characters: what was asked, what was done with which result, what was stopped or left undone, and what is still to be kept in mind. Write the summary only.`;

/** The earlier summary, the turns in their order with how the last one ended, and the task. */
function request(passages: readonly Passage[], summary: string | null, task: string): readonly Message[] {
  const told = conversation(passages, { summary, beside: null }).map(asText);
  const asked = [passages.at(-1)?.after, task].filter((text) => text != null);
  return joined([...told, { role: 'user', content: asked.join('\n\n') }]);
}

/** A model call without tools: its calls, and their results, as plain text. */
function asText(message: Message): Message {
  if (message.role === 'tool') return { role: 'user', content: `[result] ${message.content}` };
  if (message.role !== 'assistant') return message;
  const calls = message.calls.map((call) => `[called ${call.name} ${call.arguments}]`);
  const content = [message.content, ...calls].filter((text) => text !== '').join('\n');
  return { role: 'assistant', content, calls: [] };
}

/** What a user says in a row is one message: some chat templates refuse two. */
function joined(messages: readonly Message[]): readonly Message[] {
  const all: Message[] = [];
  for (const message of messages) {
    const last = all.at(-1);
    if (last?.role !== 'user' || message.role !== 'user') all.push(message);
    else all.splice(-1, 1, { role: 'user', content: `${last.content}\n\n${message.content}` });
  }
  return all;
}
