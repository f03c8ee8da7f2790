// The sessions that one connection has joined: finds the one that a command is for, and counts the commands without a reply.
import type { LeaveReason } from '../../machines/vocabulary.ts';
import type { SessionEnd } from '../core/session/api.ts';
import type { JoinFrame, LeaveFrame, SessionFrame } from '../wire/client-frames.ts';
import { problem } from '../wire/errors.ts';
import type { ConnectionActor } from './connection-actor.ts';
import type { ConnectionSound } from './connection-sound.ts';
import type { GatewayLimits } from './gateway-limits.ts';
import { JoinedSession, type JoinedSessionOwner } from './joined-session.ts';
import type { JoinedSessionServices } from './joined-session-services.ts';
import { cancelFromOutside, mayCancelFromOutside } from './outside-cancel.ts';
import type { SpeakerShare } from './speaker-shares.ts';

/** The limits of sessions that may be joined at a time. */
type SessionLimits = Pick<GatewayLimits, 'sessions' | 'sessionsPerSpeaker'>;

export class JoinedSessions implements JoinedSessionOwner {
  readonly #services: JoinedSessionServices;
  readonly #actor: ConnectionActor;
  readonly #share: SpeakerShare;
  readonly #limits: SessionLimits;
  readonly #sound: ConnectionSound | null;
  readonly #sessions = new Map<string, JoinedSession>();
  /** Sessions that are being left: who joins one again waits for that. Null while there are none. */
  #leaving: Map<string, Promise<void>> | null = null;
  #unanswered = 0;

  /** `share`: of the connection's speaker. */
  constructor(
    services: JoinedSessionServices,
    actor: ConnectionActor,
    share: SpeakerShare,
    limits: SessionLimits,
    sound: ConnectionSound | null,
  ) {
    this.#sound = sound;
    this.#services = services;
    this.#actor = actor;
    this.#share = share;
    this.#limits = limits;
  }

  /** Commands without a reply, CANCEL apart. */
  get unanswered(): number {
    return this.#unanswered;
  }

  /** The names of the sessions. */
  get names(): readonly string[] {
    return [...this.#sessions.keys()];
  }

  join(frame: JoinFrame): void {
    const { session } = frame;
    const { errors } = this.#services;
    if (this.#sessions.has(session)) return errors.sendError(problem('already_joined', { field: 'session' }), frame);
    const excess = this.#excess();
    if (excess) return errors.sendError(problem('too_many_sessions', excess), frame);
    const given = [this.#services, frame, this.#leaving?.get(session) ?? null, this] as const;
    const joined = this.#sound?.joinSession(...given) ?? new JoinedSession(...given);
    this.#sessions.set(session, joined);
    this.#share.sessions += 1;
    this.#count(joined.waitForReply());
  }

  perform(frame: SessionFrame): void {
    const session = frame.session ?? (this.#sessions.size === 1 ? this.#sessions.keys().next().value : undefined);
    const joined = session === undefined ? undefined : this.#sessions.get(session);
    if (!joined) return this.#performOutside(frame);
    if (frame.type === 'LEAVE') return this.#leaveFor(frame, joined);
    const replied = joined.perform(frame);
    if (frame.type !== 'CANCEL') this.#count(replied);
  }

  /** Leaves all of them without a reply. */
  abandonAll(how: LeaveReason): void {
    for (const joined of this.#sessions.values()) joined.abandon(how).catch(this.#services.report);
    this.#share.sessions -= this.#sessions.size;
    this.#sessions.clear();
  }

  onSessionOver(joined: JoinedSession, reason: SessionEnd | null): void {
    const { session } = joined;
    if (this.#sessions.get(session) === joined) this.#forget(session);
    if (reason !== null && this.#sessions.size === 0) this.#actor.send({ type: 'CLOSE', because: reason });
  }

  /** The limit of sessions that is reached, with its message; null: one more may be joined. */
  #excess(): { readonly message: string; readonly limit: number } | null {
    const { sessions, sessionsPerSpeaker } = this.#limits;
    const message = (of: string, used: number, limit: number) =>
      `Too many sessions on ${of}: ${used} of ${limit}. LEAVE one first.`;
    const own = this.#sessions.size;
    if (own >= sessions) return { message: message('this connection', own, sessions), limit: sessions };
    const all = this.#share.sessions;
    if (all < sessionsPerSpeaker) return null;
    return {
      message: message('all connections of this speaker', all, sessionsPerSpeaker),
      limit: sessionsPerSpeaker,
    };
  }

  #forget(session: string): void {
    if (this.#sessions.delete(session)) this.#share.sessions -= 1;
    this.#sound?.forgetSession(session);
  }

  /** Refuses a frame whose session is not joined; a CANCEL may be sent from outside. */
  #performOutside(frame: SessionFrame): void {
    const { session } = frame;
    if (session !== undefined && frame.type === 'CANCEL' && mayCancelFromOutside(this.#services, frame))
      return void cancelFromOutside(this.#services, session, frame);
    const isUnclear = session === undefined && this.#sessions.size > 1;
    this.#services.errors.sendError(
      problem(isUnclear ? 'session_required' : 'not_joined', { field: 'session' }),
      frame,
    );
  }

  #leaveFor(frame: LeaveFrame, joined: JoinedSession): void {
    const { session } = joined;
    this.#forget(session);
    const left = joined.perform(frame).then(() => {
      if (this.#leaving?.get(session) !== left) return;
      this.#leaving.delete(session);
      if (this.#leaving.size === 0) this.#leaving = null;
    });
    this.#leaving ??= new Map();
    this.#leaving.set(session, left);
    this.#count(left);
  }

  #count(replied: Promise<void>): void {
    this.#unanswered += 1;
    replied.then(() => {
      this.#unanswered -= 1;
    }, this.#services.report);
  }
}
