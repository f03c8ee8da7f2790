// The messages of one model call: its text with its calls, then the result of each call.
//
// 1. A model call is one assistant message; after it stands exactly one tool message for each of its calls, in their order.
// 2. A call without a result gets the one that recovery would write: a crash changes nothing of what was rendered.
// 3. The calls of a request have Belay's own ids beside the provider's, which may repeat.
// 4. Provider state goes with the message if it comes from the same provider and model, and the model call was not cut off.
import type { Message, MessageCall, ProviderState } from '../../../machines/messages.ts';
import { dropUndefined } from '../collections/fields.ts';
import { type CallOutline, type Round, textOf } from './outline.ts';

const cutOffMark = '… [cut off here]';
/** The mark at the end of speech that was cut off. */
const notHeardMark = '… [cut off here: nothing after this was heard]';
const nothingHeard = '[cut off before any of this was heard]';
const maxNameChars = 64; // the endpoints' limit for the name of a function

/** The provider and the model that a request is for. */
export type ModelOrigin = Pick<ProviderState, 'provider' | 'model'>;

/** What the messages of a round depend on, beside the round. */
export interface RoundReader {
  /** Returns what the model reads of a call. */
  textOfResult(call: CallOutline): string;
  /** The provider and the model of the request; null: they are not known, and no provider state is sent. */
  readonly origin: ModelOrigin | null;
}

/** Returns the messages of a round; none if the model said nothing and called nothing. */
export function messagesOf(round: Round, { textOfResult, origin }: RoundReader): Message[] {
  const calls = round.calls.filter(({ fact }) => fact.ranBy === undefined);
  const text = [spokenText(round), ...wordsOfProviderCalls(round, origin)].filter((part) => part !== '').join('\n');
  const isEmpty = text.trim() === ''; // some endpoints reject a message of blanks
  const content = isEmpty ? '' : `${text}${markOf(round)}`;
  if (isEmpty && calls.length === 0) return [];
  return [
    { role: 'assistant', content, calls: calls.map(messageCallOf), ...stateFor(round, origin) },
    ...calls.map(
      (call): Message => ({
        role: 'tool',
        callId: call.fact.node,
        content: textOfResult(call),
        ...(call.result?.outcome === 'completed' && dropUndefined({ parts: call.result.parts })),
      }),
    ),
  ];
}

/** Returns the text of a round; a note in its place, if nothing of what it said was heard. */
const spokenText = (round: Round): string => {
  const isUnheard = round.heard === 0 && (round.ended?.text ?? round.streamed).trim() !== '';
  return isUnheard ? nothingHeard : textOf(round);
};

/** Returns the mark at the end of a text: empty where it is whole. */
function markOf({ ended, heard }: Round): string {
  if (heard !== null) return heard === 0 ? '' : notHeardMark;
  return ended?.cutOff === false ? '' : cutOffMark;
}

/** Describes the provider-run calls of a round: none where its provider state is sent, which contains them. */
function wordsOfProviderCalls(round: Round, origin: ModelOrigin | null): readonly string[] {
  const ran = round.calls.filter(({ fact }) => fact.ranBy === 'provider');
  if (ran.length === 0 || stateFor(round, origin).state) return [];
  return ran.map(({ fact, result }) => {
    const output = result?.output ? `: ${result.output}` : '';
    return `[${fact.name} ${fact.arguments} was run for this: ${result?.outcome ?? 'its end is not known'}${output}]`;
  });
}

function stateFor({ state, ended, heard }: Round, origin: ModelOrigin | null): { readonly state?: ProviderState } {
  if (!state || ended?.cutOff !== false || heard !== null) return {};
  const { provider, model, parts } = state;
  return provider === origin?.provider && model === origin.model ? { state: { provider, model, parts } } : {};
}

function messageCallOf({ fact }: CallOutline): MessageCall {
  // an endpoint would reject this name in the history; the call was rejected for it as well, and its result says so
  const name = fact.name.replaceAll(/[^\w-]/g, '_').slice(0, maxNameChars) || '_';
  const given = fact.callId === '' ? {} : { givenId: fact.callId };
  return { callId: fact.node, ...given, name, arguments: objectText(fact.arguments) };
}

/** The arguments as the JSON text of an object, whatever the model wrote. */
function objectText(written: string): string {
  try {
    const value: unknown = JSON.parse(written || '{}');
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return written.toWellFormed() || '{}';
  } catch {
    // the model sees below what it wrote
  }
  return JSON.stringify({ malformed: written });
}
