// One model call: receives what the provider streams, and records the facts of its start and its end.
//
// 1. Text does not pass through the machines. `model_ended` has the text of the call's block when the block is closed: exactly what was published.
// 2. Nothing that arrives after the cut is shown or kept.

import { failureCodes } from '../../../machines/codes.ts';
import type { ModelInput, ModelReply } from '../../../machines/contracts.ts';
import type { ModelEnded, ModelState } from '../../../machines/facts.ts';
import type { Finish, Usage } from '../../../machines/vocabulary.ts';
import { dropUndefined } from '../collections/fields.ts';
import { addCost } from '../contracts/price.ts';
import type {
  CallInputPiece,
  ModelEnd,
  ModelStream,
  ProviderCall,
  ProviderEndpoint,
  ResponseIdentity,
} from '../contracts/provider.ts';
import { msSince } from '../sources/monotonic-time.ts';
import type { Clock, Disarm, MonotonicTime } from '../sources/sources.ts';
import { repairName } from '../text/printable.ts';
import type { ModelOrigin } from '../transcript/round-messages.ts';
import { ProviderCalls } from './provider-calls.ts';
import { ResponseCalls } from './response-calls.ts';
import type { RuntimeServices } from './services.ts';
import type { Job } from './worker.ts';

export type ModelCallServices =
  | 'runtime'
  | 'session'
  | 'history'
  | 'tree'
  | 'text'
  | 'journal'
  | 'blobs'
  | 'acknowledgements';

/** The provider has not ended the call in time. */
export interface AbandonedEnd {
  readonly kind: 'abandoned';
  readonly usage: Usage;
}

const outcomes = { completed: 'completed', stopped: 'cancelled', failed: 'failed', abandoned: 'abandoned' } as const;

/** The limit of provider state, in characters of its JSON text. */
const maxStateChars = 1_048_576;

/** A model call, as its provider reports it. Its disposal closes the calls that the provider runs, and stops the notices that the model is silent. */
export class ModelCall implements ModelStream, Disposable {
  readonly signal: AbortSignal;
  readonly #input: ModelInput;
  readonly #job: Job<ModelCallServices>;
  readonly #origin: ModelOrigin | null;
  #state: 'open' | 'closed' = 'open';
  /** Created with the first call that the provider runs. */
  #providerCalls: ProviderCalls | null = null;
  /** The calls of which pieces have come; null: none has. */
  unopened: ResponseCalls | null = null;
  #silence: ModelSilence | null = null;
  #hasTextAfterCut = false;
  #hasReasoning = false;

  /** `origin`: the provider and the model; null: not known. */
  constructor(input: ModelInput, job: Job<ModelCallServices>, origin: ModelOrigin | null) {
    this.signal = job.signal;
    this.#input = input;
    this.#job = job;
    this.#origin = origin;
  }

