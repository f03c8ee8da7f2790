// A session at the provider, for as long as its connection lives: the responses that run in it, what of the conversation it has, and what it hears.
//
// 1. One response at a time has a part in the conversation: the next one is asked for when the provider has ended it. Those outside of it run beside.
// 2. Events of a response that is not known here are dropped. One that nobody has asked for is cancelled by its id.
// 3. It is replaced, never repaired: a change that the provider refuses ends it.
import { fieldsOf } from '../../../core/collections/fields.ts';
import type { ModelRequest, ModelStream } from '../../../core/contracts/provider.ts';
import type { SpeakerSound } from '../../../core/contracts/sound.ts';
import type { CutSpeech, SpeechRoom } from '../../../core/contracts/speech-model.ts';
import { addMs, msUntil } from '../../../core/sources/monotonic-time.ts';
import type { Clock, Disarm, MonotonicTime } from '../../../core/sources/sources.ts';
import { classifyFailure, createFailure, type Failure } from '../classify-failure.ts';
import type { ErrorResponse } from '../error-response.ts';
import { maxRetryAfterMs } from '../retry.ts';
import { HeardInput } from './heard-input.ts';
import { itemsApart, ProviderConversation } from './provider-conversation.ts';
import type { ConnectionListener, ProviderConnection, RealtimeConnectionOptions } from './realtime-connection.ts';
import type { RealtimeClientEvent, RealtimeItem, RealtimeServerEvent } from './realtime-events.ts';
import { type InspectResponse, RealtimeResponse } from './realtime-response.ts';
import { responseParams } from './request-params.ts';

/** The longest life of a session at the provider, in milliseconds. */
const lifetimeMs = 3_600_000;
/** How long before its end it is replaced at the latest. */
const replaceBeforeMs = 300_000;
/** How long one that is replaced may still have a response, in milliseconds. */
const leavingMs = 240_000;

/** What all sessions of a link have. */
export interface LinkedSessionOptions {
  readonly clock: Clock;
  readonly answerMs: number;
  readonly firstByteMs: number;
  readonly idleMs: number;
  /** Receives what is heard and spoken; null: nothing is. */
  readonly room: SpeechRoom | null;
  connect(options: RealtimeConnectionOptions, listener: ConnectionListener): ProviderConnection;
  readonly inspect?: InspectResponse | undefined;
}

export interface ProviderSessionOptions extends LinkedSessionOptions {
  readonly connection: RealtimeConnectionOptions;
  /** Called once, when nothing new is to be asked of it any more. */
  onLeaving(session: ProviderSession): void;
  /** Called once, when its connection is gone. `failed`: it was lost, or refused. */
  onOver(session: ProviderSession, failed: boolean): void;
}

/** `leaving`: it gets nothing new, and is closed when nothing runs in it and nobody speaks. */
type SessionState = 'current' | 'leaving' | 'over';

export class ProviderSession implements ConnectionListener {
  readonly #options: ProviderSessionOptions;
  readonly #connection: ProviderConnection;
  readonly #conversation: ProviderConversation;
  readonly #input: HeardInput | null;
  #state: SessionState = 'current';
  /** The one that has a part in the conversation; null: none has. */
  #main: RealtimeResponse | null = null;
  readonly #waiting: RealtimeResponse[] = [];
  /** By the name that is in their metadata. */
  readonly #responses = new Map<string, RealtimeResponse>();
  /** By their id at the provider. */
  readonly #created = new Map<string, RealtimeResponse>();
  #made = 0;
  /** When the limits of rates that are used up are reset. */
  #resetsAt: readonly MonotonicTime[] = [];
  #disarmEnd: Disarm;
  #disarmLeaving: Disarm = () => {};
  #isDue = false;

