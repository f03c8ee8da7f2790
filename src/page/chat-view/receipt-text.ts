// The receipt of a CANCEL in one sentence: who has stopped what, and what became of it.
import { ruleOfCause } from '../../../machines/cause-rules.ts';
import type { ReceiptView } from '../../client/view/snapshot.ts';
import { causeSubject, receiptText } from '../../core/words/receipt-words.ts';

/** Returns the sentence. `reader`: the speaker who reads it. */
export function receiptSentence(receipt: ReceiptView, reader: string | null): string {
  const { by, source, reason, settled, stopping, pending } = receipt;
  // what takes the place of something is nobody's wish to stop it, and its reason names ids
  const isReplaced = source === 'superseded';
  const isReader = by === reader && reader !== null && ruleOfCause(source).isRequest;
  const who = isReader ? 'You' : causeSubject(source, isReplaced ? null : by);
  const why = reason && !isReplaced ? ` (${reason})` : '';
  const count = stopping.length + pending.length;
  if (!settled) return `${who} stopped this${why}: ${count} ${count === 1 ? 'is' : 'are'} stopping…`;
  return `${who} stopped this${why}: ${receiptText(settled)}.`;
}
