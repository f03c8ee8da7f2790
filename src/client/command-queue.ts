// Commands to a session that have no reply yet: when each is sent, and what is sent again after a time without a connection.
//
// 1. Commands are sent in the order in which they were added. A CANCEL of a node overtakes the others: it must not wait, and a repeat of it is harmless.
// 2. A command that was sent over a lost connection is sent again only if the replay is over and has not brought its reply (docs/protocol.md, Coming back).
// 3. A command that the gateway does not know is not sent, but refused here. The features of the gateway are known as soon as there is a connection.
// 4. A command that is refused as `ref_reused` is added again under another ref, as the last one: words only if no later words were added.
import type { SessionFrame } from '../wire/client-frames.ts';
import type { WireFeature } from '../wire/frame-limits.ts';
import { NotSupported } from './errors.ts';
import type { RequiredFeature } from './required-feature.ts';

export interface ClientCommand {
  readonly ref: string;
  /** The feature of the gateway that it needs; null: every gateway knows it. */
  readonly requires: RequiredFeature | null;
  /** The frame as it is to be sent at this moment, to a gateway with these features. Called once for each sending. */
  frame(features: readonly WireFeature[]): SessionFrame;
  /** Whether it may be sent before the replay is over. */
  isUrgent(): boolean;
  /** Whether a CANCEL was sent after it that stops what it says. */
  readonly isStopped: boolean;
  /** Whether it is a SAY, STEER, RESUME or TRANSCRIPT. */
  readonly isWords: boolean;
  /** Called for each CANCEL that is added after it, until it has its reply. `as`: for whom a bridge cancels. */
  noteCancel(target: string, as: string | undefined): void;
  /** Returns the same command under another ref; null: it has another one already. */
  renewed(ref: string): ClientCommand | null;
}

/** `away`: there is no connection, or the session is not joined over it. `joining`: JOIN is sent, or the replay may still bring replies. `joined`: everything may be sent. */
export type JoinState = 'away' | 'joining' | 'joined';

/** `unsent`: it was never sent. `sent`: it may have been received. Null: it has its reply, or there is no such command. */
export type CommandState = 'unsent' | 'sent' | null;

interface QueuedCommand {
  readonly command: ClientCommand;
  /** `lost`: it was sent over a connection that is gone. */
  state: 'unsent' | 'sent' | 'lost';
}

export interface CommandQueueOptions {
  send(frame: SessionFrame): void;
  /** Returns the features of the gateway. Called only while there is a connection. */
  features(): readonly WireFeature[];
  /** Called instead of sending a command that the gateway does not know, which stays in the queue until it is removed. */
  refuse(ref: string, error: NotSupported): void;
}

export class CommandQueue {
  readonly #options: CommandQueueOptions;
  readonly #commands = new Map<string, QueuedCommand>();
  #joinState: JoinState = 'away';

  constructor(options: CommandQueueOptions) {
    this.#options = options;
  }

  get joinState(): JoinState {
    return this.#joinState;
  }

  /** How many commands were never sent. */
  get unsent(): number {
    return [...this.#commands.values()].filter(({ state }) => state === 'unsent').length;
  }

  /** Whether a command was sent over a connection that is gone: the replay may bring its reply. */
  get hasLost(): boolean {
    return [...this.#commands.values()].some(({ state }) => state === 'lost');
  }

  add(command: ClientCommand): void {
    this.#commands.set(command.ref, { command, state: 'unsent' });
    this.#flush();
  }

  /** Notes a CANCEL that is about to be added. */
  noteCancel(target: string, as: string | undefined): void {
    for (const { command } of this.#commands.values()) command.noteCancel(target, as);
  }

  stateOf(ref: string): CommandState {
    const state = this.#commands.get(ref)?.state ?? null;
    return state === 'lost' ? 'sent' : state;
  }

  /** Removes a command that has its reply, or is withdrawn. Returns it; null: it was not here. */
  remove(ref: string): ClientCommand | null {
    const command = this.#commands.get(ref)?.command ?? null;
    this.#commands.delete(ref);
    return command;
  }

  setJoinState(next: JoinState): void {
    this.#joinState = next;
    if (next !== 'away') return this.#flush();
    for (const queued of this.#commands.values()) if (queued.state === 'sent') queued.state = 'lost';
  }

  #flush(): void {
    const { send, features, refuse } = this.#options;
    for (const queued of [...this.#commands.values()]) {
      const { command } = queued;
      if (queued.state === 'sent' || this.#joinState === 'away') continue;
      const { requires } = command;
      if (requires && !features().includes(requires.feature)) {
        refuse(command.ref, new NotSupported(requires));
        continue;
      }
      if (this.#joinState === 'joining' && !command.isUrgent()) continue;
      queued.state = 'sent';
      send(command.frame(features()));
    }
  }
}
