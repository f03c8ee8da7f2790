// A session that one connection has joined, from JOIN to LEAVE: passes commands to the runtime, and sends the runtime's events.
//
// 1. Commands wait until the session is joined, and are passed on in the order in which they were received.
// 2. After it is over, no event of the session is sent.
// 3. For each call of the runtime's `join`, its `leave` is called, unless `join` has failed or the session has ended.
import type { CancelAccepted, SequencedFact } from '../../machines/facts.ts';
import type {
  ModelPreview,
  OutputDelta,
  SpeechChange,
  TextDelta,
  ToolProgress,
  ToolWaiting,
} from '../../machines/live-view.ts';
import type { LeaveReason } from '../../machines/vocabulary.ts';
import type {
  Caller,
  CallStop,
  Joined,
  JoinedSessionEnd,
  PresenceChange,
  ReplayFrom,
  SessionEnd,
  SessionListener,
} from '../core/session/api.ts';
import type { CommandFrame, JoinFrame, LeaveFrame, SessionFrame } from '../wire/client-frames.ts';
import { encodeFrame } from '../wire/codec.ts';
import { problem } from '../wire/errors.ts';
import type { ServerFrame } from '../wire/server-frames.ts';
import { performCancel } from './cancel-frames.ts';
import type { CommandContext, CommandReply } from './command-context.ts';
import { endError, enterByInvite, joinedFrame, problemOf } from './command-replies.ts';
import { acceptedFrame, encodeFact, outputFrame, previewFrame, textFrame, waitingFrame } from './event-frames.ts';
import type { JoinedSessionServices } from './joined-session-services.ts';
import { performSay } from './say-frames.ts';
import { performSessionCommand } from './session-commands.ts';

/** Keeps the sessions that a connection has joined. */
export interface JoinedSessionOwner {
  /** Called when the session has ended, with the reason, or could not be joined or the speaker was removed (null). Not called after LEAVE. */
  onSessionOver(session: JoinedSession, reason: SessionEnd | null): void;
}

/**
 * `opening`: until the runtime's `join` is called; `joining`: until the runtime calls `joined`; `joined`: events are sent and commands are
 * passed on; `over`: left, ended, or never joined.
 */
type State =
  | { readonly kind: 'opening' | 'joining'; readonly attempt: JoinAttempt }
  | { readonly kind: 'joined' | 'over'; readonly attempt: null };

interface JoinAttempt {
  /** Resolves with true when the session is joined, with false when it cannot be. */
  readonly ready: PromiseWithResolvers<boolean>;
  /** Resolves when the runtime's `open` and `join` have returned. */
  readonly returned: Promise<void>;
}

/** A speaker in a session, over one connection. None of its promises rejects. */
export class JoinedSession implements SessionListener {
  readonly session: string;
  readonly #services: JoinedSessionServices;
  readonly #owner: JoinedSessionOwner;
  /** The `ref` of the JOIN. */
  readonly #ref: string;
  #state: State;

  /** Starts to join. `previous`: resolves when the same session, which the connection had joined before, is over. */
  constructor(
    services: JoinedSessionServices,
    join: JoinFrame,
    previous: Promise<void> | null,
    owner: JoinedSessionOwner,
  ) {
    this.#services = services;
    this.#owner = owner;
    this.session = join.session;
    this.#ref = join.ref;
    const from = join.last === undefined ? (join.after ?? null) : { last: join.last };
    const returned = this.#openAndJoin(previous, from, join.invite).catch((error) => this.#fail(error));
    this.#state = { kind: 'opening', attempt: { ready: Promise.withResolvers(), returned } };
  }

  /** Resolves when the reply to JOIN was sent. */
  async waitForReply(): Promise<void> {
    const { attempt } = this.#state;
    if (attempt) await Promise.race([attempt.returned, attempt.ready.promise]);
  }