  constructor(options: ProviderSessionOptions) {
    this.#options = options;
    const { clock, room, connection, connect } = options;
    this.#conversation = new ProviderConversation(() => this.#name('item'));
    this.#input =
      room && new HeardInput({ clock, room, conversation: this.#conversation, onJudged: () => this.#closeIfLeft() });
    this.#disarmEnd = clock.after(lifetimeMs - replaceBeforeMs, () => this.startLeaving());
    this.#connection = connect(connection, this);
  }

  /** Resolves when it is connected. Rejects if it cannot be. */
  get opened(): Promise<void> {
    return this.#connection.opened;
  }

  get model(): string {
    return this.#options.connection.model;
  }

  /** Whether nothing runs in it and nobody speaks. */
  get isIdle(): boolean {
    return this.#responses.size === 0 && this.#input?.isIdle !== false;
  }

  /** Whether it is replaced in the middle of what somebody says: the rest of that is for it, too. */
  get isHearingOut(): boolean {
    return this.#state === 'leaving' && this.#input?.isSpeaking === true;
  }

  /** How long the provider asks to wait before the next response, in milliseconds; 0: not at all. */
  get waitMs(): number {
    return Math.max(0, ...this.#resetsAt.map((at) => msUntil(this.#options.clock, at)));
  }

  /** Starts a response. `spoken`: it is one of the conversation, and has sound. */
  respond(request: ModelRequest, stream: ModelStream, how: ResponseKind): RealtimeResponse {
    const { clock, room, answerMs, firstByteMs, idleMs, inspect } = this.#options;
    const response = new RealtimeResponse({
      key: this.#name('response'),
      request,
      stream,
      room: how.isSpoken ? room : null,
      clock,
      answerMs,
      firstByteMs,
      idleMs,
      inspect,
      sendCreate: (one) => this.#sendCreate(one, request, how),
      sendCancel: (id) => this.#send({ type: 'response.cancel', response_id: id }, `cancel ${response.key}`),
      terminate: () => this.#terminate(),
    });
    this.#responses.set(response.key, response);
    void response.over.then(() => this.#forget(response));
    if (how.isApart) this.#sendInTime(response);
    else if (this.#main) this.#waiting.push(response);
    else this.#begin(response);
    return response;
  }

  hearSound(sound: SpeakerSound): void {
    for (const pcm of this.#input?.pass(sound) ?? []) {
      const audio = Buffer.from(pcm.buffer, pcm.byteOffset, pcm.length).toString('base64');
      this.#send({ type: 'input_audio_buffer.append', audio }, 'sound');
    }
  }

  /** The speech of a block was cut: what of it is not said yet is not wanted. */
  cut(speech: CutSpeech): void {
    for (const response of this.#responses.values())
      if (response.isOf(speech.turn, speech.index)) response.abort('cut');
    this.#conversation.noteHeard(speech);
  }

  /** Gets nothing new from now on, and is closed when its responses and what is being said are over. */
  startLeaving(): void {
    if (this.#state !== 'current') return;
    this.#state = 'leaving';
    this.#options.onLeaving(this);
    this.#disarmLeaving = this.#options.clock.after(leavingMs, () => this.close());
    this.#closeIfLeft();
  }

  close(): void {
    if (this.#state !== 'over') this.#connection.close();
  }

  // -- the connection

  onEvent(event: RealtimeServerEvent): void {
    if (this.#input?.onEvent(event)) return;
    switch (event.type) {
      case 'session.created':
        return this.#noteExpiry(event.session);
      case 'rate_limits.updated':
        return this.#noteLimits(event.rate_limits);
      case 'conversation.item.added':
      case 'conversation.item.created':
        return this.#addItem(event.item, event.previous_item_id);
      case 'conversation.item.deleted':
        return this.#conversation.remove(event.item_id);
      case 'response.created':
        return this.#onCreated(event.response);
      case 'response.done':
        return this.#onDone(event);
      case 'response.output_item.done':
        this.#noteCall(event.response_id, event.item);
        break;
      default:
        break;
    }
    if ('response_id' in event) this.#created.get(event.response_id)?.onEvent(event);
  }

  onError(error: ErrorResponse, about = ''): void {
    const failure = classifyFailure(error, this.#options.clock);
    const [what, key = ''] = about.split(' ');
    const response = this.#responses.get(key);
    if (what === 'cancel') return response?.refuseCancel();
    if (what === 'create') return response?.refuse(isBusy(error) ? { ...failure, maxRetries: 2 } : failure);
    if (what === 'setup') return this.#endWith(failure);
    // the provider does not have what it is taken to have: the next session gets all of it anew
    if (what === 'change') return this.#endWith({ ...failure, maxRetries: 1 });
    if (what !== 'unasked')
      this.#options.room?.warn(`The provider of the speech model reports an error: ${failure.message}`);
  }

  onOver(error: Error | null): void {
    this.#finish(error ? classifyFailure(error, this.#options.clock) : lost);
  }

  // -- responses

  #begin(response: RealtimeResponse): void {
    this.#main = response;
    this.#sendInTime(response);
  }

  /** Sends a response when the limits of rates allow it. One that had to wait for too long is sent at once: the provider refuses it by name. */
  #sendInTime(response: RealtimeResponse): void {
    const { waitMs } = this;
    if (waitMs === 0 || waitMs > maxRetryAfterMs) return response.send();
    const disarm = this.#options.clock.after(waitMs, () => this.#sendInTime(response));
    void response.over.then(disarm);
  }

  #forget(response: RealtimeResponse): void {
    this.#responses.delete(response.key);
    if (response.id !== null) this.#created.delete(response.id);
    if (this.#main === response) {
      this.#main = null;
      const next = this.#waiting.find(({ isOver }) => !isOver);
      this.#waiting.splice(0, next ? this.#waiting.indexOf(next) + 1 : this.#waiting.length);
      if (next && this.#state !== 'over') this.#begin(next);
    }
    this.#closeIfLeft();
  }

  #sendCreate({ key }: RealtimeResponse, request: ModelRequest, how: ResponseKind): void {
    const common = responseParams(request, { key, isSpoken: how.isSpoken && this.#options.room !== null });
    if (how.isApart) {
      const { instructions, input } = itemsApart(request.messages, () => this.#name('item'));
      const response = { ...common, conversation: 'none', instructions, input: [...input] };
      return this.#send({ type: 'response.create', response }, `create ${key}`);
    }
    const { instructions, events, input } = this.#conversation.update(request.messages);
    for (const event of events) this.#send(event, 'change');
    const references = input?.map((id) => ({ type: 'item_reference', id }) as const);
    const response = { ...common, instructions, ...(references && { input: references }) };
    this.#send({ type: 'response.create', response }, `create ${key}`);
  }

  #onCreated({ id = '', metadata }: { readonly id?: string; readonly metadata?: object | null }): void {
    // any field may be there or not: what it holds is unknown
    const key = (metadata as { readonly belay?: unknown } | null | undefined)?.belay;
    const response = this.#responses.get(String(key ?? ''));
    if (!response) return this.#send({ type: 'response.cancel', response_id: id }, 'unasked');
    this.#created.set(id, response);
    response.noteCreated(id);
  }

  #onDone(event: Extract<RealtimeServerEvent, { readonly type: 'response.done' }>): void {
    const { id = '', output = [] } = event.response;
    const response = this.#created.get(id);
    if (!response) return;
    const isMain = this.#main === response;
    response.onEvent(event);
    if (isMain && response.abortedBy !== null) this.#settleCalls(output, response);
  }

  /** Settles the calls of a response that was stopped: none of them runs, and the provider refuses what follows a call without an output. */
  #settleCalls(output: readonly RealtimeItem[], { abortedBy }: RealtimeResponse): void {
    for (const item of output) {
      if (item.type !== 'function_call' || item.id === undefined) continue;
      const isWhole = item.status !== 'incomplete' && item.status !== 'in_progress';
      if (isWhole) this.#rememberCall(item);
      if (isWhole && abortedBy === 'cut') continue; // it runs
      const how = isWhole ? { output: cancelledOutput } : 'delete';
      for (const change of this.#conversation.settleCall(item.id, how)) this.#send(change, 'change');
    }
  }

  /** Notes a whole call of the conversation, also of a response that was stopped. */
  #noteCall(response: string, item: RealtimeItem): void {
    if (this.#created.get(response) !== this.#main || item.type !== 'function_call' || item.status === 'incomplete')
      return;
    this.#rememberCall(item);
  }

  #rememberCall({ id = '', call_id: callId = '', name, arguments: given }: CallItem): void {
    this.#conversation.noteCall(id, { callId, name, arguments: given });
  }

  #addItem(item: RealtimeItem, after: string | null | undefined): void {
    const { id = '' } = item;
    const isAnswer = item.type === 'message' && item.role === 'assistant';
    const part = isAnswer && !this.#conversation.has(id) ? this.#main?.partAt(id) : undefined;
    this.#conversation.add(id, part ? { kind: 'spoken', part } : { kind: 'unknown' }, after);
  }

  // -- its end

  #noteExpiry(session: object): void {
    // the field may be there or not: its type is checked below
    const { expires_at: expiresAt } = session as { readonly expires_at?: unknown };
    if (typeof expiresAt !== 'number') return;
    const { clock } = this.#options;
    const leftMs = Math.min(expiresAt * 1_000 - clock.now(), lifetimeMs) - replaceBeforeMs;
    this.#disarmEnd();
    this.#disarmEnd = clock.after(Math.max(0, leftMs), () => this.startLeaving());
  }

  #noteLimits(limits: readonly { readonly remaining?: number; readonly reset_seconds?: number }[]): void {
    const now = this.#options.clock.elapsed();
    const usedUp = limits.filter(({ remaining = 1 }) => remaining <= 0);
    this.#resetsAt = usedUp.map(({ reset_seconds: seconds = 0 }) => addMs(now, seconds * 1_000));
  }

  /** Ends the connection at once; with other responses in flight as soon as they are over. Those that wait are for the next session. */
  #terminate(): void {
    const isInFlight = (one: RealtimeResponse) => !one.isOver && one.abortedBy === null && !this.#waiting.includes(one);
    if (![...this.#responses.values()].some(isInFlight)) return this.#endWith(lost);
    this.#isDue = true;
    this.startLeaving();
    for (const response of this.#waiting.splice(0)) response.lose(lost);
  }

  #closeIfLeft(): void {
    if (this.#state !== 'leaving' || !this.isIdle) return;
    if (this.#isDue) this.#endWith(lost);
    else this.close();
  }

  #endWith(failure: Failure): void {
    this.#finish(failure);
    this.#connection.terminate();
  }

  #finish(failure: Failure): void {
    if (this.#state === 'over') return;
    if (this.#state === 'current') this.#options.onLeaving(this);
    this.#state = 'over';
    this.#disarmEnd();
    this.#disarmLeaving();
    this.#input?.close();
    for (const response of [...this.#responses.values()]) response.lose(failure);
    this.#options.onOver(this, failure !== lost);
  }

  #send(event: RealtimeClientEvent, purpose: string): void {
    this.#connection.send(event, purpose);
  }

  #name(of: string): string {
    return `belay_${of}_${this.#made++}`;
  }
}

type CallItem = Extract<RealtimeItem, { readonly type: 'function_call' }>;

/** `isApart`: it has no part in the conversation of the provider, but its own input. `isSpoken`: it has sound. */
export interface ResponseKind {
  readonly isApart: boolean;
  readonly isSpoken: boolean;
}

const cancelledOutput = JSON.stringify({ cancelled: true });

/** Whether a response was refused because another one is in the way: one that nobody here has asked for. */
const isBusy = ({ body }: ErrorResponse): boolean =>
  fieldsOf(body)['code'] === 'conversation_already_has_active_response';

const lost: Failure = createFailure('model_cut_off', 'The connection to the model was lost.', {
  maxRetries: Number.POSITIVE_INFINITY,
});