  /** Opens the text block. Clients receive its text after the commit of `model_started`. `endpoint`: where the request goes. */
  start(endpoint: ProviderEndpoint | undefined): void {
    const { runtime, text, journal } = this.#job.services;
    const { id: turn, index } = this.#input;
    if (endpoint) runtime.tracing?.describeModelCall(turn, index, endpoint);
    text.open(turn, index);
    this.#silence = new ModelSilence(runtime.sources.clock, runtime.limits.progressMs, (elapsedMs) =>
      text.preview({ type: 'model_waiting', turn, index, elapsedMs }),
    );
    const model = this.#origin?.model || undefined;
    void journal.append([{ type: 'model_started', turn, index, ...dropUndefined({ model }) }]);
  }

  // arrow functions: a provider may pass one on without its object
  readonly onText = (text: string): void => {
    this.#silence?.noteSign();
    if (this.#job.entry.cut) {
      this.#hasTextAfterCut = true;
      return;
    }
    const { id, index, acknowledges } = this.#input;
    const { text: stream, acknowledgements } = this.#job.services;
    stream.write(id, index, text);
    if (acknowledges !== undefined && text.trim() !== '') acknowledgements.noteText(id);
  };

  readonly onReasoning = (text: string): void => {
    this.#silence?.noteSign();
    const { id: turn, index } = this.#input;
    this.#hasReasoning = true;
    this.#job.services.text.preview({ type: 'reasoning_delta', turn, index, text });
  };

  readonly onCallInput = (piece: CallInputPiece): void => {
    this.#silence?.noteSign();
    if (this.#state === 'closed') return; // the calls of the response have been read
    const { id: turn, index } = this.#input;
    const { position, name, text } = piece;
    this.unopened ??= new ResponseCalls(this.#input, this.#job);
    const offset = this.unopened.addPiece(piece);
    this.#job.entry.unopened = this.unopened;
    const written = { turn, index, position, name: repairName(name), offset, text };
    this.#job.services.text.preview({ type: 'tool_input_delta', ...written });
  };

  readonly onProviderCall = (call: ProviderCall): void => {
    this.#silence?.noteSign();
    if (this.#state === 'closed') return; // nothing is recorded after `model_ended`
    this.#providerCalls ??= new ProviderCalls(this.#input, this.#job);
    this.#providerCalls.report(call);
  };

  readonly onResponse = ({ id: responseId, model: responseModel }: ResponseIdentity): void => {
    const { id, index } = this.#input;
    this.#job.services.runtime.tracing?.describeModelCall(id, index, { responseId, responseModel });
  };

  /** Resolves with null also if the store fails: the provider describes a part that it cannot read. */
  readonly readBlob = (blob: string): Promise<Uint8Array | null> => {
    const { blobs, runtime } = this.#job.services;
    return blobs.read(blob).catch((error: unknown) => {
      runtime.warn('A blob for a model call could not be read.', error);
      return null;
    });
  };

  /** Closes the text block, and appends the provider state and then `model_ended`. The worker adds the calls to the reply. */
  close(end: ModelEnd | AbandonedEnd): ModelReply {
    const { runtime, text: stream, journal } = this.#job.services;
    const { id: turn, index, owner } = this.#input;
    this[Symbol.dispose]();
    stream.closeBlocks(turn);
    const text = stream.readText(turn, index);
    const cutOff = this.#hasTextAfterCut || end.kind !== 'completed';
    const failure = end.kind === 'failed' ? { code: end.code, message: shownMessage(end, runtime) } : {};
    const finish = end.kind === 'completed' ? { finish: this.#finishOf(end, text) } : {};
    const usage = addCost(end.usage, runtime.priceOf(this.#origin?.model ?? ''));
    const fact: ModelEnded = {
      type: 'model_ended',
      turn,
      index,
      outcome: outcomes[end.kind],
      ...failure,
      text,
      cutOff,
      owner,
      ...finish,
      usage,
    };
    const isWithheld = end.kind === 'failed' && runtime.modelErrors === 'withheld';
    const before = isWithheld ? [{ type: 'model_error', turn, index, message: end.message } as const] : [];
    void journal.append([...before, ...(cutOff ? [] : this.#stateFacts(end)), fact]);
    const effect = this.#providerCalls?.effect ?? 'not_started';
    const reply = { text, calls: [], ...finish, usage, effect };
    if (end.kind === 'abandoned') return { kind: 'stopped', code: 'model_abandoned', ...reply };
    return { kind: end.kind === 'completed' ? 'go' : end.kind, ...failure, ...reply };
  }

  [Symbol.dispose](): void {
    this.#state = 'closed';
    this.#silence?.[Symbol.dispose]();
    this.#providerCalls?.[Symbol.dispose]();
  }

  /** Returns the finish of a completed response. Providers report `stop` also for a response with calls, or without text. */
  #finishOf({ finish, calls }: Extract<ModelEnd, { kind: 'completed' }>, text: string): Finish {
    if (finish !== 'stop') return finish;
    if (calls.length > 0) return 'tool_calls';
    if (text.trim() !== '') return 'stop';
    return this.#hasReasoning ? 'reasoning_only' : 'empty';
  }

  /** Returns the fact of the provider state: none for a response that is not whole. */
  #stateFacts(end: ModelEnd | AbandonedEnd): readonly ModelState[] {
    if (end.kind !== 'completed' || this.#origin === null) return [];
    const isWhole = end.finish === 'stop' || end.finish === 'tool_calls';
    const { state: parts = [] } = end;
    if (!isWhole || parts.length === 0) return [];
    const chars = JSON.stringify(parts).length;
    const { id: turn, index } = this.#input;
    if (chars <= maxStateChars) return [{ type: 'model_state', turn, index, ...this.#origin, parts }];
    this.#job.services.runtime.warn(
      `The provider state of a response of ${this.#origin.provider} has ${chars} characters, and the limit is ${maxStateChars}. Later requests go without it.`,
    );
    return [];
  }
}

/** Returns what speakers get of a failed model call: the words of its provider, or the sentence of the code. */
export const shownMessage = (
  { code, message }: Pick<Extract<ModelEnd, { kind: 'failed' }>, 'code' | 'message'>,
  { modelErrors }: Pick<RuntimeServices, 'modelErrors'>,
): string => (modelErrors === 'shown' ? message : failureCodes[code]);

/** The longest time between two notices, in milliseconds. */
const maxIntervalMs = 60_000;

/**
 * Publishes that the model sends nothing: it reads a long prompt, or reasons and does not show it. Measures from its construction to its disposal. The
 * first notice comes after `firstMs` of silence, the next one each time that the silence has doubled, at the latest after `maxIntervalMs`.
 */
export class ModelSilence implements Disposable {
  readonly #clock: Clock;
  readonly #firstMs: number;
  readonly #publish: (elapsedMs: number) => void;
  #since: MonotonicTime;
  #disarm: Disarm = () => {};

  /** `publish` receives how long the model has sent nothing, in milliseconds. */
  constructor(clock: Clock, firstMs: number, publish: (elapsedMs: number) => void) {
    this.#clock = clock;
    this.#firstMs = firstMs;
    this.#publish = publish;
    this.#since = clock.elapsed();
    this.#arm(firstMs);
  }

  /** Notes that the model has sent something: the silence is measured from now on. */
  noteSign(): void {
    this.#since = this.#clock.elapsed();
  }

  [Symbol.dispose](): void {
    this.#disarm();
  }

  /** One timer for many signs: when it fires, it is armed again for what is left since the last one. */
  #arm(ms: number): void {
    this.#disarm = this.#clock.after(ms, () => {
      const silentMs = msSince(this.#clock, this.#since);
      if (silentMs < this.#firstMs) return this.#arm(this.#firstMs - silentMs);
      this.#arm(Math.min(silentMs, maxIntervalMs));
      this.#publish(silentMs);
    });
  }
}
