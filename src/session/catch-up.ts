// Brings one who joins up to date: the facts that he has missed, as fast as he takes them, then all that happens.
//
// 1. Facts come from the log until it has no more; then, in the same tick, the live ones follow: none is missing, none comes twice.
// 2. What is kept meanwhile is bounded by what streams: text is merged by block, and goes when its block ends; output and progress are not kept.
import type { Recorded } from '../../machines/facts.ts';
import type { TextDelta } from '../../machines/live-view.ts';
import type { LoggedEvent } from '../transcript/log.ts';
import type { SessionListener } from './api.ts';

/** Facts that are read from the log at once. */
export const pageSize = 500;

/** A listener that keeps what it hears until `flow`, but for facts, which the replay brings. */
export interface Held {
  /** What the session talks to. */
  readonly listener: SessionListener;
  /** Whom it all is for. */
  readonly to: SessionListener;
  /** From now on everything is live. */
  flow(): void;
}

/** A listener that keeps what it hears until `flow`, but for facts, which the replay brings. */
export function holdBack(to: SessionListener): Held {
  const texts = new Map<string, TextDelta>();
  let state: 'held' | 'live' = 'held';
  const live =
    <T>(hear: (event: T) => void, keep: (event: T) => void = () => {}) =>
    (event: T) =>
      (state === 'held' ? keep : hear)(event);
  const drop = (matches: (delta: TextDelta) => boolean) => {
    for (const [key, delta] of texts) if (matches(delta)) texts.delete(key);
  };

  return {
    to,
    listener: {
      joined: (joined) => to.joined(joined),
      fact: live(
        (event) => to.fact(event),
        ({ fact }) => {
          if (fact.type === 'model_ended') drop(({ turn, index }) => turn === fact.turn && index === fact.index);
          if (fact.type === 'cancel_accepted') drop(({ turn }) => fact.stopping.includes(turn));
        },
      ),
      text: live(
        (delta) => to.text(delta),
        (delta) => {
          const key = JSON.stringify([delta.turn, delta.index]);
          const before = texts.get(key);
          texts.set(key, before ? { ...before, text: before.text + delta.text } : delta);
        },
      ),
      output: live((delta) => to.output(delta)),
      progress: live((progress) => to.progress(progress)),
      accepted: live((receipt) => to.accepted(receipt)), // its fact follows, from the log if need be
      ended: (reason) => to.ended(reason), // at once: nobody goes on replaying to one who is no member any more
    },
    flow() {
      state = 'live';
      for (const delta of texts.values()) to.text(delta);
      texts.clear();
    },
  };
}

export interface ReplayOptions {
  readonly after: number;
  /** The next facts of the log behind that number. */
  read(seq: number): Promise<readonly LoggedEvent[]>;
  /** The number of the last fact that has committed. */
  committed(): number;
  /** False when the one who joins is gone. */
  isWanted(): boolean;
}

/** Resolves when nothing is missing any more, or nobody wants it. */
export async function replay(held: Held, { after, read, committed, isWanted }: ReplayOptions): Promise<void> {
  let seq = after;
  while (seq < committed()) {
    const page = await read(seq);
    if (page.length === 0) throw new Error(`The log ends at ${seq}, and ${committed()} facts have been committed.`);
    for (const event of page) {
      await held.to.room?.();
      if (!isWanted()) return;
      if (event.seq > committed()) break; // written, and not told yet: it comes live
      held.to.fact({ seq: event.seq, fact: event.body as Recorded });
      seq = event.seq;
    }
  }
  held.to.replayed?.();
  held.flow();
}
