// One response of the Realtime API, as a model call: reads its events, and stops it.
//
// 1. Its machine decides (machines/response.ts): in which phase what is sent, and when it is over.
// 2. Nothing that comes after an abort is passed on: neither text, nor sound, nor a call.
// 3. The model call ends when the response is over, or a moment after an abort; the response is waited for beyond that.
import { initialTransition, type SnapshotFrom, transition } from 'xstate';
import type { MessageCall } from '../../../../machines/messages.ts';
import { type ResponseEvent, responseMachine } from '../../../../machines/response.ts';
import { noUsage, unknownUsage } from '../../../../machines/vocabulary.ts';
import { fieldsOf } from '../../../core/collections/fields.ts';
import type { ModelEnd, ModelRequest, ModelStream } from '../../../core/contracts/provider.ts';
import { bytesPerSample, soundMs } from '../../../core/contracts/sound.ts';
import type { SpeechRoom } from '../../../core/contracts/speech-model.ts';
import type { Clock, Disarm } from '../../../core/sources/sources.ts';
import { classifyFailure, type Failure } from '../classify-failure.ts';
import { responseIdentity } from '../endpoint-ids.ts';
import { ErrorResponse } from '../error-response.ts';
import { OverLimit, responseLimits } from '../response-limits.ts';
import type { SpokenPart } from './provider-conversation.ts';
import type { ResponseBody as EndedResponse, RealtimeServerEvent } from './realtime-events.ts';
import { endOfResponse, type MadeCall, usageOfResponse } from './response-result.ts';

/** How long a model call waits for the end of its response after an abort, in milliseconds: the runtime waits 250. */
const unwindMs = 150;

/** Why a response is aborted. `stopped`: its node is cut. `cut`: its speech is, and its calls go on. */
export type AbortReason = 'stopped' | 'cut';

/** A response that has failed before anything of it came may be asked for again. */
export type ResponseResult = { readonly end: ModelEnd; readonly failure: Failure | null };

/** Is told of each response when it is made (null), and before each event of its chart: for tools that judge it. */
export type InspectResponse = (response: RealtimeResponse, event: ResponseEvent | null) => void;

export interface ResponseOptions {
  /** Names it in its metadata. */
  readonly key: string;
  readonly request: ModelRequest;
  readonly stream: ModelStream;
  /** Receives its sound; null: it has none. */
  readonly room: SpeechRoom | null;
  readonly clock: Clock;
  /** From an abort to the end of the response, in milliseconds. */
  readonly answerMs: number;
  /** From its request to its first event, and between two events, in milliseconds; 0: without a limit. */
  readonly firstByteMs: number;
  readonly idleMs: number;
  readonly inspect?: InspectResponse | undefined;
  sendCreate(response: RealtimeResponse): void;
  sendCancel(id: string): void;
  /** Ends the connection at once: the response could not be stopped, or says nothing. */
  terminate(response: RealtimeResponse): void;
}

export class RealtimeResponse {
  readonly #options: ResponseOptions;
  #snapshot: SnapshotFrom<typeof responseMachine> = initialTransition(responseMachine)[0];
  readonly #over = Promise.withResolvers<void>();
  readonly #result = Promise.withResolvers<ResponseResult>();
  #request: 'unsent' | 'sent' = 'unsent';
  /** Its id at the provider; null: not known. */
  #id: string | null = null;
  #abortedBy: AbortReason | null = null;
  readonly #parts = new Map<string, SpokenPart>();
  readonly #calls = new Map<string, MadeCall>();
  #chars = 0;
  #argumentsChars = 0;
  #disarmOverdue: Disarm = () => {};
  #disarmSilence: Disarm = () => {};
  #disarmUnwind: Disarm = () => {};

  constructor(options: ResponseOptions) {
    this.#options = options;
    options.inspect?.(this, null);
  }

  get id(): string | null {
    return this.#id;
  }

  get key(): string {
    return this.#options.key;
  }

  get abortedBy(): AbortReason | null {
    return this.#abortedBy;
  }

  /** The state of its chart. */
  get phase(): string {
    return this.#snapshot.value;
  }

  /** Whether the provider may still do something of it. */
  get isOver(): boolean {
    return this.#snapshot.status === 'done';
  }

  /** Whether it is spoken of this block. */
  isOf(turn: string, index: number): boolean {
    const { call } = this.#options.request;
    return call?.id === turn && call.index === index;
  }

  /** Resolves when the provider has ended it. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  /** Resolves with the end of the model call. */
  get result(): Promise<ResponseResult> {
    return this.#result.promise;
  }

