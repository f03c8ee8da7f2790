// A session that a client has joined: it outlives its connections, and emits each thing that happens there once.
//
// 1. A fact is emitted once and in order, also if it arrives over several connections.
// 2. An acceptance is emitted once, though it may come before its commit and again after it. A reply that is no fact is emitted where it was waited for.
// 3. No command is sent before `joined` has come: the facts that it causes come after that frame.
import { Listeners } from '../core/collections/listeners.ts';
import { wireFeatures } from '../wire/frame-limits.ts';
import type { ServerFrame, ServerFrameOf, TextDelta } from '../wire/server-frames.ts';
import { type Answer, type AnswerOptions, answerContent } from './answer-options.ts';
import type { OpenedCallHandle } from './call-in-flight.ts';
import type { CancelHandle, CancelOptions } from './cancel-in-flight.ts';
import type { ClientSession, SessionState } from './client-session.ts';
import { platformSources } from './client-sources.ts';
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
} from './command-options.ts';
import { CommandQueue, type JoinState } from './command-queue.ts';
import { randomRef } from './command-ref.ts';
import { Deduplicator } from './deduplicator.ts';
import { CommandRefused, isTemporaryRefusal, type NotSupported, SessionEnded, TakenAsCancel } from './errors.ts';
import { ignoreRejection } from './ignore-rejection.ts';
import { InFlightRequests } from './in-flight-requests.ts';
import type { JoinedSessionOptions } from './joined-session-options.ts';
import { RoomSpeaker, type TranscriptReply } from './room-speaker.ts';
import type { Turn } from './turn-in-flight.ts';

export type { ClientSession, SessionState } from './client-session.ts';
export type { ResumeOptions, SayOptions } from './command-options.ts';

/** `leaving`: LEAVE was called for, under this ref. */
type State = { readonly kind: 'joined' | 'ended' } | { readonly kind: 'leaving'; readonly ref: string };

export class JoinedSession implements ClientSession {
  readonly id: string;
  readonly #options: JoinedSessionOptions;
  readonly #deduplicator: Deduplicator;
  readonly #queue: CommandQueue;
  /** The secret of an invite link; null: there is none, or it was used. */
  #invite: string | null;
  readonly #requests: InFlightRequests;
  readonly #listeners = new Listeners<ServerFrame>();
  readonly #stateListeners = new Listeners<SessionState>();
  readonly #joined = Promise.withResolvers<ServerFrameOf<'joined'>>();
  readonly #left = Promise.withResolvers<void>();
  #state: State = { kind: 'joined' };
  #joinRef = '';
  /** The number of failed attempts to join, in a row. */
  #failures = 0;