  /** Passes a command on as soon as the session is joined. Resolves when its reply was sent: an error, if the runtime rejects. */
  async perform(frame: SessionFrame): Promise<void> {
    // waits for a microtask even if the session is joined: a command must not overtake earlier ones that have just stopped waiting
    await this.#state.attempt?.ready.promise;
    const { runtime, errors, report } = this.#services;
    const about = { ref: frame.ref, session: this.session };
    if (this.#state.kind !== 'joined') return errors.sendError(problem('not_joined'), about);
    try {
      if (frame.type === 'LEAVE') return this.#leaveOnRequest(frame);
      const caller = callerOfCommand(this.#services, 'as' in frame ? frame.as : undefined);
      const reply = await this.#execute(frame, { runtime, session: this.session, caller });
      if (reply && 'problem' in reply) errors.sendError(reply.problem, about);
      else if (reply) {
        this.#send(reply.frame);
        reply.next?.then((next) => this.#state.kind === 'joined' && next && this.#send(next), report);
      }
    } catch (error) {
      if (this.#isOver) return; // `left` was sent: it stands for the replies that are missing
      errors.sendError(problemOf(error, `The session ${this.session} could not execute ${frame.type}`), about);
    }
  }

  /** Leaves without a reply, because the connection is lost or closed. Rejects when the runtime's `leave` does. */
  async abandon(how: LeaveReason): Promise<void> {
    const { kind, attempt } = this.#state;
    if (kind === 'over') return;
    this.#enter('over');
    // `leave` must come after `join` has returned. Once joined, one microtask is enough: the runtime may be calling this listener now
    await attempt?.returned;
    if (kind !== 'opening') await this.#services.runtime.leave(this.session, this.#services.connection, how);
  }

  // -- the listener

  joined(joined: Joined): void {
    if (this.#state.kind !== 'joining') return;
    this.#enter('joined');
    this.#send(joinedFrame(this.#ref, joined));
  }

  replayed(): void {
    if (this.#state.kind === 'joined') this.#send({ type: 'replayed', ref: this.#ref, session: this.session });
  }

  waitForRoom(): Promise<void> | null {
    return this.#state.kind === 'joined' ? this.#services.outbox.waitForRoom() : null;
  }

  fact(event: SequencedFact): void {
    if (this.#state.kind !== 'joined') return;
    const { fact } = event;
    if (fact.type === 'model_ended') this.#services.outbox.dropBlock(this.session, fact.turn, fact.index);
    if (fact.type === 'cancel_accepted') this.#services.outbox.dropTurns(this.session, fact.stopping);
    const text = encodeFact(this.session, event);
    // who has sent a CANCEL waits for these
    const isReceipt = fact.type === 'cancel_accepted' || fact.type === 'cancel_settled';
    if (text !== null) this.#services.outbox.frame(text, isReceipt ? 'now' : 'soon');
  }

  accepted(receipt: CancelAccepted): void {
    if (this.#state.kind !== 'joined') return;
    this.#services.outbox.dropTurns(this.session, receipt.stopping);
    this.#send(acceptedFrame(this.session, receipt));
  }

  text(delta: TextDelta): void {
    if (this.#state.kind === 'joined') this.#services.outbox.text(textFrame(this.session, delta));
  }

  preview(preview: ModelPreview): void {
    if (this.#state.kind === 'joined') this.#services.outbox.preview(previewFrame(this.session, preview));
  }

  output(delta: OutputDelta): void {
    if (this.#state.kind === 'joined') this.#services.outbox.output(outputFrame(this.session, delta));
  }

  progress(progress: ToolProgress): void {
    if (this.#state.kind === 'joined') this.#send({ type: 'tool_progress', session: this.session, ...progress });
  }

  presence(change: PresenceChange): void {
    if (this.#state.kind === 'joined') this.#send({ type: 'presence', session: this.session, ...change });
  }

  waiting(waiting: ToolWaiting): void {
    if (this.#state.kind === 'joined') this.#send(waitingFrame(this.session, waiting));
  }

  speech(change: SpeechChange): void {
    if (this.#state.kind === 'joined') this.#send({ session: this.session, ...change });
  }

  stopCall(stop: CallStop): void {
    if (this.#state.kind === 'joined') this.#send({ type: 'stop_call', session: this.session, ...stop });
  }

  ended(reason: JoinedSessionEnd): void {
    if (this.#state.kind === 'over') return;
    if (this.#state.kind !== 'joined') return this.#fail(endError(reason));
    this.#enter('over');
    this.#services.outbox.dropSession(this.session);
    this.#send({ type: 'left', session: this.session, reason });
    this.#owner.onSessionOver(this, reason === 'removed' || reason === 'deleted' ? null : reason);
  }

  // -- joining

  async #openAndJoin(previous: Promise<void> | null, from: ReplayFrom, invite: string | undefined): Promise<void> {
    const { runtime } = this.#services;
    const caller = callerOfCommand(this.#services, undefined);
    await previous;
    if (invite !== undefined) await enterByInvite(runtime, this.session, caller, invite);
    await runtime.open(this.session, caller);
    if (this.#state.kind !== 'opening') return;
    this.#state = { kind: 'joining', attempt: this.#state.attempt };
    await runtime.join(this.session, caller, this, from);
  }

  #fail(error: unknown): void {
    const { runtime, connection, errors, report } = this.#services;
    if (this.#state.kind === 'over') return;
    if (this.#state.kind === 'joined') {
      // the replay has failed: the client would miss facts without noticing
      runtime.leave(this.session, connection, 'lost').catch(report);
      return this.ended('store_failed');
    }
    const refusal = problemOf(error, `The session ${this.session} could not be joined`);
    this.#enter('over');
    errors.sendError(refusal, { ref: this.#ref, session: this.session });
    this.#owner.onSessionOver(this, null);
  }

  get #isOver(): boolean {
    return this.#state.kind === 'over';
  }

  /** Ends the attempt to join, if there is one. */
  #enter(kind: 'joined' | 'over'): void {
    const { attempt } = this.#state;
    this.#state = { kind, attempt: null };
    attempt?.ready.resolve(kind === 'joined');
  }

  // -- commands

  #execute(frame: Exclude<SessionFrame, LeaveFrame>, context: CommandContext): Promise<CommandReply> {
    switch (frame.type) {
      case 'CANCEL':
        return performCancel(frame, context);
      case 'SAY':
      case 'STEER':
      case 'RESUME':
        return performSay(frame, context);
      default:
        return performSessionCommand(frame, context);
    }
  }

  #leaveOnRequest({ ref }: LeaveFrame): void {
    const { runtime, connection, outbox, report } = this.#services;
    this.#enter('over');
    outbox.dropSession(this.session);
    runtime.leave(this.session, connection, 'left').catch(report);
    this.#send({ type: 'left', ref, session: this.session });
  }

  #send(frame: ServerFrame): void {
    this.#services.outbox.frame(encodeFrame(frame));
  }
}

/** The frames that only a bridge may send, with `as` or without it. */
const bridgeTypes: ReadonlySet<CommandFrame['type']> = new Set(['OPEN_CALL', 'REPORT_CALL', 'SETTLE_CALL']);

/** Returns the first field of a frame that only a bridge may use, `type` for a frame that only a bridge may send; null: there is none. */
export function bridgeFieldOf(frame: CommandFrame): string | null {
  if (bridgeTypes.has(frame.type)) return 'type';
  const used = new Map<string, unknown>(Object.entries(frame));
  return (
    ['as', ...(/^(SAY|STEER|TRANSCRIPT)$/.test(frame.type) ? ['addressed', 'replyToBot'] : [])].find(
      (name) => used.get(name) !== undefined,
    ) ?? null
  );
}

type Sender = Pick<JoinedSessionServices, 'connection' | 'speaker' | 'proof' | 'door'>;

/** Returns the caller of a command: the connection's speaker, or the one that a bridge speaks for (`as`, which has been checked). */
export function callerOfCommand({ connection, speaker, proof, door }: Sender, as: string | undefined): Caller {
  return as === undefined
    ? { connection, speaker, proof, door }
    : { connection, speaker: { id: as, roles: ['member'] }, via: speaker.id, proof, door };
}
