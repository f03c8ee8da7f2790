// Content of a response by the AI SDK: kept with the response, and sent back with it in later requests.
//
// 1. Content goes back in its order, with the metadata that its provider has given each part: signatures, ids.
// 2. Texts and arguments are in the history already. A part of the state names their place there.
import type { LanguageModelV4Message } from '@ai-sdk/provider';
import type { Json, Message, MessageCall } from '../../../../machines/messages.ts';
import { fieldsOf } from '../../../core/collections/fields.ts';

type AssistantMessage = Extract<Message, { role: 'assistant' }>;
export type AssistantContent = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'];
type AssistantPart = AssistantContent[number];

/** A part of a response, in the order of its arrival. `metadata`: what its provider has said of it; it goes back as an option. */
export type ResponsePart = { readonly metadata?: Json | undefined } & (
  | { readonly type: 'text'; readonly from: number; readonly to: number }
  | { readonly type: 'call'; readonly position: number }
  /** Any other part, as a request has it. */
  | { readonly type: 'other'; readonly part: Readonly<Record<string, Json>> }
);

/** Returns what is kept of a response; nothing of one that is text alone. */
export function stateOfParts(parts: readonly ResponsePart[]): readonly Json[] {
  const isNeeded = parts.some(({ type, metadata }) => type !== 'text' || metadata !== undefined);
  // the parts are JSON: their types only say which
  return isNeeded ? parts.map((part) => JSON.parse(JSON.stringify(part)) as Json) : [];
}

/** Whether the response of a state began with reasoning. */
export function startsWithReasoning([first]: readonly Json[]): boolean {
  const { type } = fieldsOf(fieldsOf(first)['part']);
  return type === 'reasoning';
}

/**
 * Returns the content of a message as it came; null if it has no state, or one that does not fit it.
 *
 * @param callPart Returns a call as this request has it.
 */
export function contentFromState(
  { state, content, calls }: AssistantMessage,
  callPart: (call: MessageCall) => AssistantPart,
): AssistantContent | null {
  if (!state) return null;
  // stateOf has written it
  const parts = state.parts as unknown as readonly ResponsePart[];
  const positions = new Set(parts.flatMap((part) => (part.type === 'call' ? part.position : [])));
  const end = Math.max(0, ...parts.map((part) => (part.type === 'text' ? part.to : 0)));
  if (positions.size !== calls.length || (content !== '' && end !== content.length)) return null;
  const sent: AssistantContent = [];
  for (const part of parts) {
    const one = sentPart(part, { content, calls, callPart });
    if (one === null) return null;
    if (one !== 'empty') sent.push(withMetadata(one, part.metadata));
  }
  return sent;
}

interface Sources {
  readonly content: string;
  readonly calls: readonly MessageCall[];
  readonly callPart: (call: MessageCall) => AssistantPart;
}

function sentPart(part: ResponsePart, { content, calls, callPart }: Sources): AssistantPart | 'empty' | null {
  switch (part.type) {
    case 'text': {
      const text = content.slice(part.from, part.to);
      // endpoints refuse a blank text, unless it carries a signature
      return text.trim() === '' && part.metadata === undefined ? 'empty' : { type: 'text', text };
    }
    case 'call': {
      const call = calls[part.position];
      return call ? callPart(call) : null;
    }
    case 'other':
      // the response had it
      return part.part as unknown as AssistantPart;
  }
}

function withMetadata(part: AssistantPart, metadata: Json | undefined): AssistantPart {
  if (metadata === undefined) return part;
  // the provider has made its metadata
  return { ...part, providerOptions: fieldsOf(metadata) as NonNullable<AssistantPart['providerOptions']> };
}
