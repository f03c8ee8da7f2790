// A call that a bridge or a program runs itself, from `openCall` until its result: stopped through `onStop`, settled by its opener.
import type { SettleCallFrame } from '../wire/client-frames.ts';
import type { ServerFrame, ServerFrameOf } from '../wire/server-frames.ts';
import { ignoreRejection } from './ignore-rejection.ts';

/** How a call has ended. */
export type CallEnd = Pick<SettleCallFrame, 'outcome' | 'output' | 'effect' | 'message'>;

/** Who stops a call and why, the milliseconds until it is abandoned if it is not settled, and whether every wait that is only polite is to end. */
export type CallStopNotice = Pick<ServerFrameOf<'stop_call'>, 'cause' | 'budgetMs' | 'force'>;

/** A call that was opened, for whoever runs it. */
export interface OpenedCallHandle {
  /** Its id. Rejects with `CommandRefused`, code `too_many_calls`, `timeout_out_of_range`, `as_not_allowed` or `access_denied`; with `NotSupported` at an older gateway. */
  readonly node: Promise<string>;
  /**
   * Resolves when it may run, with its input as a JSON text: a person has said yes, where that was needed, and interceptors may have changed it. Rejects if it ends
   * before, or was not opened.
   */
  readonly started: Promise<string>;
  /** Its result, as everybody in the session receives it. Rejects if it was not opened, or if the session ends first. */
  readonly ended: Promise<ServerFrameOf<'tool_result'>>;
  /** Publishes output: it is shown live, and is no part of the result. Without a connection it is dropped. */
  report(text: string): void;
  /** Ends it. Rejects with `CommandRefused`, code `call_settled`, if it has settled before. Without a connection it waits for one. */
  settle(end: CallEnd): Promise<void>;
}

export interface CallInFlightParts {
  readonly onStop: ((stop: CallStopNotice) => void) | undefined;
  report(node: string, text: string): void;
  settle(node: string, end: CallEnd): Promise<unknown>;
}

export class CallInFlight implements OpenedCallHandle {
  readonly #parts: CallInFlightParts;
  readonly #node = Promise.withResolvers<string>();
  readonly #started = Promise.withResolvers<string>();
  readonly #ended = Promise.withResolvers<ServerFrameOf<'tool_result'>>();
  #ref: string;
  #id: string | null = null;
  #input = '{}';
  #state: 'open' | 'over' = 'open';

  constructor(ref: string, parts: CallInFlightParts) {
    this.#ref = ref;
    this.#parts = parts;
    ignoreRejection(this.#node.promise, this.#started.promise, this.#ended.promise);
  }

  get node(): Promise<string> {
    return this.#node.promise;
  }

  get started(): Promise<string> {
    return this.#started.promise;
  }

  get ended(): Promise<ServerFrameOf<'tool_result'>> {
    return this.#ended.promise;
  }

  /** Whether it has its result, or was not opened. */
  get isOver(): boolean {
    return this.#state === 'over';
  }

  report(text: string): void {
    if (this.#id !== null && !this.isOver) this.#parts.report(this.#id, text);
  }

  async settle(end: CallEnd): Promise<void> {
    await this.#parts.settle(await this.node, end);
  }

  // -- called by the session

  renew(ref: string): void {
    this.#ref = ref;
  }

  /** Handles a frame that may be the reply to its OPEN_CALL. Returns whether it is. */
  receiveReply(frame: ServerFrame): boolean {
    if (frame.type !== 'turn_opened' || frame.ref !== this.#ref || frame.call === undefined) return false;
    this.#id = frame.call;
    this.#node.resolve(frame.call);
    return true;
  }

  receive(frame: ServerFrame): void {
    if (this.#id === null || !('node' in frame) || frame.node !== this.#id) return;
    if (frame.type === 'tool_call' || frame.type === 'tool_changed') this.#input = frame.arguments;
    if (frame.type === 'tool_started') this.#started.resolve(this.#input);
    if (frame.type === 'stop_call') this.#parts.onStop?.(frame);
    if (frame.type !== 'tool_result') return;
    this.#state = 'over';
    this.#started.reject(new Error(`The call ${frame.node} has ended: ${frame.outcome}.`));
    this.#ended.resolve(frame);
  }

  fail(error: Error): void {
    this.#state = 'over';
    this.#node.reject(error);
    this.#started.reject(error);
    this.#ended.reject(error);
  }
}
