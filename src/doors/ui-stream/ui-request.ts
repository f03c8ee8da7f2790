// The request of `useChat`: its schema, what it says, and the answers in its last message.
import * as z from 'zod';
import type { NodeId } from '../../../machines/vocabulary.ts';
import { fieldsOf } from '../../core/collections/fields.ts';
import type { AnswerRequest } from '../../core/session/api.ts';
import type { BroughtCall } from '../../core/transcript/imported.ts';
import { HttpProblem } from '../../gateway/http/problems.ts';
import {
  type BroughtConversation,
  imageOfUrl,
  isBlank,
  type SaidMessage,
  type SaidPiece,
} from '../door-turns/brought-words.ts';
import { questionOfApproval } from './ui-chunks.ts';

const maxMessages = 1_001;
const maxParts = 1_024;

/** Parts have many forms, most of which say nothing new: only the fields that are read are looked at. */
const part = z.looseObject({ type: z.string() });
const message = z.looseObject({
  role: z.enum(['system', 'user', 'assistant']),
  metadata: z.unknown().optional(),
  parts: z.array(part).max(maxParts),
});
type Part = z.output<typeof part>;
type Message = z.output<typeof message>;

/** Fields that are not here are left alone: a page may send its own. */
export const uiRequestSchema = z.looseObject({
  id: z.string().max(1_024).optional(),
  messages: z.array(message).min(1).max(maxMessages),
  trigger: z.enum(['submit-message', 'regenerate-message']).optional(),
  messageId: z.string().max(1_024).nullish(),
  profile: z.string().min(1).max(64).optional(),
});
export type UIRequest = z.output<typeof uiRequestSchema>;

/** The turn that a message of the assistant is, as far as its reader is. */
export interface ShownTurn {
  readonly turn: NodeId;
  readonly seq: number;
  /** Whether it waits for an answer, for all that the client knows. */
  readonly isWaiting: boolean;
}

/** What a request asks for. */
export interface UIConversation extends BroughtConversation {
  /** The last message of the assistant, where it is a turn of Belay. */
  readonly shown: ShownTurn | null;
  readonly answers: readonly AnswerRequest[];
}

/** Returns what a request says. Throws an `HttpProblem` if it says nothing. */
export function conversationOfChat({ messages }: UIRequest): UIConversation {
  const start = messages.findLastIndex(({ role }) => role === 'assistant') + 1;
  const last = messages[start - 1];
  const said = messages.slice(start).flatMap(piecesOf);
  const shown = last ? shownTurnOf(last) : null;
  const answers = last?.parts.flatMap((one) => answerOf(one) ?? []) ?? [];
  if (isBlank(said) && !shown)
    throw new HttpProblem('bad_field', {
      field: 'messages',
      message: last
        ? 'The last message of the assistant has no metadata of Belay: say something, or keep its metadata to answer.'
        : 'The last of the messages must be words of the user.',
    });
  return { before: messages.slice(0, start).flatMap(broughtOf), said, shown, answers };
}

const shownTurn = z.object({ turn: z.string().min(1).max(128), seq: z.int().min(0), waiting: z.boolean().optional() });

function shownTurnOf({ metadata }: Message): ShownTurn | null {
  const parsed = shownTurn.safeParse(fieldsOf(metadata)['belay']);
  if (!parsed.success) return null;
  const { turn, seq, waiting = false } = parsed.data;
  return { turn, seq, isWaiting: waiting };
}

function piecesOf({ parts }: Message): readonly SaidPiece[] {
  return parts.flatMap((one): readonly SaidPiece[] => {
    if (one.type === 'text') return typeof one['text'] === 'string' ? [{ type: 'text', text: one['text'] }] : [];
    if (one.type === 'file') return [imageOfUrl(String(one['url']), 'messages')];
    return [];
  });
}

const isToolPart = ({ type }: Part) => type === 'dynamic-tool' || type.startsWith('tool-');
const toolNameOf = (one: Part) => (one.type === 'dynamic-tool' ? String(one['toolName']) : one.type.slice(5));

/** Returns a message as it was brought, with its results after it. */
function broughtOf(one: Message): readonly SaidMessage[] {
  if (one.role !== 'assistant') return [{ role: 'user', content: piecesOf(one) }];
  const calls = one.parts.filter(isToolPart);
  const made = calls.map(
    (call): BroughtCall => ({ name: toolNameOf(call), arguments: JSON.stringify(call['input'] ?? {}) }),
  );
  const content = piecesOf({ ...one, parts: one.parts.filter(({ type }) => type === 'text') });
  const results = calls.flatMap(({ output, errorText }): readonly SaidMessage[] => {
    const result = output ?? errorText;
    if (result === undefined || result === null) return [];
    const text = typeof result === 'string' ? result : JSON.stringify(result);
    return [{ role: 'tool', content: [{ type: 'text', text }] }];
  });
  return [{ role: 'assistant', content, calls: made }, ...results];
}

/** Returns the answer that a part has; null: it has none. */
function answerOf(one: Part): AnswerRequest | null {
  if (!isToolPart(one)) return null;
  const { id, approved } = fieldsOf(one['approval']);
  if (one['state'] === 'approval-responded' && typeof id === 'string')
    return { ...questionOfApproval(id), answer: approved === true ? 'approved' : 'denied' };
  const { node, question } = fieldsOf(fieldsOf(one['toolMetadata'])['belay']);
  if (typeof node !== 'string' || typeof question !== 'string') return null;
  const asked = { target: node, ...(question !== '' && { question }) };
  if (one['state'] === 'output-error') return { ...asked, answer: 'cannot_ask' };
  if (one['state'] !== 'output-available') return null;
  const { output } = one;
  return { ...asked, answer: 'answered', text: typeof output === 'string' ? output : JSON.stringify(output) };
}
