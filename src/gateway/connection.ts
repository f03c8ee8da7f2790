// One connection: what its peer sends goes through the limits and the codec into its machine; the machine's actions are performed here.
import type { Actor } from 'xstate';
import type { connectionMachine, Known } from '../../machines/connection.ts';
import type { LeaveReason, Speaker } from '../../machines/vocabulary.ts';
import type { CommandFrame } from '../protocol/client-frames.ts';
import { type CloseName, closeCodes } from '../protocol/close-codes.ts';
import { decodeClientFrame, encodeFrame } from '../protocol/codec.ts';
import { type FrameErrorCode, problem } from '../protocol/errors.ts';
import { subprotocol } from '../protocol/frame-limits.ts';
import type { Runtime } from '../session/api.ts';
import type { Clock } from '../sources/sources.ts';
import type { ConnectionActions } from './connection-actions.ts';
import { ConnectionDeadline } from './connection-deadline.ts';
import type { ConnectionTable } from './connection-table.ts';
import { ErrorReplies } from './error-replies.ts';
import { FrameRates, type Rates } from './frame-rates.ts';
import { type GatewayLimits, publishedLimits } from './gateway-limits.ts';
import { type Heartbeat, Pulse } from './heartbeat.ts';
import { JoinedSessions } from './joined-sessions.ts';
import { PeerOutbox } from './outbox.ts';
import type { Peer, PeerListener } from './peer.ts';
import type { Rate } from './token-bucket.ts';

/** The parts of a gateway that its connections share. */
export interface ConnectionServices {
  readonly runtime: Runtime;
  readonly clock: Clock;
  readonly limits: GatewayLimits;
  readonly rates: Rates & { readonly errors: Rate };
  readonly heartbeat: Heartbeat;
  readonly connections: ConnectionTable;
  /** Takes exceptions that are bugs. */
  report(error: unknown): void;
}

export class Connection implements PeerListener, ConnectionActions {
  readonly #id: string;
  readonly #peer: Peer;
  readonly #services: ConnectionServices;
  readonly #actor: Actor<typeof connectionMachine>;
  readonly #pulse: Pulse;
  readonly #deadline: ConnectionDeadline;
  readonly #rates: FrameRates;
  readonly #outbox: PeerOutbox;
  readonly #errors: ErrorReplies;
  /** Commands that came before the speaker was known. */
  #queued: CommandFrame[] | null = null;
  /** Null until the speaker is known. */
  #sessions: JoinedSessions | null = null;
  speaker: Speaker | null = null;
  upgradeToken: string | null;

