// What was asked of a session and has no answer yet: when each command goes out, and what goes out again after a time away.
//
// 1. Commands go out in the order in which they were given; a stop of a node overtakes, because it must not wait and is harmless when it comes twice.
// 2. What has gone out over a connection that is gone goes out again only when the replay is over and has not answered it (docs/protocol.md, Coming back).
import type { SessionFrame } from '../protocol/client-frames.ts';

export interface Command {
  readonly ref: string;
  /** As it is to be sent at this moment. */
  frame(): SessionFrame;
  /** Whether it may go out before the replay is over. */
  isUrgent(): boolean;
}

/** `away`: there is no connection, or the session has not been joined over it. `joining`: JOIN is out, or the replay has not answered yet. `joined`: all may go out. */
export type Standing = 'away' | 'joining' | 'joined';

export interface Commands {
  readonly standing: Standing;
  /** Commands that have not gone out. */
  readonly waiting: number;
  /** Whether something went out over a connection that is gone: the replay may answer it. */
  readonly isUnsure: boolean;
  add(command: Command): void;
  /** `unsent`: it has never gone out. `open`: it may have been heard. Null: it has its answer, or never was. */
  stateOf(ref: string): 'unsent' | 'open' | null;
  /** It has its answer, or is taken back. */
  close(ref: string): void;
  enter(standing: Standing): void;
}

interface Entry {
  readonly command: Command;
  /** `lost`: it went out over a connection that is gone. */
  state: 'unsent' | 'sent' | 'lost';
}

export function createCommands(send: (frame: SessionFrame) => void): Commands {
  const entries = new Map<string, Entry>();
  let standing: Standing = 'away';

  function flush(): void {
    for (const entry of [...entries.values()]) {
      if (entry.state === 'sent' || standing === 'away') continue;
      if (standing === 'joining' && !entry.command.isUrgent()) continue;
      entry.state = 'sent';
      send(entry.command.frame());
    }
  }

  return {
    get standing() {
      return standing;
    },
    get waiting() {
      return [...entries.values()].filter(({ state }) => state === 'unsent').length;
    },
    get isUnsure() {
      return [...entries.values()].some(({ state }) => state === 'lost');
    },
    add(command) {
      entries.set(command.ref, { command, state: 'unsent' });
      flush();
    },
    stateOf(ref) {
      const state = entries.get(ref)?.state;
      return state === undefined ? null : state === 'unsent' ? 'unsent' : 'open';
    },
    close: (ref) => void entries.delete(ref),
    enter(next) {
      standing = next;
      if (next !== 'away') return flush();
      for (const entry of entries.values()) if (entry.state === 'sent') entry.state = 'lost';
    },
  };
}
