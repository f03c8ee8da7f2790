// Which part of a long conversation is to be shortened, and the request that asks for it.
//
// 1. Whole turns only: no call is parted from its result.
// 2. Shortened, the conversation is within its budget. Only the turn that asks is told whatever it takes: where it leaves less
//    than a summary may take, the budget is exceeded by what is missing.
// 3. The request is within `contextBytes`: it leaves out the oldest turns, and says so.
import type { HistoryCompacted, Recorded } from '../../machines/facts.ts';
import type { Message } from '../../machines/messages.ts';
import type { NodeId } from '../../machines/vocabulary.ts';
import { note } from './notes.ts';
import { bytesOf, bytesOfNotes, conversation, type Passage, viewOf } from './passages.ts';
import { lastCompaction, noteOfSummary } from './summary.ts';

/** Settled turns that stay as they are, where the budget allows it: those that have settled last. */
const keptTurns = 2;
/** What of the budget a summary may take. */
const summaryShare = 1 / 4;

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

/** As in src/workers/session-limits.ts. */
export interface CompactionBounds {
  readonly compactAboveBytes: number;
  readonly summaryChars: number;
  readonly contextBytes: number;
  readonly toolTimeoutMaxMs?: number;
}

/** What is to be shortened before `turn` asks; null where the conversation is within its budget, or there is nothing to shorten. */
export function findCompaction(facts: readonly Recorded[], turn: NodeId, bounds: CompactionBounds): Compaction | null {
  const { own, before, notes, passageOf } = viewOf(facts, turn, bounds.toolTimeoutMaxMs);
  const passages = before.map(passageOf);
  const bytes = passages.map(bytesOf).reduce((sum, one) => sum + one, bytesOf(own) + bytesOfNotes(notes));
  if (bytes <= bounds.compactAboveBytes) return null;
  const shortest = { ...notes, summary: noteOfSummary('') };
  const room = bounds.compactAboveBytes - bytesOf(own) - bytesOfNotes(shortest) - summaryBytes(bounds);
  const kept = latest(passages, facts, room);
  const shortened = passages.filter((passage) => !kept.has(passage));
  if (shortened.length === 0) return null;
  const messages = request(shortened, notes.summary, bounds);
  if (messages === null) return null;
  return {
    upTo: (passages.find((passage) => kept.has(passage)) ?? own).turn.id,
    covers: shortened.map((passage) => passage.turn.id),
    base: lastCompaction(facts),
    messages,
  };
}

/** By their ends: of two lanes the slower one has the turn that somebody goes on from. One turn at least is to be shortened. */
function latest(passages: readonly Passage[], facts: readonly Recorded[], room: number): ReadonlySet<Passage> {
  const ends = facts.flatMap((fact) => (fact.type === 'turn_ended' ? fact.turn : []));
  const sorted = passages.toSorted((a, b) => ends.indexOf(b.turn.id) - ends.indexOf(a.turn.id));
  const kept = new Set<Passage>();
  let left = room;
  for (const passage of sorted.slice(0, Math.min(keptTurns, passages.length - 1))) {
    left -= bytesOf(passage);
    if (left < 0) break;
    kept.add(passage);
  }
  return kept;
}

/** UTF-8 takes three bytes for a UTF-16 code unit at most. */
const summaryBytes = ({ compactAboveBytes, summaryChars }: CompactionBounds): number =>
  Math.min(3 * summaryChars, Math.floor(compactAboveBytes * summaryShare));

/** What is kept of a summary that a model wrote: as much as is allowed, and no half of a character. */
export function fitSummary(text: string, bounds: CompactionBounds): string {
  const { summaryChars } = bounds;
  const isSplit = /[\uD800-\uDBFF]/.test(text.charAt(summaryChars - 1));
  const cut = text.slice(0, isSplit ? summaryChars - 1 : summaryChars).toWellFormed();
  // an encoder writes whole characters only
  const room = new Uint8Array(Math.min(summaryBytes(bounds), Buffer.byteLength(cut)));
  return cut.slice(0, new TextEncoder().encodeInto(cut, room).read);
}

const taskOf = (bounds: CompactionBounds) =>
  `Summarize this conversation for yourself, in at most ${Math.min(bounds.summaryChars, summaryBytes(bounds))} characters: what was asked, what was done with which result, what was stopped or left undone, and what is still to be kept in mind. Write the summary only.`;

const noteOfLeftOut = (turns: number) =>
  note(`${turns === 1 ? '1 turn is' : `${turns} turns are`} left out here, being too long to be shortened at once`);

/** The earlier summary, the turns in their order with how the last one ended, and the task. Null: all of it would have to be left out. */
function request(
  passages: readonly Passage[],
  summary: string | null,
  bounds: CompactionBounds,
): readonly Message[] | null {
  const task = taskOf(bounds);
  const around = [summary ?? '', noteOfLeftOut(passages.length), task, ''].join(gap);
  let left = bounds.contextBytes - Buffer.byteLength(around);
  const texts = passages.map((passage): Passage => ({ ...passage, answer: passage.answer.map(asText) }));
  const tooLong = texts.findLastIndex((passage) => {
    left -= bytesOf(passage) + gap.length * passage.answer.length;
    return left < 0;
  });
  const told = texts.slice(tooLong + 1);
  if (told.length === 0 && summary === null) return null;
  const notes = [summary, tooLong < 0 ? null : noteOfLeftOut(tooLong + 1)].filter((text) => text !== null);
  const asked = [told.at(-1)?.after, task].filter((text) => text != null);
  return joined([...notes.map(byUser), ...conversation(told, { summary: null, beside: null }), ...asked.map(byUser)]);
}

const gap = '\n\n';

const byUser = (content: string): Message => ({ role: 'user', content });

/** A model call without tools: its calls, and their results, as plain text. */
function asText(message: Message): Message {
  if (message.role === 'tool') return byUser(`[result] ${message.content}`);
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
    else all.splice(-1, 1, byUser(last.content + gap + message.content));
  }
  return all;
}
