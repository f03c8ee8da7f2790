// Receives what the peer of a connection sends: each frame passes the limits and the codec into the connection's machine.
import type { Actor } from 'xstate';
import type { connectionMachine } from '../../machines/connection.ts';
import type { LeaveReason } from '../../machines/vocabulary.ts';
import type { Rate } from '../core/sources/token-bucket.ts';
import { decodeClientFrame } from '../wire/codec.ts';
import { problem } from '../wire/errors.ts';
import { type ActionServices, ConnectionActions } from './connection-actions.ts';
import type { ConnectionTable } from './connection-table.ts';
import type { ErrorSubject } from './error-replies.ts';
import { FrameRates, type Rates } from './frame-rates.ts';
import type { Origin, Peer, PeerListener } from './peer.ts';

/** The parts of a gateway that its connections share. */
export interface ConnectionServices extends ActionServices {
  readonly rates: Rates & { readonly errors: Rate };
  readonly connections: ConnectionTable;
}

export class Connection implements PeerListener {
  readonly #id: string;
  readonly #services: ConnectionServices;
  readonly #actor: Actor<typeof connectionMachine>;
  readonly #rates: FrameRates;
  readonly actions: ConnectionActions;

  constructor(
    id: string,
    peer: Peer,
    origin: Origin,
    actor: Actor<typeof connectionMachine>,
    services: ConnectionServices,
  ) {
    this.#id = id;
    this.#services = services;
    this.#actor = actor;
    this.#rates = new FrameRates(services.clock, services.rates);
    this.actions = new ConnectionActions({ id, peer, origin, actor }, services);
  }

  onMessage(text: string | null, bytes: number): void {
    const { pulse, errors } = this.actions;
    pulse.note();
    if (this.#actor.getSnapshot().matches('closing')) return; // ignored by docs/protocol.md, and not worth the parsing
    const { frameBytes } = this.#services.limits;
    const hasRate = this.#rates.countFrame();
    if (text === null) return hasRate ? errors.sendError(problem('not_text')) : this.#sendRateLimited();
    if (bytes > frameBytes) {
      const message = `The frame has ${bytes} bytes; the limit is ${frameBytes}.`;
      return errors.sendError(problem('frame_too_large', { message, limit: frameBytes }));
    }
    const decoded = decodeClientFrame(text);
    const isCancel = decoded.ok && decoded.frame.type === 'CANCEL';
    const about = decoded.ok ? (decoded.frame.type === 'HELLO' ? {} : decoded.frame) : decoded;
    if (!hasRate && !(isCancel && this.#rates.countCancel())) return this.#sendRateLimited(about);
    const hasBytes = this.actions.share?.spendBytes(bytes) ?? true;
    if (!hasBytes && !isCancel) return this.#sendTooManyBytes(about);
    if (!decoded.ok) return errors.sendError(decoded.problem, about);
    this.#actor.send(decoded.frame);
  }

  onPing(): boolean {
    return this.#countControl();
  }

  onPong(): void {
    this.actions.pulse.note();
    this.#countControl();
  }

  onClosed(how: LeaveReason): void {
    this.actions.release();
    if (this.#actor.getSnapshot().status === 'active') return this.#actor.send({ type: 'GONE', how });
    this.actions.leaveSessions(how); // its machine has thrown
    this.#services.connections.delete(this.#id);
  }

  /** Whether a ping or pong is within the rate. What is past it costs as much as a frame past it. */
  #countControl(): boolean {
    if (this.#actor.getSnapshot().matches('closing')) return false;
    const hasRate = this.#rates.countControl();
    if (!hasRate) this.#sendRateLimited();
    return hasRate;
  }

  #sendTooManyBytes(about: ErrorSubject): void {
    const limit = this.#services.limits.speakerBytesPerSecond;
    this.actions.errors.sendError(problem('too_many_bytes', { limit }), about);
  }

  #sendRateLimited(about = {}): void {
    const limit = this.#services.limits.framesPerSecond;
    this.actions.errors.sendError(problem('rate_limited', { limit }), about);
  }
}