  /** Asks for it: no other response is in the way. */
  send(): void {
    this.#dispatch({ type: 'SEND' });
  }

  abort(why: AbortReason): void {
    if (this.#abortedBy === 'stopped' || this.isOver) return;
    this.#abortedBy = why;
    for (const part of this.#parts.values()) part.isCancelled = true;
    this.#disarmSilence();
    this.#dispatch({ type: 'ABORT' });
    if (this.isOver || this.#id === null) return this.#resolve(this.#stoppedEnd()); // there is nothing to wait for
    this.#disarmUnwind();
    this.#disarmUnwind = this.#options.clock.after(unwindMs, () => this.#resolve(this.#stoppedEnd()));
  }

  /** The connection is gone. */
  lose(failure: Failure): void {
    this.#finish({ type: 'LOST' }, failure);
  }

  /** The provider has refused its request. */
  refuse(failure: Failure): void {
    this.#finish({ type: 'REFUSED' }, failure);
  }

  /** The provider has refused its cancel: it has ended, and its last event may have come. */
  refuseCancel(): void {
    this.#finish({ type: 'CANCEL_REFUSED' }, null);
  }

  /** The provider has named it. */
  noteCreated(id: string): void {
    this.#id = id;
    this.#options.stream.onResponse?.(responseIdentity({ id, model: this.#options.request.model }));
    this.#noteSign();
    this.#dispatch({ type: 'CREATED' });
  }

  /** Returns the message that an item of the response is. */
  partAt(item: string): SpokenPart {
    const { id: turn = '', index = 0 } = this.#options.request.call ?? {};
    const isCancelled = this.#abortedBy !== null;
    const part = this.#parts.get(item) ?? { turn, index, text: '', ms: 0, isCancelled, heard: null };
    this.#parts.set(item, part);
    return part;
  }

  /** Handles an event of the response. */
  onEvent(event: RealtimeServerEvent): void {
    if (event.type === 'response.done') return this.#onDone(event.response);
    if (this.#abortedBy !== null || this.isOver) return;
    this.#noteSign();
    try {
      this.#read(event);
    } catch (error) {
      this.#fail(classifyFailure(error, this.#options.clock));
    }
  }

  get #wholeCalls(): readonly MessageCall[] {
    return [...this.#calls.values()].filter(({ isWhole }) => isWhole).map(({ isWhole: _, ...call }) => call);
  }

  #read(event: RealtimeServerEvent): void {
    switch (event.type) {
      case 'response.output_item.added':
        return this.#addItem(event.item);
      case 'response.output_audio_transcript.delta':
      case 'response.output_text.delta':
        return this.#addText(event.item_id, event.delta);
      case 'response.output_audio.delta':
        return this.#addSound(event.item_id, event.delta);
      case 'response.function_call_arguments.delta':
        return this.#addArguments(event.item_id, event.delta);
      case 'response.output_item.done':
        return this.#endItem(event.item);
      default:
        return; // it has nothing of the response
    }
  }

  #addItem(item: { readonly id?: string; readonly type?: string }): void {
    const { id = '' } = item;
    if (item.type === 'message') this.partAt(id);
    if (item.type !== 'function_call') return;
    if (this.#calls.size >= responseLimits.maxCalls) throw new OverLimit('maxCalls');
    const { name, call_id: callId } = fieldsOf(item);
    this.#calls.set(id, { callId: String(callId ?? ''), name: String(name ?? ''), arguments: '', isWhole: false });
  }

  #addText(item: string, delta: string): void {
    this.#chars += delta.length;
    if (this.#chars > responseLimits.maxTextChars) throw new OverLimit('maxTextChars');
    this.partAt(item).text += delta;
    this.#options.stream.onText(delta);
  }

  #addSound(item: string, delta: string): void {
    const { room, request } = this.#options;
    const bytes = Buffer.from(delta, 'base64');
    const pcm = new Uint8Array(bytes.subarray(0, bytes.length - (bytes.length % bytesPerSample)));
    const part = this.partAt(item);
    part.ms += soundMs(pcm);
    const { call } = request;
    if (room && call) room.sound({ turn: call.id, index: call.index, pcm, written: this.#chars });
  }

  #addArguments(item: string, delta: string): void {
    const call = this.#calls.get(item);
    if (!call) return;
    this.#argumentsChars += delta.length;
    if (this.#argumentsChars > responseLimits.maxArgumentsChars) throw new OverLimit('maxArgumentsChars');
    call.arguments += delta;
    const position = [...this.#calls.keys()].indexOf(item);
    this.#options.stream.onCallInput?.({ position, name: call.name, text: delta });
  }

  #endItem(item: { readonly id?: string; readonly type?: string }): void {
    const call = item.type === 'function_call' ? this.#calls.get(item.id ?? '') : undefined;
    const { status, arguments: whole } = fieldsOf(item);
    if (!call || status === 'incomplete') return;
    call.isWhole = true;
    if (typeof whole === 'string') call.arguments = whole;
  }

  #onDone(response: EndedResponse): void {
    this.#disarmSilence();
    const usage = usageOfResponse(response);
    this.#dispatch({ type: 'DONE' });
    if (this.#abortedBy !== null) return this.#resolve({ ...this.#stoppedEnd(), usage });
    const { end, error } = endOfResponse(response, this.#wholeCalls, usage);
    if (error === null) return this.#resolve(end);
    const failure = classifyFailure(new ErrorResponse(null, undefined, error), this.#options.clock);
    this.#resolve({ kind: 'failed', ...failureOf(failure), usage }, failure);
  }

  /** All sound has come: the room may say where in the text each part of it is. */
  #endSound(): void {
    const { room, request } = this.#options;
    if (room && request.call) room.soundEnded({ turn: request.call.id, index: request.call.index, chars: this.#chars });
  }

  /** The provider says that the response has gone another way, or its connection is gone. */
  #finish(event: ResponseEvent, failure: Failure | null): void {
    this.#disarmSilence();
    this.#dispatch(event);
    if (!this.isOver) return;
    if (this.#abortedBy !== null || failure === null) return this.#resolve(this.#stoppedEnd());
    const usage = this.#request === 'unsent' ? noUsage : unknownUsage;
    this.#resolve({ kind: 'failed', ...failureOf(failure), usage }, failure);
  }

  /** Ends the model call with a failure, and stops the response. */
  #fail(failure: Failure): void {
    this.#resolve({ kind: 'failed', ...failureOf(failure), usage: unknownUsage }, failure);
    this.abort('stopped');
  }

  /** What is cut by speech completes: what it has said and called by then stands. */
  #stoppedEnd(): ModelEnd {
    const calls = this.#wholeCalls;
    const usage = this.#request === 'unsent' ? noUsage : unknownUsage;
    if (this.#abortedBy === 'cut')
      return { kind: 'completed', finish: calls.length > 0 ? 'tool_calls' : 'stop', calls, usage };
    return { kind: 'stopped', calls, usage };
  }

  #resolve(end: ModelEnd, failure: Failure | null = null): void {
    this.#disarmUnwind();
    if (this.#abortedBy !== 'stopped') this.#endSound();
    const isUntouched = this.#chars === 0 && this.#parts.size === 0 && this.#calls.size === 0;
    this.#result.resolve({ end, failure: isUntouched ? failure : null });
  }

  /** Something has come of it: its silence counts anew. */
  #noteSign(): void {
    const { clock, idleMs } = this.#options;
    this.#disarmSilence();
    if (idleMs > 0 && this.#abortedBy === null)
      this.#disarmSilence = clock.after(idleMs, () => this.#onSilence(idleMs));
  }

  #onSilence(ms: number): void {
    const message = `The endpoint has sent nothing of a response for ${ms} ms.`;
    this.#fail({ code: 'model_timed_out', message, maxRetries: 0, retryAfterMs: null });
  }

  #dispatch(event: ResponseEvent): void {
    this.#options.inspect?.(this, event);
    const [next, actions] = transition(responseMachine, this.#snapshot, event);
    this.#snapshot = next;
    for (const { type } of actions) this.#act(type);
    if (this.isOver) this.#over.resolve();
  }

  #act(action: string): void {
    const { clock, answerMs, firstByteMs } = this.#options;
    switch (action) {
      case 'sendCreate':
        this.#request = 'sent';
        this.#options.sendCreate(this);
        if (firstByteMs > 0) this.#disarmSilence = clock.after(firstByteMs, () => this.#onSilence(firstByteMs));
        return;
      case 'sendCancel':
        return this.#options.sendCancel(this.#id ?? '');
      case 'armOverdue':
        this.#disarmOverdue = clock.after(answerMs, () => {
          this.#dispatch({ type: 'OVERDUE' });
          this.#resolve(this.#stoppedEnd());
        });
        return;
      case 'disarmOverdue':
        return this.#disarmOverdue();
      case 'terminate':
        return this.#options.terminate(this);
    }
  }
}

const failureOf = ({ code, message }: Failure) => ({ code, message });
