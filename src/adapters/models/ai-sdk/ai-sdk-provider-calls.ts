// Calls that a provider of the AI SDK runs itself: reported as they start and end, and kept to be sent back.
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { Json } from '../../../../machines/messages.ts';
import type { ModelStream, ProviderCall } from '../../../core/contracts/provider.ts';
import { truncate } from '../../../core/text/bound-text.ts';

type Part<Type extends LanguageModelV4StreamPart['type']> = Extract<LanguageModelV4StreamPart, { type: Type }>;
type KeptPart = Readonly<Record<string, Json>>;

const maxOutputChars = 16_384;
/** Tools that only read, by their names. */
const readers = /search|fetch|retriev|grounding|url_context|maps/i;

export class AiSdkProviderCalls {
  readonly #onProviderCall: ModelStream['onProviderCall'];
  readonly #calls = new Map<string, Pick<ProviderCall, 'callId' | 'name' | 'arguments'>>();

  constructor({ onProviderCall }: ModelStream) {
    this.#onProviderCall = onProviderCall;
  }

  /** A call starts; its arguments are not known yet. */
  start(callId: string, name: string): void {
    this.#calls.set(callId, { callId, name, arguments: '' });
    this.#report(callId, 'running');
  }

  /** A call is whole, and runs. Returns what is sent back of it. */
  call({ toolCallId: callId, toolName, input }: Part<'tool-call'>): KeptPart {
    this.#calls.set(callId, { callId, name: toolName, arguments: input });
    this.#report(callId, 'running');
    return { type: 'tool-call', toolCallId: callId, toolName, input: parsed(input), providerExecuted: true };
  }

  /** A call has ended. Returns what is sent back of it; null: this was not its end. */
  endCall({
    toolCallId: callId,
    toolName,
    result,
    isError = false,
    preliminary,
  }: Part<'tool-result'>): KeptPart | null {
    if (preliminary) return null;
    if (!this.#calls.has(callId)) this.#calls.set(callId, { callId, name: toolName, arguments: '' });
    const text = typeof result === 'string' ? result : JSON.stringify(result);
    this.#report(callId, isError ? 'failed' : 'completed', truncate(text, maxOutputChars));
    // a result is JSON by its type
    const value = result as Json;
    return {
      type: 'tool-result',
      toolCallId: callId,
      toolName,
      output: { type: isError ? 'error-json' : 'json', value },
    };
  }

  /** A call that needs an approval gets none: nobody can be asked while the response streams. */
  refuse({ toolCallId }: Part<'tool-approval-request'>): void {
    this.#report(toolCallId, 'failed', 'The provider asks for an approval, which cannot be given.');
  }

  #report(callId: string, state: ProviderCall['state'], output?: string): void {
    const call = this.#calls.get(callId);
    if (!call) return;
    const effect = readers.test(call.name) ? 'none' : state === 'completed' ? 'done' : 'unknown';
    this.#onProviderCall?.({ ...call, state, effect, ...(output !== undefined && { output }) });
  }
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
