// The requests of a session that are in flight: turns, cancels and answers, each until nothing more can come for it.
import { readTarget } from '../core/receipt/cancel-target.ts';
import type { SayFrame, SessionFrame } from '../wire/client-frames.ts';
import { maxReasonChars, maxSays } from '../wire/frame-limits.ts';
import type { ServerFrame } from '../wire/server-frames.ts';
import type { AnswerContent, AnswerOptions } from './answer-options.ts';
import { CallInFlight } from './call-in-flight.ts';
import { ClientCancel } from './cancel-command.ts';
import { type CancelHandle, CancelInFlight, type CancelOptions } from './cancel-in-flight.ts';
import type {
  BargeInOptions,
  DelegateOptions,
  ForkOptions,
  InviteLinkOptions,
  InviteOptions,
  NamedInviteOptions,
  OpenCallOptions,
  PlayedText,
  ReadOptions,
  ResumeOptions,
  RoomOptions,
  SayOptions,
  SteerOptions,
  TranscriptOptions,
  TurnHandling,
} from './command-options.ts';
import type { ClientCommand, CommandQueue } from './command-queue.ts';
import { type CreateRef, randomRef } from './command-ref.ts';
import { CommandRefused, NotConnected, type NotSupported } from './errors.ts';
import { FactInFlight, type FactReply } from './fact-in-flight.ts';
import { FrameCommand, type FrameWithRef } from './frame-command.ts';
import { isOwnReply } from './own-replies.ts';
import { type Turn, TurnInFlight, type TurnInFlightParts } from './turn-in-flight.ts';

export interface RequestOptions {
  readonly session: string;
  readonly createRef: CreateRef;
  readonly queue: CommandQueue;
  readonly whileDisconnected: 'reject' | 'wait';
  readonly clock: TurnInFlightParts['clock'];
  /** Sends a frame at once, to which there is no reply. */
  send(frame: SessionFrame): void;
  /** The sequence number of the last fact; 0: none was received. */
  seq(): number;
  /** The speaker of the connection; null: not known yet. */
  speaker(): string | null;
}

interface InFlight {
  renew(ref: string): void;
  fail(error: Error): void;
}

/** Commands that may wait for a connection. */
const maxUnsent = 64;

export class InFlightRequests {
  readonly #options: RequestOptions;
  readonly #queue: CommandQueue;
  readonly #turns = new Map<string, TurnInFlight>();
  readonly #cancels = new Map<string, CancelInFlight>();
  /** Commands whose reply is a fact: answers and invitations. */
  readonly #facts = new Map<string, FactInFlight>();
  readonly #calls = new Map<string, CallInFlight>();
  readonly #all: readonly Map<string, InFlight>[] = [this.#turns, this.#cancels, this.#facts, this.#calls];
  /** The latest SAY, STEER, RESUME or TRANSCRIPT that was queued. */
  #lastWords: ClientCommand | null = null;
  /** Why every request fails; null: the session lives. */
  #ended: Error | null = null;

  constructor(options: RequestOptions) {
    this.#options = options;
    this.#queue = options.queue;
  }

  say(text: string, options: SayOptions = {}): Turn {
    return this.#openTurn((about) => ({ type: 'SAY', ...about, ...this.#said(text, options) }), options);
  }

  steer(text: string, options: SteerOptions = {}): Turn {
    const { target } = options;
    return this.#openTurn((about) => ({ type: 'STEER', ...about, ...this.#said(text, options), target }), options);
  }

  resume(turn: string, options: ResumeOptions = {}): Turn {
    const { text, as } = options;
    return this.#openTurn((about) => ({ type: 'RESUME', ...about, turn, text, as }), options);
  }

