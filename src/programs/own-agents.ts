// The detached sub-agents of the turns of this terminal: each is a turn of its own, and runs on when the turn that detached it has ended.
import type { ClientSession } from '../client/joined-session.ts';
import type { ServerFrame } from '../wire/server-frames.ts';

export class OwnAgents {
  readonly #isOwnRef: (ref: string) => boolean;
  /** The turns of this terminal, the nodes below them, and the sub-agents that they have detached. */
  readonly #nodes = new Set<string>();
  readonly #running = new Set<string>();

  /** `isOwnRef`: whether the ref is of a SAY of this terminal. */
  constructor(session: Pick<ClientSession, 'on'>, isOwnRef: (ref: string) => boolean) {
    this.#isOwnRef = isOwnRef;
    session.on('*', (frame) => this.#receive(frame));
  }

  /** The ids of the sub-agents that run. */
  get running(): readonly string[] {
    return [...this.#running];
  }

  /** Forgets the nodes if no sub-agent runs. To be called when no turn of this terminal runs: then none of the nodes can detach another one. */
  forgetNodes(): void {
    if (this.#running.size === 0) this.#nodes.clear();
  }

  #receive(frame: ServerFrame): void {
    if (frame.type === 'turn_opened') {
      const isAgent = frame.from !== undefined && this.#nodes.has(frame.from);
      if (isAgent) this.#running.add(frame.turn);
      if (isAgent || (frame.ref !== null && this.#isOwnRef(frame.ref))) this.#nodes.add(frame.turn);
    }
    if (frame.type === 'tool_call' && this.#nodes.has(frame.turn)) this.#nodes.add(frame.node);
    if (frame.type === 'turn_started' && frame.parent !== null && this.#nodes.has(frame.parent)) {
      this.#nodes.add(frame.turn);
    }
    if (frame.type === 'turn_ended') this.#running.delete(frame.turn);
  }
}