  constructor(options: JoinedSessionOptions) {
    const { id, from, whileDisconnected = 'reject', speaker = () => null, features = () => wireFeatures } = options;
    const { clock = platformSources.clock, send } = options;
    this.id = id;
    this.#options = options;
    this.#invite = options.invite ?? null;
    this.#deduplicator = new Deduplicator(id, from, () => features().includes('last_turns'));
    const refuse = (ref: string, error: NotSupported) => this.#requests.refuseUnsupported(ref, error);
    this.#queue = new CommandQueue({ send, features, refuse });
    this.#requests = new InFlightRequests({
      session: id,
      createRef: () => this.#newRef(),
      queue: this.#queue,
      send,
      whileDisconnected,
      speaker,
      clock,
      seq: () => this.#deduplicator.seq,
    });
    ignoreRejection(this.#joined.promise, this.#left.promise);
    if (options.isConnected ?? true) this.connect();
  }

  get joined(): Promise<ServerFrameOf<'joined'>> {
    return this.#joined.promise;
  }

  get state(): SessionState {
    return this.#state.kind === 'ended' ? 'ended' : this.#queue.joinState;
  }

  get seq(): number {
    return this.#deduplicator.seq;
  }

  get blocks(): readonly TextDelta[] {
    return this.#deduplicator.blocks;
  }

  say(text: string, options?: SayOptions): Turn {
    return this.#requests.say(text, options);
  }

  steer(text: string, options?: SteerOptions): Turn {
    return this.#requests.steer(text, options);
  }

  resume(turn: string, options?: ResumeOptions): Turn {
    return this.#requests.resume(turn, options);
  }

  cancel(target: string, options?: CancelOptions): CancelHandle {
    return this.#requests.cancel(target, options);
  }

  approve(call: string, options?: AnswerOptions): Promise<ServerFrameOf<'approval_closed'>> {
    return this.#requests.answer(call, { type: 'APPROVE' }, options) as Promise<ServerFrameOf<'approval_closed'>>; // its reply
  }

  deny(call: string, options?: AnswerOptions): Promise<ServerFrameOf<'approval_closed'>> {
    return this.#requests.answer(call, { type: 'DENY' }, options) as Promise<ServerFrameOf<'approval_closed'>>; // its reply
  }

  answer(call: string, answer: Answer, options?: AnswerOptions): Promise<ServerFrameOf<'question_closed'>> {
    return this.#requests.answer(call, answerContent(answer), options) as Promise<ServerFrameOf<'question_closed'>>; // its reply
  }

  invite(speaker: string, options?: NamedInviteOptions): Promise<ServerFrameOf<'member_invited'>> {
    return this.#requests.invite(speaker, options) as Promise<ServerFrameOf<'member_invited'>>; // its reply
  }

  inviteLink(options: InviteLinkOptions): Promise<ServerFrameOf<'invite_link'>> {
    return this.#requests.inviteLink(options) as Promise<ServerFrameOf<'invite_link'>>; // its reply
  }

  revoke(invite: string, options?: InviteOptions): Promise<ServerFrameOf<'invite_revoked'>> {
    return this.#requests.revoke(invite, options) as Promise<ServerFrameOf<'invite_revoked'>>; // its reply
  }

  remove(speaker: string, options?: InviteOptions): Promise<ServerFrameOf<'member_removed'>> {
    return this.#requests.remove(speaker, options) as Promise<ServerFrameOf<'member_removed'>>; // its reply
  }

  delegate(speaker: string, options?: DelegateOptions): Promise<ServerFrameOf<'stop_delegated'>> {
    return this.#requests.delegate(speaker, options) as Promise<ServerFrameOf<'stop_delegated'>>; // its reply
  }

  setToolTimeout(tool: string, ms: number | null, options?: InviteOptions): Promise<ServerFrameOf<'tool_timeout_set'>> {
    return this.#requests.setToolTimeout(tool, ms, options) as Promise<ServerFrameOf<'tool_timeout_set'>>; // its reply
  }

  rename(title: string | null, options?: InviteOptions): Promise<ServerFrameOf<'session_renamed'>> {
    return this.#requests.rename(title, options) as Promise<ServerFrameOf<'session_renamed'>>; // its reply
  }

  setSpeaker(speaker: string, present: boolean, options?: RoomOptions): Promise<ServerFrameOf<'speaker'>> {
    return this.#requests.setSpeaker(speaker, present, options) as Promise<ServerFrameOf<'speaker'>>; // its reply
  }

  transcript(text: string, options: TranscriptOptions): Promise<TranscriptReply> {
    return this.#requests.transcript(text, options) as Promise<TranscriptReply>; // those to a TRANSCRIPT
  }

  bargeIn(options: BargeInOptions = {}): Promise<ServerFrameOf<'barge_in'>> {
    return this.#requests.bargeIn(options) as Promise<ServerFrameOf<'barge_in'>>; // its reply
  }

  played(text: PlayedText): Promise<ServerFrameOf<'played' | 'unknown_target'>> {
    return this.#requests.played(text) as Promise<ServerFrameOf<'played' | 'unknown_target'>>; // its replies
  }

  openCall(name: string, options?: OpenCallOptions): OpenedCallHandle {
    return this.#requests.openCall(name, options);
  }

  speaks(speaker: string): RoomSpeaker {
    return new RoomSpeaker(this, speaker);
  }

  read(what?: ReadOptions): Promise<ServerFrameOf<'read'>> {
    return this.#requests.read(what) as Promise<ServerFrameOf<'read'>>; // its reply
  }

  fork(turn: string, options?: ForkOptions): Promise<ServerFrameOf<'forked'>> {
    return this.#requests.fork(turn, options) as Promise<ServerFrameOf<'forked'>>; // its reply
  }

  on(type: string, listener: (event: never) => void): () => void {
    return type === 'state' ? this.#stateListeners.on(type, listener) : this.#listeners.on(type, listener);
  }

  leave(): Promise<void> {
    if (this.#state.kind !== 'joined') return this.#left.promise;
    const ref = this.#newRef();
    this.#state = { kind: 'leaving', ref };
    if (this.#queue.joinState === 'away') this.#finishLeaving();
    else this.#options.send({ type: 'LEAVE', ref, session: this.id });
    return this.#left.promise;
  }

  // -- called by the client that made it

  /** There is a connection: joins over it. */
  connect(): void {
    if (this.#state.kind === 'ended') return;
    this.#joinRef = this.#newRef();
    const invite = this.#invite === null ? {} : { invite: this.#invite };
    this.#options.send({
      type: 'JOIN',
      ref: this.#joinRef,
      session: this.id,
      ...invite,
      ...this.#deduplicator.nextReplay(),
    });
    this.#enter('joining');
  }

  /** The connection is gone. Requests in flight go on waiting. */
  disconnect(): void {
    this.#enter('away');
    if (this.#state.kind === 'leaving') this.#finishLeaving(); // the session was left with its connection
  }

  /** Ends the session: what is waited for rejects with the error. */
  fail(error: Error): void {
    if (this.#state.kind === 'ended') return;
    this.#state = { kind: 'ended' };
    this.#joined.reject(error);
    this.#left.reject(error);
    this.#requests.failAll(error);
    this.#stateListeners.emit('state', 'ended');
  }

  receive(frame: ServerFrame): void {
    if (this.#state.kind === 'ended') return;
    const isAwaited = this.#requests.receiveReply(frame);
    switch (frame.type) {
      case 'joined':
        return this.#receiveJoined(frame);
      case 'replayed':
        return this.#receiveReplayed(frame);
      case 'left':
        return this.#receiveLeft(frame);
      case 'error':
      case 'say_refused':
      case 'answer_refused':
        return this.#receiveRefusal(frame);
      case 'stop_phrase':
        return isAwaited ? this.#emit([frame]) : this.#receiveStopPhrase(frame);
      case 'already_settled':
      case 'unknown_target':
        return isAwaited ? this.#emit([frame]) : undefined;
      default:
        return this.#emit(this.#deduplicator.handleOther(frame));
    }
  }

  // -- joining

  #enter(next: JoinState): void {
    const before = this.state;
    this.#queue.setJoinState(next);
    if (this.state !== before) this.#stateListeners.emit('state', this.state);
  }

  /** A ref that no command of the session has which waits for its reply: a refusal is of one command. */
  #newRef(): string {
    const ref = this.#options.createRef();
    return ref === this.#joinRef || this.#requests.has(ref) ? randomRef() : ref;
  }

  #emit(frames: readonly ServerFrame[]): void {
    for (const frame of frames) {
      this.#requests.receiveEvent(frame);
      this.#listeners.emit(frame.type, frame);
    }
  }

  #receiveJoined(frame: ServerFrameOf<'joined'>): void {
    if (frame.ref !== this.#joinRef || this.#deduplicator.isAnswered(this.#joinRef)) return;
    this.#failures = 0;
    this.#invite = null;
    if (this.#deduplicator.isOtherLog(frame)) {
      this.#requests.failSent(new SessionEnded('other_log'));
      this.#deduplicator.forgetLog();
      this.#options.send({ type: 'LEAVE', ref: this.#newRef(), session: this.id });
      return this.connect();
    }
    this.#emit(this.#deduplicator.handleJoined(frame));
    this.#joined.resolve(frame);
    if (!this.#queue.hasLost) this.#enter('joined');
  }

  #receiveReplayed(frame: ServerFrameOf<'replayed'>): void {
    if (frame.ref !== this.#joinRef || !this.#deduplicator.isReplaying) return;
    this.#emit(this.#deduplicator.handleReplayed(frame));
    this.#enter('joined');
  }

  /** The session could not be joined, or has ended. */
  #retryJoin(error: Error, { isTemporary }: { readonly isTemporary: boolean }): void {
    const { rejoinLater, onEnd } = this.#options;
    if (!rejoinLater || !this.#deduplicator.hasEverJoined || !isTemporary) {
      this.fail(error);
      return onEnd();
    }
    this.#failures += 1;
    this.#enter('away');
    const failed = this.#joinRef;
    rejoinLater(this.#failures, () => {
      if (this.#joinRef === failed && this.#queue.joinState === 'away') this.connect();
    });
  }

  #receiveRefusal(frame: ServerFrameOf<'error' | 'say_refused' | 'answer_refused'>): void {
    const { ref, code } = frame;
    const error = new CommandRefused(frame);
    if (ref === undefined) return this.#emit([frame]);
    if (this.#state.kind === 'leaving' && ref === this.#state.ref) return this.#finishLeaving(); // the session had been left before
    if (ref !== this.#joinRef) {
      if (this.#requests.rejectRequest(ref, error)) this.#emit([frame]);
      return;
    }
    // the JOIN arrived twice: the first copy has the reply
    if (code === 'already_joined' || this.#deduplicator.isAnswered(ref)) return;
    this.#emit([frame]);
    this.#retryJoin(error, { isTemporary: isTemporaryRefusal(code) });
  }

  #receiveStopPhrase(frame: ServerFrameOf<'stop_phrase'>): void {
    const { ref, cancel } = frame;
    if (ref === undefined || this.#requests.rejectRequest(ref, new TakenAsCancel(cancel))) this.#emit([frame]);
  }

  // -- leaving

  #finishLeaving(reason: 'left' | 'removed' | 'deleted' = 'left'): void {
    this.#left.resolve();
    this.fail(new SessionEnded(reason));
    this.#options.onEnd();
  }

  #receiveLeft(frame: ServerFrameOf<'left'>): void {
    const state = this.#state;
    if (frame.ref !== undefined) {
      if (state.kind !== 'leaving' || frame.ref !== state.ref) return;
      this.#emit([frame]);
      return this.#finishLeaving();
    }
    if (state.kind === 'leaving') return this.#finishLeaving();
    if (this.#queue.joinState === 'away') return;
    this.#emit([frame]);
    if (frame.reason === 'removed' || frame.reason === 'deleted') return this.#finishLeaving(frame.reason);
    this.#retryJoin(new SessionEnded(frame.reason ?? 'left'), { isTemporary: true });
  }
}
