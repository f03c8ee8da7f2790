// Performs what the machine of a connection asks for: the welcome, commands, error replies, and the closing of the socket.
import type { Known } from '../../machines/connection.ts';
import type { LeaveReason, Speaker } from '../../machines/vocabulary.ts';
import type { CommandFrame } from '../wire/client-frames.ts';
import { type CloseName, closeCodes } from '../wire/close-codes.ts';
import { encodeFrame } from '../wire/codec.ts';
import { type FrameErrorCode, problem } from '../wire/errors.ts';
import { subprotocol } from '../wire/frame-limits.ts';
import type { IdentifiedActor } from './connection-actor.ts';
import { ConnectionDeadline } from './connection-deadline.ts';
import { ErrorReplies } from './error-replies.ts';
import { publishedLimits } from './gateway-limits.ts';
import type { GatewayServices } from './gateway-services.ts';
import { type Heartbeat, Pulse } from './heartbeat.ts';
import { JoinedSessions } from './joined-sessions.ts';
import { PeerOutbox } from './outbox.ts';
import type { Origin, Peer } from './peer.ts';
import type { SpeakerShare } from './speaker-shares.ts';
import { bridgeFieldOf } from './translate.ts';

/** Keeps the connections whose speaker is known from those that may be closed for others. */
interface ProvenConnections {
  prove(id: string): void;
}

/** The parts of a gateway that the actions of its connections share. */
export interface ActionServices extends Omit<GatewayServices, 'ids' | 'rates' | 'credentials'> {
  readonly rates: Pick<GatewayServices['rates'], 'errors'>;
  readonly heartbeat: Heartbeat;
  readonly connections: ProvenConnections;
}

/** A connection that is closed with one of these before its speaker is known is refused. */
const refusalCloses: readonly CloseName[] = [
  'unauthorized',
  'flood',
  'hello_timeout',
  'too_many_unproven',
  'too_many_connections',
];

export interface ActionsOptions {
  /** The id of the connection. */
  readonly id: string;
  readonly peer: Peer;
  readonly origin: Origin;
  readonly actor: IdentifiedActor;
}

export class ConnectionActions {
  readonly #id: string;
  readonly #peer: Peer;
  /** Of the client. */
  readonly address: string;
  readonly #services: ActionServices;
  readonly actor: IdentifiedActor;
  readonly #deadline: ConnectionDeadline;
  readonly #outbox: PeerOutbox;
  readonly pulse: Pulse;
  readonly errors: ErrorReplies;
  /** Commands that came before the speaker was known. */
  #queued: CommandFrame[] | null = null;
  /** Null until the speaker is known. */
  #sessions: JoinedSessions | null = null;
  /** Null until the speaker is known. */
  speaker: Speaker | null = null;
  /** What the speaker uses of the gateway; null until the speaker is known, and when the connection is gone. */
  share: SpeakerShare | null = null;
  /** The token of the upgrade; null when there was none, and once the speaker is known. */
  upgradeToken: string | null;

  constructor({ id, peer, origin, actor }: ActionsOptions, services: ActionServices) {
    const { clock, limits, rates, heartbeat } = services;
    this.#id = id;
    this.#peer = peer;
    this.address = origin.address;
    this.#services = services;
    this.actor = actor;
    this.upgradeToken = origin.token;
    this.pulse = new Pulse(peer, actor);
    this.#deadline = new ConnectionDeadline(clock, actor);
    this.#outbox = new PeerOutbox(peer, limits, actor, this.pulse);
    this.errors = new ErrorReplies(this.#outbox, actor, clock, rates.errors);
    this.#deadline.armPhase(limits.helloMs);
    heartbeat.add(this.pulse);
  }

  /** The sessions that it has joined. */
  get joined(): readonly string[] {
    return this.#sessions?.names ?? [];
  }

  welcome({ speaker, sessions, expiresAt }: Known): void {
    const { runtime, limits, report, connections, shares } = this.#services;
    if (shares.countOf(speaker.id) >= limits.connectionsPerSpeaker || shares.total >= limits.connections)
      return this.requestClose('too_many_connections');
    this.speaker = speaker;
    this.share = shares.addConnection(speaker.id);
    connections.prove(this.#id);
    this.upgradeToken = null;
    const proof = this.#services.provesByToken ? { speaker, sessions: sessions ?? null } : undefined;
    const shared = { runtime, connection: this.#id, speaker, proof, outbox: this.#outbox, errors: this.errors, report };
    this.#sessions = new JoinedSessions(shared, this.actor, this.share, limits);
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
    for (const frame of queued) this.actor.send(frame);
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
    const field = bridgeFieldOf(frame);
    if (field !== null && !this.speaker?.roles.includes('bridge'))
      return this.errors.sendError(problem('as_not_allowed', { field }), frame);
    if (frame.type === 'PING') return this.#outbox.frame(encodeFrame({ type: 'pong', ref: frame.ref }));
    if (frame.type === 'JOIN') return sessions.join(frame);
    sessions.perform(frame);
  }

  refuse(code: FrameErrorCode, ref: string | null): void {
    this.errors.sendError(problem(code), ref === null ? {} : { ref });
  }

  leaveSessions(how: LeaveReason): void {
    this.#sessions?.abandonAll(how);
  }

  close(because: CloseName): void {
    this.release();
    this.#deadline.armPhase(this.#services.limits.closeMs);
    const { code: status } = closeCodes[because];
    this.#peer.close(status, because);
    if (this.speaker === null && refusalCloses.includes(because))
      this.#services.refusals.add({ door: 'socket', code: because, status, address: this.address });
  }

  terminate(): void {
    this.#peer.terminate();
  }

  /** Closes a connection whose place a new one takes. It does not wait for the closing handshake: that would hold the place. */
  evict(): void {
    this.requestClose('too_many_unproven');
    this.terminate();
  }

  /** The connection is gone: it counts for its speaker no more. */
  releaseShare(): void {
    if (this.speaker && this.share) this.#services.shares.removeConnection(this.speaker.id);
    this.share = null;
  }

  /** Closes the connection by way of its machine. */
  requestClose(because: CloseName): void {
    this.actor.send({ type: 'CLOSE', because });
  }

  /** Stops the heartbeat, the deadline and the outbox: nothing is sent any more. */
  release(): void {
    this.#services.heartbeat.remove(this.pulse);
    this.#deadline.clear();
    this.#outbox.close();
  }

  #sendTooManyUnanswered(frame: CommandFrame): void {
    const limit = this.#services.limits.unanswered;
    this.errors.sendError(problem('too_many_unanswered', { limit }), frame);
  }
}
