// The agents that the turns of a session have detached, by the turn that they come from.
import type { ServerFrame } from '../../wire/server-frames.ts';

export class DetachedTurns {
  /** The first turn above each agent that has not ended. */
  readonly #running = new Map<string, string>();
  readonly #waiting = new Map<string, PromiseWithResolvers<void>>();

  receive(frame: ServerFrame): void {
    if (frame.type === 'turn_opened' && frame.kind === 'agent' && frame.from !== undefined)
      this.#running.set(frame.turn, this.#running.get(frame.from) ?? frame.from);
    if (frame.type !== 'turn_ended') return;
    const first = this.#running.get(frame.turn);
    this.#running.delete(frame.turn);
    if (first === undefined || this.#isRunning(first)) return;
    this.#waiting.get(first)?.resolve();
    this.#waiting.delete(first);
  }

  /** The session has ended: nothing is known of them any more. */
  endAll(): void {
    this.#running.clear();
    for (const { resolve } of this.#waiting.values()) resolve();
    this.#waiting.clear();
  }

  /** Resolves when every agent has ended that the turn, or one of its agents, has detached. */
  ended(turn: string): Promise<void> {
    if (!this.#isRunning(turn)) return Promise.resolve();
    const waiting = this.#waiting.get(turn) ?? Promise.withResolvers<void>();
    this.#waiting.set(turn, waiting);
    return waiting.promise;
  }

  #isRunning(turn: string): boolean {
    return [...this.#running.values()].includes(turn);
  }
}
