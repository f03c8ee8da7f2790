// What one says at a terminal, and how it is stopped: the first interrupt cancels, the second forces, the third gives up.
import type { CancelHandle, CancelOptions } from '../client/cancel.ts';
import { CommandRefused, SessionEnded } from '../client/errors.ts';
import type { ClientSession } from '../client/joined-session.ts';
import type { Turn } from '../client/turn.ts';

export interface Talk {
  say(text: string): Turn;
  /** A node id, `mine` or `session`. */
  stop(target: string, force: boolean): void;
  /** What the interrupt has done. `idle`: nothing, because nothing runs. `again`: nothing, because it was forced already. */
  interrupt(): 'idle' | 'cancelling' | 'forcing' | 'again';
  readonly isBusy: boolean;
  /** Resolves when what was said has ended. */
  ended(): Promise<void>;
  /** Resolves when nothing is being stopped: every receipt has come. */
  stopped(): Promise<void>;
}

export interface TalkInput {
  readonly session: Pick<ClientSession, 'say' | 'cancel'>;
  /** Whether something of the speaker's runs that was not said here: before this terminal was opened, or at another one. */
  readonly hasMore: () => boolean;
  /** Nothing runs any more that was said here, and nothing is being stopped. */
  rested(): void;
  /** A command was not sent, or its connection is gone. What the gateway refuses is a frame, which the view tells. */
  failed(error: Error): void;
}

const reason = 'interrupted at the terminal';

type Stop = (options: CancelOptions) => readonly CancelHandle[];

export function createTalk({ session, hasMore, rested, failed }: TalkInput): Talk {
  const running = new Set<Turn>();
  let stopping: { readonly stop: Stop; readonly how: 'cancelling' | 'forcing' } | null = null;
  let settling: Promise<unknown> = Promise.resolve();
  const isBusy = () => running.size > 0 || stopping !== null;
  const rest = () => {
    if (!isBusy()) rested();
  };
  const tell = (error: unknown) => {
    if (error instanceof Error && !(error instanceof CommandRefused) && !(error instanceof SessionEnded)) failed(error);
  };

  function stopBy(stop: Stop, how: 'cancelling' | 'forcing'): void {
    const mine = { stop, how };
    stopping = mine;
    const cancels = stop({ reason, force: how === 'forcing' });
    for (const { accepted } of cancels) accepted.catch(tell);
    settling = Promise.allSettled(cancels.map(({ settled }) => settled)).then(() => {
      if (stopping !== mine) return; // a later one has taken over
      stopping = null;
      rest();
    });
  }

  return {
    say(text) {
      const turn = session.say(text);
      running.add(turn);
      const over = () => {
        running.delete(turn);
        rest();
      };
      turn.ended.catch(tell).then(over, over);
      return turn;
    },
    stop: (target, force) => stopBy((options) => [session.cancel(target, options)], force ? 'forcing' : 'cancelling'),
    interrupt() {
      if (stopping?.how === 'forcing') return 'again';
      if (stopping) stopBy(stopping.stop, 'forcing');
      else if (running.size > 0) {
        const turns = [...running];
        stopBy((options) => turns.map((turn) => turn.cancel(options)), 'cancelling');
      } else if (hasMore()) stopBy((options) => [session.cancel('mine', options)], 'cancelling');
      return stopping?.how ?? 'idle';
    },
    get isBusy() {
      return isBusy();
    },
    async stopped() {
      while (stopping) await settling;
    },
    async ended() {
      while (running.size > 0) await Promise.allSettled([...running].map((turn) => turn.ended));
    },
  };
}
