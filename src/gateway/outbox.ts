// Sends the frames of one connection, and queues what a slow reader does not read in time.
//
// 1. Facts and replies keep their order, and go before deltas.
// 2. A delta that waits is discarded when its block ends or is stopped: the durable fact has the text.
// 3. Nobody else waits: sending never blocks, and what waits is bounded in bytes.
import type { NodeId } from '../../machines/vocabulary.ts';
import type { ModelPreviewFrame, TextDeltaFrame, ToolOutputFrame } from '../wire/server-frames.ts';
import { Backlog } from './backlog.ts';
import type { ConnectionActor } from './connection-actor.ts';
import { encodeLive } from './event-frames.ts';
import type { Pulse } from './heartbeat.ts';
import type { Peer } from './peer.ts';

export interface OutboxLimits {
  /** Bytes that may wait in the socket before frames queue here. */
  readonly socketBytes: number;
  /** Bytes that may queue here. */
  readonly queueBytes: number;
  /** Characters of a call's output that are kept: the last ones. */
  readonly outputChars: number;
}

export interface Outbox {
  /** Sends a fact or a reply, encoded. `soon`: it may be written together with messages of the same moment (a turn starts with three facts). */
  frame(text: string, when?: 'now' | 'soon'): void;
  text(delta: TextDeltaFrame): void;
  output(delta: ToolOutputFrame): void;
  /** A slow reader gets none. */
  preview(preview: ModelPreviewFrame): void;
  /** Returns a promise that resolves when nothing waits any more, or the outbox is closed; null while nothing waits. */
  waitForRoom(): Promise<void> | null;
  /** The block has ended: discards its deltas that wait. */
  dropBlock(session: string, turn: NodeId, index: number): void;
  /** The turns are being stopped: discards the deltas of all their blocks. */
  dropTurns(session: string, turns: readonly NodeId[]): void;
  /** Discards the deltas of a session; its facts and replies are still sent. */
  dropSession(session: string): void;
}

/** Bytes in the socket that a client who keeps up never has. */
const backlogBytes = 16_384;

/** The outbox of a peer. */
export class PeerOutbox implements Outbox {
  readonly #peer: Peer;
  readonly #limits: OutboxLimits;
  readonly #actor: Pick<ConnectionActor, 'send'>;
  readonly #pulse: Pick<Pulse, 'note'>;
  #state: 'open' | 'closed' = 'open';
  /** The frames that wait for the reader; null while it keeps up. */
  #backlog: Backlog | null = null;
  #emptied: PromiseWithResolvers<void> | null = null;

  constructor(peer: Peer, limits: OutboxLimits, actor: Pick<ConnectionActor, 'send'>, pulse: Pick<Pulse, 'note'>) {
    this.#peer = peer;
    this.#limits = limits;
    this.#actor = actor;
    this.#pulse = pulse;
  }

  frame(text: string, when: 'now' | 'soon' = 'now'): void {
    if (this.#state === 'closed') return;
    if (this.#hasRoom() && !this.#backlog?.hasFrames) {
      if (when === 'now') this.#peer.send(text, this.#onSent);
      else this.#peer.sendSoon(text, this.#onSent);
      return;
    }
    this.#queue().addFrame(text);
    this.#checkSize();
  }

  text(delta: TextDeltaFrame): void {
    if (this.#state === 'closed') return;
    if (this.#hasRoom() && this.#backlog === null) return this.#peer.sendSoon(encodeLive(delta), this.#onSent);
    this.#queue().addText(delta);
    this.#checkSize();
  }

  output(delta: ToolOutputFrame): void {
    if (this.#state === 'closed') return;
    if (this.#hasRoom() && this.#backlog === null) return this.#peer.sendSoon(encodeLive(delta), this.#onSent);
    this.#queue().addOutput(delta);
    this.#checkSize();
  }

  preview(preview: ModelPreviewFrame): void {
    if (this.#state === 'open' && this.#hasRoom() && this.#backlog === null)
      this.#peer.sendSoon(encodeLive(preview), this.#onSent);
  }

  waitForRoom(): Promise<void> | null {
    if (this.#state === 'closed' || (this.#hasRoom() && this.#backlog === null)) return null;
    this.#emptied ??= Promise.withResolvers<void>();
    return this.#emptied.promise;
  }

  dropBlock(session: string, turn: NodeId, index: number): void {
    if (this.#backlog === null) return;
    this.#backlog.dropBlock(session, turn, index);
    this.#forgetEmptyBacklog();
  }

  dropTurns(session: string, turns: readonly NodeId[]): void {
    if (this.#backlog === null) return;
    this.#backlog.dropTurns(session, turns);
    this.#forgetEmptyBacklog();
  }

  dropSession(session: string): void {
    this.#backlog?.dropSession(session);
    this.#forgetEmptyBacklog();
  }

  /** Discards what waits; nothing is sent any more. */
  close(): void {
    this.#state = 'closed';
    this.#backlog = null;
    this.#resolveEmptied();
  }

  #hasRoom(): boolean {
    return this.#peer.bufferedBytes <= this.#limits.socketBytes;
  }

  #queue(): Backlog {
    this.#backlog ??= new Backlog(this.#limits.outputChars);
    return this.#backlog;
  }

  #checkSize(): void {
    const bytes = this.#backlog?.bytes ?? 0;
    if (bytes > this.#limits.queueBytes) this.#actor.send({ type: 'CLOSE', because: 'slow_reader' });
  }

  readonly #onSent = (): void => {
    // a sign of life: the pongs of a slow reader come only when it has read all that was sent before the pings
    if (this.#backlog !== null || this.#peer.bufferedBytes > backlogBytes) this.#pulse.note();
    if (this.#backlog === null && this.#emptied === null) return;
    while (this.#hasRoom()) {
      const text = this.#backlog?.shift();
      if (text === undefined) break;
      this.#peer.send(text, this.#onSent);
    }
    this.#forgetEmptyBacklog();
    if (this.#hasRoom() && this.#backlog === null) this.#resolveEmptied();
  };

  #forgetEmptyBacklog(): void {
    if (this.#backlog?.isEmpty) this.#backlog = null;
  }

  #resolveEmptied(): void {
    this.#emptied?.resolve();
    this.#emptied = null;
  }
}
