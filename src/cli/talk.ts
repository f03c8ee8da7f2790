// What one says at a terminal, and how it is stopped: the first interrupt cancels, the second forces, the third gives up.
import type { ClientSession } from '../client/session.ts';
import type { Turn } from '../client/turn.ts';

export interface Talk {
  say(text: string): void;
  /** What the interrupt has done. `idle`: nothing, because nothing runs. `again`: nothing, because it was forced already. */
  interrupt(): 'idle' | 'cancelling' | 'forcing' | 'again';
  readonly isBusy: boolean;
  /** Resolves when what was said has ended. */
  ended(): Promise<void>;
}

const reason = 'interrupted at the terminal';

/** `rested`: nothing runs any more, and nothing is being stopped. */
export function createTalk(session: ClientSession, rested: () => void): Talk {
  const running = new Set<Turn>();
  let stopping: { readonly turns: readonly Turn[]; readonly how: 'cancelling' | 'forcing' } | null = null;
  const isBusy = () => running.size > 0 || stopping !== null;
  const rest = () => {
    if (!isBusy()) rested();
  };

  function stop(turns: readonly Turn[], how: 'cancelling' | 'forcing'): void {
    const mine = { turns, how };
    stopping = mine;
    const cancels = turns.map((turn) => turn.cancel({ reason, force: how === 'forcing' }).settled);
    void Promise.allSettled(cancels).then(() => {
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
      turn.ended.then(over, over);
    },
    interrupt() {
      if (!isBusy()) return 'idle';
      if (stopping?.how === 'forcing') return 'again';
      if (stopping) stop(stopping.turns, 'forcing');
      else stop([...running], 'cancelling');
      return stopping?.how ?? 'idle';
    },
    get isBusy() {
      return isBusy();
    },
    async ended() {
      while (running.size > 0) await Promise.allSettled([...running].map((turn) => turn.ended));
    },
  };
}
