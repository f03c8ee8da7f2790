// One connection: takes what its peer sends through the limits and the codec into its machine, and performs what the machine asks for.
import type { Known } from '../../machines/connection.ts';
import type { LeaveReason, Speaker } from '../../machines/vocabulary.ts';
import type { AskedSound, CommandFrame } from '../wire/client-frames.ts';
import { type CloseName, closeCodes } from '../wire/close-codes.ts';
import { decodeClientFrame, encodeFrame } from '../wire/codec.ts';
import { type FrameErrorCode, problem } from '../wire/errors.ts';
import { welcomeFrame } from './command-replies.ts';
import type { RunningConnectionActor } from './connection-actor.ts';
import { ConnectionDeadline } from './connection-deadline.ts';
import type { ConnectionSound } from './connection-sound.ts';
import { badSpeaker } from './credential-check.ts';
import { ErrorReplies, type ErrorSubject } from './error-replies.ts';
import { FrameRates } from './frame-rates.ts';
import type { GatewayServices } from './gateway-services.ts';
import { type Heartbeat, Pulse } from './heartbeat.ts';
import { bridgeFieldOf } from './joined-session.ts';
import { JoinedSessions } from './joined-sessions.ts';
import { PeerOutbox } from './outbox.ts';
import type { Origin, Peer, PeerListener } from './peer.ts';
import { isRefusal } from './refusal-reports.ts';
import type { SpeakerShare } from './speaker-shares.ts';

/** The connections of the gateway. */
interface Connections {
  /** The speaker of a connection is known: it is not closed for others. */
  prove(id: string): void;
  delete(id: string): void;
}

/** The parts of a gateway that its connections share. */
export interface ConnectionServices extends Omit<GatewayServices, 'ids' | 'credentials'> {
  readonly heartbeat: Heartbeat;
  readonly connections: Connections;
}

/** The speaker is not known yet. */
interface Greeting {
  readonly phase: 'greeting';
  /** The token of the upgrade; null: there was none. */
  readonly token: string | null;
  /** Commands that wait until the speaker is known. */
  readonly queued: CommandFrame[];
}

/** The speaker is known. */
interface Open {
  readonly phase: 'open';
  readonly speaker: Speaker;
  readonly sessions: JoinedSessions;
  /** What the speaker uses of the gateway. */
  readonly share: SpeakerShare;
}

export class Connection implements PeerListener {
  readonly #id: string;
  readonly #peer: Peer;
  /** The address of the client. */
  readonly address: string;
  readonly #services: ConnectionServices;
  readonly actor: RunningConnectionActor;
  readonly #rates: FrameRates;
  readonly #deadline: ConnectionDeadline;
  readonly #outbox: PeerOutbox;
  readonly #pulse: Pulse;
  readonly #errors: ErrorReplies;
  #state: Greeting | Open;
  /** The sound that HELLO has asked for. */
  #sound: ConnectionSound | null = null;

