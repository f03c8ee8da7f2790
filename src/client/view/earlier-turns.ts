// Adds turns from before the start of a view: the facts of a page of the log, read backward, become turns before those that are there.
//
// 1. A page may begin in the middle of a turn. The facts of a turn whose opening is not here wait for the page that has it.
// 2. What the snapshot has of a turn or a receipt stays as it is: it has all of it.
import type { FactFrame } from '../../wire/fact-frames.ts';
import type { ServerFrame } from '../../wire/server-frames.ts';
import { defaultViewLimits, foldFrame } from './fold.ts';
import { findNode, findTurn } from './node-names.ts';
import { emptySnapshot, type SessionSnapshot, type TurnView } from './snapshot.ts';

/** A page of facts, read backward. */
export interface EarlierFacts {
  /** In the order of the log. */
  readonly events: readonly FactFrame[];
  /** The sequence number below which the page before this one is read; null: this is the first one of the log. */
  readonly next: number | null;
}

export interface WithEarlier {
  readonly snapshot: SessionSnapshot;
  /** Facts of turns whose opening is not here. */
  readonly waiting: readonly FactFrame[];
}

/** Limits of a view under which nothing is left out. */
export const noLimits = { ...defaultViewLimits, turns: Number.POSITIVE_INFINITY, receipts: Number.POSITIVE_INFINITY };

/** Returns the snapshot with the turns of a page in front. `waiting`: later facts of turns whose opening was not there yet. */
export function addEarlierFacts(
  snapshot: SessionSnapshot,
  { events, next }: EarlierFacts,
  waiting: readonly FactFrame[],
): WithEarlier {
  let past = emptySnapshot;
  const left: FactFrame[] = [];
  // in the order of the log: what has waited may be older, where turns were dropped meanwhile
  for (const frame of [...events, ...waiting].sort(bySeq)) {
    past = foldFrame(past, frame, noLimits);
    if (isOfUnknown(past, frame) && isOfUnknown(snapshot, frame)) left.push(frame);
  }
  const resumedBy = new Map(snapshot.turns.map(({ resumes, node }) => [resumes, node.id]));
  const turns = past.turns
    .filter(({ node }) => findTurn(snapshot, node.id) === null)
    .map((turn) => markResumed(turn, resumedBy.get(turn.node.id)));
  const receipts = past.receipts.filter(({ cancel }) => !snapshot.receipts.some((held) => held.cancel === cancel));
  return {
    snapshot: {
      ...snapshot,
      earlierBefore: next,
      turns: [...turns, ...snapshot.turns].sort(bySeq),
      receipts: [...receipts, ...snapshot.receipts].sort(bySeq),
      speakers: [...new Set([...past.speakers, ...snapshot.speakers])],
    },
    waiting: left,
  };
}

const markResumed = (turn: TurnView, by: string | undefined): TurnView =>
  by === undefined ? turn : { ...turn, resumedBy: by, isResumable: false };

/** Sorts by the order of the log; what has no sequence number yet is the newest. */
const bySeq = (a: { readonly seq?: number | null }, b: { readonly seq?: number | null }): number =>
  (a.seq ?? Number.MAX_SAFE_INTEGER) - (b.seq ?? Number.MAX_SAFE_INTEGER);

/** Whether a frame is a fact about a turn, call or receipt that the snapshot, in which it is folded already, does not hold. */
export function isOfUnknown(snapshot: SessionSnapshot, frame: ServerFrame): frame is FactFrame {
  if (!('seq' in frame) || frame.seq === undefined || frame.type === 'cancel_accepted') return false;
  if ('cancel' in frame && frame.type !== 'turn_opened')
    return !snapshot.receipts.some(({ cancel }) => cancel === frame.cancel);
  if ('turn' in frame) return findTurn(snapshot, frame.turn) === null;
  return 'node' in frame && findNode(snapshot, frame.node) === null;
}
