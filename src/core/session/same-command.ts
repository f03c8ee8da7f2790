// Tells whether a command under a ref that was used before is the same one.
import type { DecidedCommand } from './decided-commands.ts';
import type { AnswerMessage, CancelMessage } from './inbox.ts';

/** Whether a CANCEL is the one that was decided. `force` and `reason` may differ: a repeat with `force` skips the grace. */
export const isSameCancel = ({ fact }: DecidedCommand, { target, by }: CancelMessage): boolean =>
  'target' in fact && fact.target === target && fact.by === by?.id;

/** Whether an answer is the one that was decided. */
export const isSameAnswer = (
  { fact }: DecidedCommand,
  { target, question, answer, text, by }: AnswerMessage,
): boolean =>
  'answer' in fact &&
  fact.node === target &&
  fact.by === by.id &&
  (question === null || fact.question === question) &&
  fact.answer === answer &&
  (fact.type !== 'question_closed' || fact.text === text);
