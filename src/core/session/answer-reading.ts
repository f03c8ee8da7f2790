// Reads the question that an answer is for from the live tree.
import type { AnswerEvent } from '../../../machines/session-events.ts';
import type { LiveTree } from '../live/tree.ts';
import type { DecidedCommand, DecidedCommands } from '../transcript/decided-commands.ts';
import { type Replies, refReused } from './inbox.ts';
import type { AnswerMessage } from './inbox-messages.ts';

const questionKinds = { approval_requested: 'approval', question_asked: 'question' } as const;

interface AnswerParts {
  readonly tree: LiveTree;
  readonly decided: DecidedCommands;
  readonly replies: Replies;
}

/** Returns the answer with its question, if that is open; null: it is void, because its ref was used for another command. */
export function readAnswer(message: AnswerMessage, { tree, decided, replies }: AnswerParts): AnswerEvent | null {
  const { by, via, ref } = message;
  const before = ref === null ? null : decided.findRecent({ speaker: via ?? by.id, ref });
  if (before && !isSameAnswer(before, message)) {
    replies.answers.reply(message.id, refReused);
    return null;
  }
  const entry = tree.get(message.target);
  const open = entry && !entry.cut ? entry.question : null;
  if (!open) return { ...message, open };
  const { id, isFirst, asked } = open;
  return { ...message, open: { id, isFirst, to: asked.to, kind: questionKinds[asked.type] } };
}

/** Whether an answer is the one that was decided. */
const isSameAnswer = ({ fact }: DecidedCommand, { target, question, answer, text, by }: AnswerMessage): boolean =>
  'answer' in fact &&
  fact.node === target &&
  fact.by === by.id &&
  (question === null || fact.question === question) &&
  fact.answer === answer &&
  (fact.type !== 'question_closed' || fact.text === text);
