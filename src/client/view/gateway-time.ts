// The time of the gateway, and how long what runs there has run, by a clock of this machine that does not step.
//
// 1. The age of a node is a duration that the gateway has measured, or one that was seen from its start: no time of day is subtracted.
// 2. A gateway that says neither leaves an age unknown: none is guessed from the times of facts that were replayed.
import { BoundedMap } from '../../core/collections/bounded-map.ts';
import type { ServerFrame, WelcomeFrame } from '../../wire/server-frames.ts';
import type { ViewedSession } from './session-view.ts';

/** The limit of nodes whose start is remembered. The oldest is dropped first. */
const maxNodes = 10_000;

/** When a node has started, by the clock of this machine, and how long it has waited since: both in milliseconds. */
interface NodeRun {
  readonly startedAt: number;
  readonly waitedMs: number;
}

/** The part of a client that is followed. */
interface FollowedClient {
  on(type: 'state', listener: (state: FollowedState) => void): () => void;
}

type FollowedState =
  | { readonly kind: 'open'; readonly welcome: Pick<WelcomeFrame, 'now'> }
  | { readonly kind: 'connecting' | 'reconnecting' | 'closed' };

export class GatewayTime {
  readonly #elapsedMs: () => number;
  /** The time of day there less the time that has passed here; null: it is not known. */
  #offset: number | null = null;
  readonly #runs = new BoundedMap<string, NodeRun>(maxNodes);

  /** `elapsedMs`: returns the milliseconds since any moment, by a clock that does not step. */
  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs;
    this.ageMs = this.ageMs.bind(this);
    this.workedMs = this.workedMs.bind(this);
  }

  /** Follows a client from its first connection on. Without one everything is forgotten: this machine may have slept since, without its clock. */
  connect(client: FollowedClient): void {
    client.on('state', (state) => {
      if (state.kind === 'reconnecting') this.forget();
      if (state.kind === 'open' && state.welcome.now !== undefined) this.#setNow(state.welcome.now);
    });
  }

  /**
   * Follows what a session says about its nodes, and the times of its facts as they happen. `isReplayed`: its first JOIN asks for earlier facts, as every
   * later one does.
   */
  follow(session: ViewedSession, { isReplayed }: { readonly isReplayed: boolean }): void {
    let phase: 'first' | 'replaying' | 'live' = 'first';
    let end = 0;
    session.on('*', (frame) => {
      this.#observeNode(frame);
      if (frame.type === 'joined') {
        end = frame.seq;
        phase = phase === 'first' && !isReplayed ? 'live' : 'replaying';
      }
      if (frame.type === 'replayed') phase = 'live';
      if (!('at' in frame) || frame.at === undefined) return;
      if (phase === 'live') this.#setNow(frame.at);
      // a fact after the end that the JOIN has named is new, although it comes with the replay
      if (phase === 'live' || (frame.seq ?? 0) > end) this.#observeStart(frame, frame.at);
    });
  }

  /** Forgets everything. */
  forget(): void {
    this.#offset = null;
    this.#runs.clear();
  }

  /** The time of day at the gateway, in milliseconds since 1970; null: it is not known. */
  now(): number | null {
    return this.#offset === null ? null : this.#elapsedMs() + this.#offset;
  }

  /** Returns how long a node has run, in milliseconds; null: it has not started, or that is not known. */
  ageMs(node: string): number | null {
    const run = this.#runs.get(node);
    return run ? this.#elapsedMs() - run.startedAt : null;
  }

  /** Returns how much of its age a node did not wait for people or other calls, in milliseconds; null: its age is not known. */
  workedMs(node: string): number | null {
    const run = this.#runs.get(node);
    return run ? this.#elapsedMs() - run.startedAt - run.waitedMs : null;
  }

  /** Counts a wait of a node that was seen here. */
  addWait(node: string, ms: number): void {
    const run = this.#runs.get(node);
    if (run) this.#runs.set(node, { ...run, waitedMs: run.waitedMs + ms });
  }

  #setNow(now: number): void {
    this.#offset = now - this.#elapsedMs();
  }

  #start(node: string, ageMs: number, waitedMs = 0): void {
    this.#runs.set(node, { startedAt: this.#elapsedMs() - ageMs, waitedMs });
  }

  /** Notes the start of a node. `at`: when it was, by the time of day there. */
  #observeStart(frame: ServerFrame, at: number): void {
    const now = this.now();
    if (now === null) return;
    if (frame.type === 'turn_started') this.#start(frame.turn, Math.max(0, now - at));
    if (frame.type === 'tool_started') this.#start(frame.node, Math.max(0, now - at));
  }

  #observeNode(frame: ServerFrame): void {
    switch (frame.type) {
      case 'joined':
        for (const { node, ageMs, waitedMs } of frame.nodes)
          if (ageMs !== undefined) this.#start(node, ageMs, waitedMs);
        return;
      case 'tool_progress':
        // an earlier gateway says the age here alone
        if (!this.#runs.has(frame.node)) this.#start(frame.node, frame.elapsedMs);
        return;
      case 'turn_ended':
        this.#runs.delete(frame.turn);
        return;
      case 'tool_result':
        if (frame.outcome !== 'continues') this.#runs.delete(frame.node);
        return;
      case 'late_result':
        this.#runs.delete(frame.node);
        return;
      default:
    }
  }
}
