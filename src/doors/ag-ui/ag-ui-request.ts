// The input of a run of AG-UI: its schema, and what it says.
import * as z from 'zod';
import type { BroughtCall } from '../../core/transcript/imported.ts';
import { HttpProblem } from '../../gateway/http/problems.ts';
import { maxRefChars } from '../../wire/frame-limits.ts';
import { type BroughtConversation, imageOfUrl, type SaidMessage, type SaidPiece } from '../door-turns/brought-words.ts';

const maxMessages = 1_001;
const maxParts = 64;
const maxContext = 64;
const maxResume = 256;
const maxIdChars = 128;

const part = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  source: z.looseObject({ type: z.string(), value: z.string(), mimeType: z.string().optional() }).optional(),
});
const content = z.union([z.string(), z.array(part).max(maxParts)]);
const id = z.string().min(1).max(1_024);
const call = z.looseObject({ function: z.looseObject({ name: z.string(), arguments: z.string() }) });
const message = z.discriminatedUnion('role', [
  z.looseObject({ id, role: z.enum(['user', 'system', 'developer']), content }),
  z.looseObject({ id, role: z.literal('assistant'), content: content.nullish(), toolCalls: z.array(call).nullish() }),
  z.looseObject({ id, role: z.literal('tool'), content }),
  z.looseObject({ id, role: z.enum(['reasoning', 'activity']) }),
]);
type Message = z.output<typeof message>;

export const runInputSchema = z.looseObject({
  threadId: z.string().min(1).max(maxIdChars),
  runId: z.string().min(1).max(maxRefChars),
  parentRunId: z.string().max(maxIdChars).nullish(),
  state: z.unknown().optional(),
  messages: z.array(message).max(maxMessages),
  tools: z.array(z.unknown()).max(1_024).nullish(),
  context: z
    .array(z.looseObject({ description: z.string(), value: z.string() }))
    .max(maxContext)
    .nullish(),
  resume: z
    .array(
      z.looseObject({
        interruptId: z.string().min(1).max(1_024),
        status: z.enum(['resolved', 'cancelled']),
        payload: z.unknown().optional(),
      }),
    )
    .max(maxResume)
    .nullish(),
});
export type RunInput = z.output<typeof runInputSchema>;

/** Throws an `HttpProblem` if the run brings what is not done here. */
export function assertNoTools({ tools }: RunInput): void {
  if (!tools || tools.length === 0) return;
  throw new HttpProblem('bad_field', {
    field: 'tools',
    message: 'The field "tools" cannot be used here: tools run inside Belay, and a profile names them.',
  });
}

/** Returns what a run says: the words after the last ones of the assistant, with the context of the run before them. */
export function conversationOfRun({ messages, context }: RunInput): BroughtConversation {
  const start = messages.findLastIndex(({ role }) => role === 'assistant' || role === 'tool') + 1;
  const words = messages.slice(start).flatMap(piecesOf);
  const ambient = (context ?? []).map(({ description, value }) => `${description}: ${value}`).join('\n');
  const before: readonly SaidPiece[] = ambient === '' || words.length === 0 ? [] : [{ type: 'text', text: ambient }];
  return { before: messages.slice(0, start).flatMap(broughtOf), said: [...before, ...words] };
}

function piecesOf(one: Message): readonly SaidPiece[] {
  const given = 'content' in one ? one.content : undefined;
  if (typeof given === 'string') return [{ type: 'text', text: given }];
  if (!Array.isArray(given)) return [];
  return given.map(({ type, text, source }: z.output<typeof part>): SaidPiece => {
    if (type === 'text') return { type: 'text', text: text ?? '' };
    if (type !== 'image' || !source) throw notSupported(type);
    return imageOfUrl(
      source.type === 'data' ? `data:${source.mimeType};base64,${source.value}` : source.value,
      'messages',
    );
  });
}

const notSupported = (type: string) =>
  new HttpProblem('bad_field', {
    field: 'messages',
    message: `A part of type "${type.slice(0, 64)}" cannot be said here: texts and images can.`,
  });

function broughtOf(one: Message): readonly SaidMessage[] {
  if (one.role === 'reasoning' || one.role === 'activity') return [];
  if (one.role === 'tool') return [{ role: 'tool', content: piecesOf(one) }];
  if (one.role !== 'assistant') return [{ role: 'user', content: piecesOf(one) }]; // the instructions of a client are words of its speaker
  const calls = one.toolCalls?.map(
    (each): BroughtCall => ({ name: each.function.name, arguments: each.function.arguments }),
  );
  return [{ role: 'assistant', content: piecesOf(one), calls: calls ?? [] }];
}
