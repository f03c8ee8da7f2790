// The requests of one check: bounded in time and in length, and counted.
import type { Message, MessageCall } from '../../../../machines/messages.ts';
import type { ModelOptions } from '../../../../machines/model-options.ts';
import { addUsage } from '../../../../machines/totals.ts';
import { noUsage, type Usage } from '../../../../machines/vocabulary.ts';
import {
  type ModelEnd,
  type ModelRequest,
  narrowOptions,
  originOf,
  type Provider,
} from '../../../core/contracts/provider.ts';
import type { Clock } from '../../../core/sources/sources.ts';

export interface TrialParts {
  readonly provider: Provider;
  readonly clock: Clock;
  /** Those of the configuration. */
  readonly options: ModelOptions;
}

/** How long one request may take, in milliseconds: a local model may have to be loaded first. */
export const requestMs = 120_000;
/** The most tokens of one response, reasoning included. */
export const responseTokens = 2_000;

export interface TrialResponse {
  readonly end: ModelEnd;
  readonly text: string;
  readonly reasoning: string;
}

export type Completed = Extract<ModelEnd, { kind: 'completed' }>;

type Question = Pick<ModelRequest, 'messages'> & Partial<Pick<ModelRequest, 'tools' | 'options'>>;

export interface Watch {
  /** Called with each piece of text or reasoning. */
  onPiece?(): void;
  readonly signal?: AbortSignal;
  readonly blob?: Uint8Array;
}

export class Trial {
  readonly #parts: TrialParts;
  requests = 0;
  usage: Usage = noUsage;

  constructor(parts: TrialParts) {
    this.#parts = parts;
  }

  get clock(): Clock {
    return this.#parts.clock;
  }

  /** Sends one request. Never rejects; ends as `stopped` after `requestMs`. */
  async ask({ messages, tools = [], options = {} }: Question, watch: Watch = {}): Promise<TrialResponse> {
    const { provider, clock } = this.#parts;
    const { onPiece = () => {}, signal, blob = null } = watch;
    const timeout = new AbortController();
    const disarm = clock.after(requestMs, () => timeout.abort());
    const asked = { text: '', reasoning: '' };
    this.requests++;
    const end = await provider.stream(
      { messages, tools, options: narrowOptions(this.#options(), options), session: 'check-model' },
      {
        signal: signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal,
        onText(piece) {
          asked.text += piece;
          onPiece();
        },
        onReasoning(piece) {
          asked.reasoning += piece;
          onPiece();
        },
        readBlob: async () => blob,
      },
    );
    disarm();
    this.usage = addUsage(this.usage, end.usage);
    return { end, ...asked };
  }

  /** Returns the message of a response, and those of its results, as the next request has them. */
  messagesAfter(text: string, end: Completed, resultOf: (call: MessageCall) => string): readonly Message[] {
    const { provider } = this.#parts;
    const round = this.requests;
    const calls = end.calls.map((call, i) => ({ ...call, callId: `call_${round}_${i}`, givenId: call.callId }));
    const state = end.state && { state: { ...originOf(provider, undefined), parts: end.state } };
    return [
      { role: 'assistant', content: text, calls, ...state },
      ...calls.map((call): Message => ({ role: 'tool', callId: call.callId, content: resultOf(call) })),
    ];
  }

  #options(): ModelOptions {
    const { options } = this.#parts;
    return { ...options, maxOutputTokens: Math.min(options.maxOutputTokens ?? responseTokens, responseTokens) };
  }
}