  /** The fields of a SAY, with what is known of the session at this moment: before anything of it was received, nothing is. */
  #said(
    text: string,
    { as, parts, model, addressed, replyToBot }: SayOptions,
  ): Omit<SayFrame, 'type' | 'ref' | 'session'> {
    const seen = this.#options.seq() || undefined;
    return { text, parts, options: model, addressed, replyToBot, seen, as };
  }

  #openTurn(
    frameOf: (about: { readonly ref: string; readonly session: string }) => FrameWithRef,
    { signal, cancelOnBreak = false, whileDisconnected }: TurnHandling,
  ): Turn {
    const { createRef, session, clock } = this.#options;
    const ref = createRef();
    const turn = new TurnInFlight({
      ref,
      cancelOnBreak,
      clock,
      cancel: (target, wish) => {
        const { reach, say } = readTarget(target());
        const isOfSay = say !== null && reach === 'node';
        return isOfSay ? this.#cancelSay(turn.ref, target, wish) : this.#cancel(target, wish);
      },
    });
    if (signal?.aborted) {
      turn.fail(errorOf(signal.reason));
      return turn;
    }
    this.#turns.set(ref, turn);
    const frame = frameOf({ ref, session });
    this.#enqueue(new FrameCommand(frame), whileDisconnected);
    if (signal) cancelOnAbort(signal, turn);
    return turn;
  }

  cancel(target: string, options?: CancelOptions): CancelHandle {
    return this.#cancel(() => target, options);
  }

  answer(call: string, content: AnswerContent, options: AnswerOptions = {}): Promise<FactReply> {
    const { as, question, whileDisconnected } = options;
    const about = { session: this.#options.session, target: call, question, as };
    return this.#awaitFact((ref) => ({ ...content, ref, ...about }), whileDisconnected);
  }

  invite(speaker: string, { whileDisconnected, role }: NamedInviteOptions = {}): Promise<FactReply> {
    const about = { session: this.#options.session, speaker, ...(role && { role }) };
    return this.#awaitFact((ref) => ({ type: 'INVITE', ref, ...about }), whileDisconnected);
  }

  inviteLink({ whileDisconnected, ...link }: InviteLinkOptions): Promise<FactReply> {
    const { session } = this.#options;
    return this.#awaitFact((ref) => ({ type: 'INVITE_LINK', ref, session, ...link }), whileDisconnected);
  }

  revoke(invite: string, { whileDisconnected }: InviteOptions = {}): Promise<FactReply> {
    const { session } = this.#options;
    return this.#awaitFact((ref) => ({ type: 'REVOKE', ref, session, invite }), whileDisconnected);
  }

  remove(speaker: string, { whileDisconnected }: InviteOptions = {}): Promise<FactReply> {
    const { session } = this.#options;
    return this.#awaitFact((ref) => ({ type: 'REMOVE', ref, session, speaker }), whileDisconnected);
  }

  delegate(speaker: string, { whileDisconnected, ...what }: DelegateOptions = {}): Promise<FactReply> {
    const { session } = this.#options;
    return this.#awaitFact((ref) => ({ type: 'DELEGATE', ref, session, speaker, ...what }), whileDisconnected);
  }

  async setToolTimeout(tool: string, ms: number | null, { whileDisconnected }: InviteOptions = {}): Promise<FactReply> {
    const { session } = this.#options;
    // JSON makes null of what is no number, and null is another command
    if (ms !== null && !Number.isInteger(ms)) throw new RangeError(`The timeout is ${ms}. Give whole milliseconds.`);
    return this.#awaitFact((ref) => ({ type: 'SET_TIMEOUT', ref, session, tool, ms }), whileDisconnected);
  }

  rename(title: string | null, { whileDisconnected }: InviteOptions = {}): Promise<FactReply> {
    const { session } = this.#options;
    return this.#awaitFact((ref) => ({ type: 'RENAME', ref, session, title }), whileDisconnected);
  }

  setSpeaker(as: string, present: boolean, { whileDisconnected, roles }: RoomOptions = {}): Promise<FactReply> {
    const about = { session: this.#options.session, as, present, ...(roles && { roles: [...roles] }) };
    return this.#awaitFact((ref) => ({ type: 'SPEAKER', ref, ...about }), whileDisconnected);
  }

  transcript(text: string, { whileDisconnected, ...said }: TranscriptOptions): Promise<FactReply> {
    const { session } = this.#options;
    return this.#awaitFact((ref) => ({ type: 'TRANSCRIPT', ref, session, text, ...said }), whileDisconnected);
  }

  bargeIn({ whileDisconnected, ...who }: BargeInOptions = {}): Promise<FactReply> {
    const { session } = this.#options;
    return this.#awaitFact((ref) => ({ type: 'BARGE_IN', ref, session, ...who }), whileDisconnected);
  }

  played(text: PlayedText): Promise<FactReply> {
    const { session } = this.#options;
    return this.#awaitFact((ref) => ({ type: 'PLAYED', ref, session, ...text }), undefined);
  }

  openCall(name: string, { whileDisconnected, onStop, input, ...options }: OpenCallOptions = {}): CallInFlight {
    const { createRef, session, send } = this.#options;
    const ref = createRef();
    const call = new CallInFlight(ref, {
      onStop,
      report: (node, text) => this.#queue.joinState === 'joined' && send({ type: 'REPORT_CALL', session, node, text }),
      settle: (node, end) =>
        this.#awaitFact((own) => ({ type: 'SETTLE_CALL', ref: own, session, node, ...end }), 'wait'),
    });
    this.#calls.set(ref, call);
    const frame = { type: 'OPEN_CALL', ref, session, name, input: input && { ...input }, ...options } as const;
    this.#enqueue(new FrameCommand(frame), whileDisconnected);
    return call;
  }

  read(what: ReadOptions = {}): Promise<FactReply> {
    const { session } = this.#options;
    return this.#awaitFact((ref) => ({ type: 'READ', ref, session, ...what }), undefined);
  }

  fork(turn: string, { whileDisconnected, to }: ForkOptions = {}): Promise<FactReply> {
    const { session } = this.#options;
    return this.#awaitFact((ref) => ({ type: 'FORK', ref, session, turn, to }), whileDisconnected);
  }

  /** Hands a frame to the commands in flight whose reply it may be. True: it is one, or the end of a cancel. */
  receiveReply(frame: ServerFrame): boolean {
    if (!isOwnReply(frame, this.#options.speaker())) return false;
    let isAwaited = false;
    for (const [ref, cancel] of this.#cancels) {
      const progress = cancel.receive(frame);
      if (progress === 'unrelated') continue;
      isAwaited = true;
      if (progress !== 'accepted') this.#queue.remove(ref);
      if (progress === 'over') this.#cancels.delete(ref);
    }
    for (const [ref, call] of this.#calls) {
      if (!call.receiveReply(frame)) continue;
      isAwaited = true;
      this.#queue.remove(ref);
    }
    for (const [ref, command] of this.#facts) {
      if (!command.receive(frame)) continue;
      isAwaited = true;
      this.#queue.remove(ref);
      this.#facts.delete(ref);
    }
    return isAwaited;
  }

  /** Hands a deduplicated frame to the turns. */
  receiveEvent(frame: ServerFrame): void {
    const isOwn = isOwnReply(frame, this.#options.speaker());
    for (const [ref, turn] of this.#turns) {
      turn.receive(frame, isOwn);
      if (turn.isTaken) this.#queue.remove(ref);
      if (turn.isOver) this.#turns.delete(ref);
    }
    for (const [ref, call] of this.#calls) {
      call.receive(frame);
      if (call.isOver) this.#calls.delete(ref);
    }
  }

  /**
   * Fails a request that the server has refused. One whose ref had been used for another command is sent again instead, once; but not words that
   * were cancelled since: they would start after their stop. Nor words that others followed: they would overtake those, or start after a stop
   * phrase among them. False: none of that ref fails.
   */
  rejectRequest(ref: string, error: Error): boolean {
    const command = this.#queue.remove(ref);
    const isReused = command && error instanceof CommandRefused && error.code === 'ref_reused';
    const isFollowed = command?.isWords && command !== this.#lastWords;
    const again = isReused && !command.isStopped && !isFollowed ? command.renewed(randomRef()) : null; // `createRef` may make a used one
    if (again) {
      this.#sendAgain(ref, again);
      return false;
    }
    this.#fail(ref, isReused && command.isStopped ? cancelledBefore('it started') : error);
    return command !== null;
  }

  /** Fails a request whose command the gateway does not know. */
  refuseUnsupported(ref: string, error: NotSupported): void {
    this.#fail(ref, error);
  }

  /** Whether a request with this ref is in flight. */
  has(ref: string): boolean {
    return this.#all.some((requests) => requests.has(ref));
  }

  #sendAgain(ref: string, again: ClientCommand): void {
    for (const requests of this.#all) {
      const request = requests.get(ref);
      if (!request) continue;
      requests.delete(ref);
      request.renew(again.ref);
      requests.set(again.ref, request);
    }
    this.#enqueue(again, 'wait');
  }

  /** Fails all requests that were sent. */
  failSent(error: Error): void {
    for (const ref of this.#refs()) if (this.#queue.stateOf(ref) !== 'unsent') this.#fail(ref, error);
  }

  /** Fails all requests, and every later one. */
  failAll(error: Error): void {
    this.#ended ??= error;
    for (const ref of this.#refs()) this.#fail(ref, error);
  }

  /** SAYs and RESUMEs that have no turn yet: the latest, as many as a frame may name. */
  #unansweredSays(): readonly string[] {
    const unanswered = [...this.#turns].filter(([, turn]) => !turn.isTaken);
    return unanswered.map(([ref]) => ref).slice(-maxSays);
  }

  #refs(): readonly string[] {
    return this.#all.flatMap((requests) => [...requests.keys()]);
  }

  #fail(ref: string, error: Error): void {
    this.#queue.remove(ref);
    for (const requests of this.#all) {
      const request = requests.get(ref);
      requests.delete(ref);
      request?.fail(error);
    }
  }

  /** Queues a command whose request is registered already, so that its reply finds it. `beforeAdd` is not called if the command fails instead. */
  #enqueue(command: ClientCommand, whileDisconnected = this.#options.whileDisconnected, beforeAdd?: () => void): void {
    const { ref } = command;
    if (this.#ended) return this.#fail(ref, this.#ended);
    if (this.#queue.joinState === 'away') {
      if (whileDisconnected === 'reject') return this.#fail(ref, new NotConnected());
      if (this.#queue.unsent >= maxUnsent) return this.#fail(ref, tooManyUnsent());
    }
    beforeAdd?.();
    if (command.isWords) this.#lastWords = command;
    this.#queue.add(command);
  }

  #awaitFact(
    frameOf: (ref: string) => FrameWithRef,
    whileDisconnected: InviteOptions['whileDisconnected'],
  ): Promise<FactReply> {
    const ref = this.#options.createRef();
    const command = new FactInFlight(ref);
    this.#facts.set(ref, command);
    const frame = frameOf(ref);
    this.#enqueue(new FrameCommand(frame), whileDisconnected);
    return command.reply;
  }

  #cancel(target: () => string, options: CancelOptions = {}): CancelHandle {
    const { createRef, session } = this.#options;
    const { reason, force, as, whileDisconnected = 'wait' } = options;
    const ref = createRef();
    const cancel = new CancelInFlight(ref);
    this.#cancels.set(ref, cancel);
    const command = new ClientCancel({
      ref,
      session,
      reason,
      force,
      as,
      target,
      knowledge: () => ({ seen: this.#options.seq(), says: this.#unansweredSays() }),
      isWaiting: this.#queue.joinState === 'away' && this.#options.seq() > 0,
    });
    this.#enqueue(command, whileDisconnected, () => this.#queue.noteCancel(target(), as));
    return cancel;
  }

  /** Cancels a SAY that has no turn yet. One that waits for a connection is withdrawn instead. */
  #cancelSay(said: string, target: () => string, options: CancelOptions): CancelHandle {
    if (this.#queue.joinState !== 'away' || this.#queue.stateOf(said) !== 'unsent')
      return this.#cancel(target, options);
    const { createRef, session } = this.#options;
    const cancel = new CancelInFlight(createRef());
    cancel.receive({ type: 'unknown_target', ref: cancel.ref, session, target: target() });
    this.#fail(said, cancelledBefore('it was sent'));
    return cancel;
  }
}

const cancelledBefore = (event: 'it was sent' | 'it started'): CommandRefused =>
  new CommandRefused({ code: 'cancelled_before_start', message: `It was cancelled before ${event}.` });

function tooManyUnsent(): CommandRefused {
  const message = `Too many commands wait for a connection: ${maxUnsent} of ${maxUnsent}. Wait until there is one.`;
  return new CommandRefused({ code: 'too_many_unanswered', message, limit: maxUnsent });
}

function cancelOnAbort(signal: AbortSignal, turn: Turn): void {
  const cancel = () => void turn.cancel({ reason: errorOf(signal.reason).message.slice(0, maxReasonChars) });
  const stopListening = () => signal.removeEventListener('abort', cancel);
  signal.addEventListener('abort', cancel);
  turn.ended.then(stopListening, stopListening);
}

const errorOf = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)));