  /** `token`: of the upgrade. */
  constructor(
    id: string,
    peer: Peer,
    token: string | null,
    actor: Actor<typeof connectionMachine>,
    services: ConnectionServices,
  ) {
    const { clock, limits, rates, heartbeat } = services;
    this.#id = id;
    this.#peer = peer;
    this.#services = services;
    this.#actor = actor;
    this.upgradeToken = token;
    this.#pulse = new Pulse(peer, actor);
    this.#deadline = new ConnectionDeadline(clock, actor);
    this.#rates = new FrameRates(clock, rates);
    this.#outbox = new PeerOutbox(peer, limits, actor, this.#pulse);
    this.#errors = new ErrorReplies(this.#outbox, actor, clock, rates.errors);
    this.#deadline.armPhase(limits.helloMs);
    heartbeat.add(this.#pulse);
  }

  // -- events of the peer

  onMessage(text: string | null, bytes: number): void {
    this.#pulse.note();
    if (this.#actor.getSnapshot().matches('closing')) return; // ignored by docs/protocol.md, and not worth the parsing
    const { frameBytes } = this.#services.limits;
    const hasRate = this.#rates.countFrame();
    if (text === null) return hasRate ? this.#errors.sendError(problem('not_text')) : this.#sendRateLimited();
    if (bytes > frameBytes) {
      const message = `The frame has ${bytes} bytes; the limit is ${frameBytes}.`;
      return this.#errors.sendError(problem('frame_too_large', { message, limit: frameBytes }));
    }
    const decoded = decodeClientFrame(text);
    const isCancel = decoded.ok && decoded.frame.type === 'CANCEL';
    const about = decoded.ok ? (decoded.frame.type === 'HELLO' ? {} : decoded.frame) : decoded;
    if (!hasRate && !(isCancel && this.#rates.countCancel())) return this.#sendRateLimited(about);
    if (!decoded.ok) return this.#errors.sendError(decoded.problem, about);
    this.#actor.send(decoded.frame);
  }

  onPong(): void {
    this.#pulse.note();
  }

  onClosed(how: LeaveReason): void {
    this.#release();
    this.#outbox.close();
    if (this.#actor.getSnapshot().status === 'active') return this.#actor.send({ type: 'GONE', how });
    this.leaveSessions(how); // its machine has thrown
    this.#services.connections.delete(this.#id);
  }

  // -- actions of the machine

  welcome({ speaker, expiresAt }: Known): void {
    const { runtime, connections, limits, report } = this.#services;
    if (connections.countOf(speaker.id) >= limits.connectionsPerSpeaker)
      return this.requestClose('too_many_connections');
    this.speaker = speaker;
    this.upgradeToken = null;
    const shared = { runtime, connection: this.#id, speaker, outbox: this.#outbox, errors: this.#errors, report };
    this.#sessions = new JoinedSessions(shared, this.#actor, limits.sessions);
    this.#deadline.armExpiry(expiresAt);
    this.#outbox.frame(
      encodeFrame({
        type: 'welcome',
        protocol: subprotocol,
        connection: this.#id,
        speaker: speaker.id,
        roles: speaker.roles,
        limits: publishedLimits(limits),
      }),
    );
    const queued = this.#queued ?? [];
    this.#queued = null;
    for (const frame of queued) this.#actor.send(frame);
  }

  queue(frame: CommandFrame): void {
    this.#queued ??= [];
    if (this.#queued.length < this.#services.limits.unanswered) this.#queued.push(frame);
    else this.#sendTooManyUnanswered(frame);
  }

  perform(frame: CommandFrame): void {
    const sessions = this.#sessions;
    if (!sessions) return; // refused in `welcome`: the connection is about to close
    if (frame.type !== 'CANCEL' && sessions.unanswered >= this.#services.limits.unanswered)
      return this.#sendTooManyUnanswered(frame);
    if ('as' in frame && frame.as !== undefined && !this.speaker?.roles.includes('bridge'))
      return this.#errors.sendError(problem('as_not_allowed', { field: 'as' }), frame);
    if (frame.type === 'PING') return this.#outbox.frame(encodeFrame({ type: 'pong', ref: frame.ref }));
    if (frame.type === 'JOIN') return sessions.join(frame);
    sessions.perform(frame);
  }

  refuse(code: FrameErrorCode, ref: string | null): void {
    this.#errors.sendError(problem(code), ref === null ? {} : { ref });
  }

  leaveSessions(how: LeaveReason): void {
    this.#sessions?.abandonAll(how);
  }

  close(because: CloseName): void {
    this.#release();
    this.#deadline.armPhase(this.#services.limits.closeMs);
    this.#outbox.close();
    this.#peer.close(closeCodes[because].code, because);
  }

  terminate(): void {
    this.#peer.terminate();
  }

  requestClose(because: CloseName): void {
    this.#actor.send({ type: 'CLOSE', because });
  }

  // -- parts of those

  #release(): void {
    this.#services.heartbeat.remove(this.#pulse);
    this.#deadline.clear();
  }

  #sendRateLimited(about = {}): void {
    const limit = this.#services.limits.framesPerSecond;
    this.#errors.sendError(problem('rate_limited', { limit }), about);
  }

  #sendTooManyUnanswered(frame: CommandFrame): void {
    const limit = this.#services.limits.unanswered;
    this.#errors.sendError(problem('too_many_unanswered', { limit }), frame);
  }
}