  constructor(id: string, peer: Peer, origin: Origin, actor: RunningConnectionActor, services: ConnectionServices) {
    const { clock, limits, rates, heartbeat } = services;
    this.#id = id;
    this.#peer = peer;
    this.address = origin.address;
    this.#services = services;
    this.actor = actor;
    this.#state = { phase: 'greeting', token: origin.token, queued: [] };
    this.#rates = new FrameRates(clock, rates);
    this.#pulse = new Pulse(peer, actor);
    this.#deadline = new ConnectionDeadline(clock, actor);
    this.#outbox = new PeerOutbox(peer, limits, actor, this.#pulse);
    this.#errors = new ErrorReplies(this.#outbox, actor, clock, rates.errors);
    this.#deadline.armPhase(limits.helloMs);
    heartbeat.add(this.#pulse);
  }

  /** The speaker of the connection; null until it is known. */
  get speaker(): Speaker | null {
    return this.#state.phase === 'open' ? this.#state.speaker : null;
  }

  /** The token of the upgrade; null: there was none, or the speaker is known. */
  get upgradeToken(): string | null {
    return this.#state.phase === 'greeting' ? this.#state.token : null;
  }

  /** The sessions that it has joined. */
  get joined(): readonly string[] {
    return this.#state.phase === 'open' ? this.#state.sessions.names : [];
  }

  // -- from the peer

  onMessage(text: string | Uint8Array, bytes: number): void {
    this.#pulse.note();
    if (this.actor.getSnapshot().matches('closing')) return; // ignored by docs/protocol.md, and not worth the parsing
    const { frameBytes } = this.#services.limits;
    if (typeof text !== 'string') return this.#onBinary(text);
    const hasRate = this.#rates.frames.spend();
    if (bytes > frameBytes) {
      const message = `The frame has ${bytes} bytes; the limit is ${frameBytes}.`;
      return this.#errors.sendError(problem('frame_too_large', { message, limit: frameBytes }));
    }
    const decoded = decodeClientFrame(text);
    const isCancel = decoded.ok && decoded.frame.type === 'CANCEL';
    const about = decoded.ok ? (decoded.frame.type === 'HELLO' ? {} : decoded.frame) : decoded;
    if (!hasRate && !(isCancel && this.#rates.countCancel())) return this.#sendRateLimited(about);
    const hasBytes = this.#state.phase === 'greeting' || this.#state.share.bytes.spend(bytes);
    if (!hasBytes && !isCancel) return this.#sendTooManyBytes(about);
    if (!decoded.ok) return this.#errors.sendError(decoded.problem, about);
    this.actor.send(decoded.frame);
  }

  onPing(): boolean {
    return this.#countControl();
  }

  onPong(): void {
    this.#pulse.note();
    this.#countControl();
  }

  onClosed(how: LeaveReason): void {
    this.#release();
    if (this.actor.getSnapshot().status === 'active') return this.actor.send({ type: 'GONE', how });
    this.leaveSessions(how); // its machine has thrown
    this.#services.connections.delete(this.#id);
  }

  /** Whether a ping or pong is within the rate. What is past it costs as much as a frame past it. */
  #countControl(): boolean {
    if (this.actor.getSnapshot().matches('closing')) return false;
    const hasRate = this.#rates.countControl();
    if (!hasRate) this.#sendRateLimited();
    return hasRate;
  }

  /** Passes on the sound of a connection that has agreed to send it. */
  #onBinary(message: Uint8Array): void {
    if (this.#sound?.terms.send && this.#state.phase === 'open') this.#sound.receive(message, this.#state.speaker);
    else if (this.#rates.frames.spend()) this.#errors.sendError(problem('not_text'));
    else this.#sendRateLimited();
  }

  // -- for the machine

  /** Loads what the connection needs for the sound that its HELLO asks for, before its welcome. */
  async openSound(asked: AskedSound): Promise<void> {
    const { openConnectionSound } = await import('./connection-sound.ts');
    const parts = { ...this.#services, peer: this.#peer, outbox: this.#outbox, errors: this.#errors };
    this.#sound = await openConnectionSound(asked, parts);
  }

  welcome({ speaker, sessions: named, expiresAt }: Known): void {
    const { runtime, limits, report, connections, shares } = this.#services;
    if (shares.countOf(speaker.id) >= limits.connectionsPerSpeaker || shares.total >= limits.connections)
      return this.requestClose('too_many_connections');
    const queued = this.#state.phase === 'greeting' ? this.#state.queued : [];
    const share = shares.addConnection(speaker.id);
    connections.prove(this.#id);
    const proof = this.#services.provesByToken ? { speaker, sessions: named ?? null } : undefined;
    const shared = {
      runtime,
      connection: this.#id,
      speaker,
      proof,
      outbox: this.#outbox,
      errors: this.#errors,
      report,
    };
    const sessions = new JoinedSessions(shared, this.actor, share, limits, this.#sound);
    this.#state = { phase: 'open', speaker, sessions, share };
    this.#deadline.armExpiry(expiresAt);
    const about = { connection: this.#id, speaker, limits, sound: this.#sound?.terms, now: this.#services.clock.now() };
    this.#outbox.frame(encodeFrame(welcomeFrame(about)));
    for (const frame of queued) this.actor.send(frame);
  }

  queue(frame: CommandFrame): void {
    if (this.#state.phase === 'open') return; // the machine queues only in its `greeting`
    const { queued } = this.#state;
    if (queued.length < this.#services.limits.unanswered) queued.push(frame);
    else this.#sendTooManyUnanswered(frame);
  }

  perform(frame: CommandFrame): void {
    if (this.#state.phase === 'greeting') return; // refused in `welcome`: the connection is about to close
    const { speaker, sessions } = this.#state;
    if (frame.type !== 'CANCEL' && sessions.unanswered >= this.#services.limits.unanswered)
      return this.#sendTooManyUnanswered(frame);
    const field = bridgeFieldOf(frame);
    if (field !== null && !speaker.roles.includes('bridge'))
      return this.#errors.sendError(problem('as_not_allowed', { field }), frame);
    if (frame.type === 'PING') return this.#outbox.frame(encodeFrame({ type: 'pong', ref: frame.ref }));
    if (frame.type === 'JOIN') return sessions.join(frame);
    sessions.perform(frame);
  }

  refuse(code: FrameErrorCode, ref: string | null): void {
    this.#errors.sendError(problem(code), ref === null ? {} : { ref });
  }

  /** Says what is wrong with the token in HELLO, or of the upgrade, whose speaker has no good name. Then the connection is closed. */
  refuseToken(): void {
    this.#errors.sendError(problem('bad_field', { field: 'token', message: badSpeaker }));
  }

  leaveSessions(how: LeaveReason): void {
    if (this.#state.phase === 'open') this.#state.sessions.abandonAll(how);
  }

  close(because: CloseName): void {
    this.#release();
    this.#deadline.armPhase(this.#services.limits.closeMs);
    const { code: status } = closeCodes[because];
    this.#peer.close(status, because);
    if (this.#state.phase === 'greeting' && isRefusal[because])
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
    if (this.#state.phase === 'open') this.#services.shares.removeConnection(this.#state.speaker.id);
  }

  /** Closes the connection by way of its machine. */
  requestClose(because: CloseName): void {
    this.actor.send({ type: 'CLOSE', because });
  }

  /** Stops the heartbeat, the deadline and the outbox: nothing is sent any more. */
  #release(): void {
    this.#services.heartbeat.remove(this.#pulse);
    this.#deadline.clear();
    this.#outbox.close();
  }

  #sendTooManyBytes(about: ErrorSubject): void {
    const limit = this.#services.limits.speakerBytesPerSecond;
    this.#errors.sendError(problem('too_many_bytes', { limit }), about);
  }

  #sendRateLimited(about = {}): void {
    const limit = this.#services.limits.framesPerSecond;
    this.#services.refusals.countRateLimited('socket');
    this.#errors.sendError(problem('rate_limited', { limit }), about);
  }

  #sendTooManyUnanswered(frame: CommandFrame): void {
    const limit = this.#services.limits.unanswered;
    this.#errors.sendError(problem('too_many_unanswered', { limit }), frame);
  }
}
