// Decides which turns of a long conversation a summary is to stand for, and asks for that summary.
//
// 1. Whole turns only: no call is parted from its result.
// 2. Shortened, the conversation is within its budget. Only the current turn and those that it has resumed stay whole whatever they take: if they leave less than a
//    summary may take, the budget is exceeded by what is missing.
// 3. The request is within `contextBytes`: it leaves out the oldest turns, and says so.
import type { HistoryCompacted, RecordedFact } from '../../../machines/facts.ts';
import type { Message } from '../../../machines/messages.ts';
import type { NodeId } from '../../../machines/vocabulary.ts';
import { noteOfSummary } from './notes.ts';
import { byEnd, isAcknowledgement } from './outline.ts';
import { buildConversationView, bytesOfNotes, bytesOfPassage, type Passage } from './passages.ts';
import { summaryRequest } from './summary-request.ts';

/** Settled turns that stay as they are if the budget allows it: those that have settled last, with acknowledgements between them. */
const keptTurns = 2;
/** The part of the budget that a summary may take. */
const summaryShare = 1 / 4;

export interface Compaction {
  /** The first of the turns that stay; the current turn if no other does. */
  readonly upTo: NodeId;
  /** The turns that are shortened. One that is still open is none of them, however long ago it was opened. */
  readonly covers: readonly NodeId[];
  /** The compaction that the next one continues. */
  readonly base: HistoryCompacted | undefined;
  /** Asks a model for the summary. */
  readonly messages: readonly Message[];
}

/** See src/core/workers/session-limits.ts. */
export interface CompactionLimits {
  readonly compactAboveBytes: number;
  readonly summaryChars: number;
  readonly contextBytes: number;
  readonly toolTimeoutMaxMs?: number | undefined;
}

/** Returns what is to be shortened before `turn` sends its request; null if the conversation is within its budget or nothing can be. */
export function findCompaction(
  facts: readonly RecordedFact[],
  turn: NodeId,
  limits: CompactionLimits,
): Compaction | null {
  const { current, earlier, resumed, notes, buildPassage } = buildConversationView(facts, turn, limits);
  const passages = earlier.map(buildPassage);
  const bytes = passages.map(bytesOfPassage).reduce((sum, one) => sum + one, bytesOfPassage(current));
  if (bytes + bytesOfNotes(notes) <= limits.compactAboveBytes) return null;
  const shortest = { ...notes, summary: noteOfSummary('') };
  const whole = passages.filter((passage) => resumed.has(passage.turn.id));
  const wholeBytes = [current, ...whole].reduce((sum, one) => sum + bytesOfPassage(one), 0);
  const fixed = wholeBytes + bytesOfNotes(shortest) + summaryBytes(limits);
  const others = passages.filter((passage) => !whole.includes(passage));
  const kept = new Set([...whole, ...selectKept(others, facts, limits.compactAboveBytes - fixed)]);
  const shortened = passages.filter((passage) => !kept.has(passage));
  if (shortened.length === 0) return null;
  const messages = summaryRequest(shortened, notes.summary, {
    summaryChars: Math.min(limits.summaryChars, summaryBytes(limits)),
    contextBytes: limits.contextBytes,
  });
  if (messages === null) return null;
  return {
    upTo: (passages.find((passage) => kept.has(passage)) ?? current).turn.id,
    covers: shortened.map((passage) => passage.turn.id),
    base: lastCompaction(facts),
    messages,
  };
}

/** Returns the fact of the last compaction, if there was one. */
export const lastCompaction = (facts: readonly RecordedFact[]): HistoryCompacted | undefined =>
  facts.findLast((fact) => fact.type === 'history_compacted');

/** Keeps the turns that ended last: of two lanes, the slower one has the turn that somebody goes on from. At least one turn is shortened. */
function selectKept(passages: readonly Passage[], facts: readonly RecordedFact[], bytes: number): ReadonlySet<Passage> {
  const sorted = passages.toSorted(byEnd(facts)).toReversed();
  const kept = new Set<Passage>();
  let left = bytes;
  let counted = 0;
  for (const passage of sorted.slice(0, passages.length - 1)) {
    left -= bytesOfPassage(passage);
    if (!isAcknowledgement(passage.turn)) counted++;
    if (left < 0 || counted > keptTurns) break;
    kept.add(passage);
  }
  return kept;
}

/** UTF-8 takes three bytes for a UTF-16 code unit at most. */
const summaryBytes = ({ compactAboveBytes, summaryChars }: CompactionLimits): number =>
  Math.min(3 * summaryChars, Math.floor(compactAboveBytes * summaryShare));

/** Cuts a summary that a model wrote to its limits, in characters and in bytes, between two characters. */
export function fitSummary(text: string, limits: CompactionLimits): string {
  const { summaryChars } = limits;
  const isSplit = /[\uD800-\uDBFF]/.test(text.charAt(summaryChars - 1));
  const cut = text.slice(0, isSplit ? summaryChars - 1 : summaryChars).toWellFormed();
  // an encoder writes whole characters only
  const buffer = new Uint8Array(Math.min(summaryBytes(limits), Buffer.byteLength(cut)));
  return cut.slice(0, new TextEncoder().encodeInto(cut, buffer).read);
}
