// Recovery: the facts that close what a dead process left open in the log of a session.
//
// 1. They come in the order in which each prefix of the log stays sound: questions, inputs, speech, closings, late ends, receipts, `session_recovered`.
// 2. Folding again adds nothing.

import { outcomeOf } from '../../../machines/cancel.ts';
import type {
  ApprovalClosed,
  ApprovalRequested,
  Fact,
  QuestionAsked,
  QuestionClosed,
} from '../../../machines/facts.ts';
import type { NodeId } from '../../../machines/vocabulary.ts';
import { dropUndefined } from '../collections/fields.ts';
import type { DatedFact } from '../receipt/receipt.ts';
import { foldReceipts, type ReceiptFold } from '../receipt/receipt-fold.ts';
import { closeAllTurns } from './close-turns.ts';
import { causesIn, drawOutline, type Outline } from './outline.ts';

const withdrawnApproval = ({ node, question }: ApprovalRequested): ApprovalClosed => ({
  type: 'approval_closed',
  node,
  ...dropUndefined({ question }),
  answer: 'withdrawn',
  by: null,
  ref: null,
});

const withdrawnQuestion = ({ node, question }: QuestionAsked): QuestionClosed => ({
  type: 'question_closed',
  node,
  ...dropUndefined({ question }),
  answer: 'withdrawn',
  text: null,
  by: null,
  ref: null,
});

/** Withdraws the questions that are open: their calls are closed, so nobody can answer them. */
function withdrawQuestions(facts: readonly DatedFact[]): Fact[] {
  const open = new Map<NodeId, Fact>();
  for (const fact of facts) {
    if (fact.type === 'approval_requested') open.set(fact.node, withdrawnApproval(fact));
    if (fact.type === 'question_asked') open.set(fact.node, withdrawnQuestion(fact));
    if (fact.type === 'approval_closed' || fact.type === 'question_closed') open.delete(fact.node);
  }
  return [...open.values()];
}

/** Cancels the inputs that no turn has read: their process is dead, and nobody waits for an answer to them. */
function cancelInputs(facts: readonly DatedFact[]): Fact[] {
  const waiting = new Map<NodeId, Fact>();
  for (const fact of facts) {
    if (fact.type === 'input_deferred') {
      const { input, turn, owner } = fact;
      waiting.set(input, { type: 'input_settled', input, turn, owner, fate: 'cancelled', code: 'crash' });
    }
    if (fact.type === 'input_settled') waiting.delete(fact.input);
  }
  return [...waiting.values()];
}

/** Ends the speech that was open, or waited: the bridges of a dead process play nothing of it any more. */
function endSpeeches(facts: readonly DatedFact[], outline: Outline): Fact[] {
  const open = new Map<NodeId, Fact>();
  const causeOf = causesIn(outline);
  for (const fact of facts) {
    if (fact.type === 'speech_queued' || fact.type === 'speech_started') {
      const { speech, turn } = fact;
      const cause = causeOf(speech);
      const ending = cause ? { outcome: outcomeOf(cause) } : ({ outcome: 'failed', code: 'crash' } as const);
      const effect = fact.type === 'speech_queued' ? 'not_started' : 'none';
      open.set(speech, { type: 'speech_ended', speech, turn, effect, ...ending });
    }
    if (fact.type === 'speech_ended') open.delete(fact.speech);
  }
  return [...open.values()];
}

/**
 * Returns what is missing in the log of a session whose process has died, in the order in which it is to be appended; nothing if the
 * session was closed. `now`, in milliseconds since 1970, dates the ends that are written with it; by default it is the time of the last fact.
 */
export function recover(facts: readonly DatedFact[], now = facts.at(-1)?.at ?? 0): Fact[] {
  return recoverDrawn({ facts, outline: drawOutline(facts), fold: foldReceipts(facts) }, now);
}

/** The facts of a log, with what was drawn and folded of all of them. */
export interface DrawnFacts {
  readonly facts: readonly DatedFact[];
  readonly outline: Outline;
  readonly fold: ReceiptFold;
}

/** Does the same for facts that were drawn and folded before. It adds the missing ends to the fold. */
export function recoverDrawn({ facts, outline, fold }: DrawnFacts, now: number): Fact[] {
  const { closings, lateEnds } = closeAllTurns(outline);
  const inputs = cancelInputs(facts);
  const speeches = endSpeeches(facts, outline);
  for (const fact of [...inputs, ...speeches, ...closings, ...lateEnds]) fold.add(fact);
  const receipts = [...fold.receipts].flatMap((receipt) => (receipt.settled ? [] : fold.settle(receipt, now)));
  const missing = [...withdrawQuestions(facts), ...inputs, ...speeches, ...closings, ...lateEnds, ...receipts];
  if (missing.length === 0) return [];
  const turns = closings.flatMap((fact) => (fact.type === 'turn_ended' ? [fact.turn] : []));
  return [...missing, { type: 'session_recovered', turns }];
}
