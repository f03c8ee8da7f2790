// The sessions that one connection has joined: finds the one that a command is for, and counts the commands without a reply.
import type { LeaveReason } from '../../machines/vocabulary.ts';
import type { JoinFrame, LeaveFrame, SessionFrame } from '../protocol/client-frames.ts';
import { problem } from '../protocol/errors.ts';
import type { SessionEnd } from '../session/api.ts';
import type { ConnectionActor } from './connection-actor.ts';
import { Membership, type MembershipOwner, type MembershipServices } from './membership.ts';

export class JoinedSessions implements MembershipOwner {
  readonly #services: MembershipServices;
  readonly #actor: ConnectionActor;
  readonly #limit: number;
  readonly #memberships = new Map<string, Membership>();
  /** Sessions that are being left: who joins one again waits for that. Null while there are none. */
  #leaving: Map<string, Promise<void>> | null = null;
  #unanswered = 0;

  /** `limit`: sessions that may be joined at a time. */
  constructor(services: MembershipServices, actor: ConnectionActor, limit: number) {
    this.#services = services;
    this.#actor = actor;
    this.#limit = limit;
  }

  /** Commands without a reply, CANCEL apart. */
  get unanswered(): number {
    return this.#unanswered;
  }

  join(frame: JoinFrame): void {
    const { session } = frame;
    const { errors } = this.#services;
    if (this.#memberships.has(session)) return errors.sendError(problem('already_joined', { field: 'session' }), frame);
    if (this.#memberships.size >= this.#limit) {
      const message = `Too many sessions on this connection: ${this.#memberships.size} of ${this.#limit}. LEAVE one first.`;
      return errors.sendError(problem('too_many_sessions', { message, limit: this.#limit }), frame);
    }
    const membership = new Membership(this.#services, frame, this.#leaving?.get(session) ?? null, this);
    this.#memberships.set(session, membership);
    this.#count(membership.waitForReply());
  }

  perform(frame: SessionFrame): void {
    const membership = this.#membershipFor(frame);
    if (!membership) return;
    if (frame.type === 'LEAVE') return this.#leaveFor(frame, membership);
    const replied = membership.perform(frame);
    if (frame.type !== 'CANCEL') this.#count(replied);
  }

  /** Leaves all of them without a reply. */
  abandonAll(how: LeaveReason): void {
    for (const membership of this.#memberships.values()) membership.abandon(how).catch(this.#services.report);
    this.#memberships.clear();
  }

  onMembershipOver(membership: Membership, reason: SessionEnd | null): void {
    const { session } = membership;
    if (this.#memberships.get(session) === membership) this.#memberships.delete(session);
    if (reason !== null && this.#memberships.size === 0) this.#actor.send({ type: 'CLOSE', because: reason });
  }

  #membershipFor(frame: SessionFrame): Membership | null {
    if (frame.session === undefined && this.#memberships.size > 1) {
      this.#services.errors.sendError(problem('session_required', { field: 'session' }), frame);
      return null;
    }
    const session = frame.session ?? this.#memberships.keys().next().value;
    const membership = session === undefined ? undefined : this.#memberships.get(session);
    if (membership) return membership;
    this.#services.errors.sendError(problem('not_joined', { field: 'session' }), frame);
    return null;
  }

  #leaveFor(frame: LeaveFrame, membership: Membership): void {
    const { session } = membership;
    this.#memberships.delete(session);
    const left = membership.perform(frame).then(() => {
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
