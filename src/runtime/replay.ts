// Brings one who joins up to date: the facts that he has missed, then, in order, all that happened meanwhile.
import type { Recorded } from '../../machines/facts.ts';
import type { Log } from '../transcript/log.ts';
import type { Joined, Listener } from './face.ts';

/** Facts that are read from the log at once. */
const pageSize = 500;

/** A listener that keeps what it hears until `flow`, but facts up to `seq`, which the replay brings. */
export function holdBack(listener: Listener, seq: number) {
  let kept: (() => void)[] | null = [];
  const pass = (hear: () => void) => {
    if (kept) kept.push(hear);
    else hear();
  };
  const held: Listener = {
    joined: (joined) => listener.joined(joined),
    fact: (event) => {
      if (event.seq > seq) pass(() => listener.fact(event));
    },
    text: (delta) => pass(() => listener.text(delta)),
    output: (delta) => pass(() => listener.output(delta)),
    progress: (progress) => pass(() => listener.progress(progress)),
    accepted: (receipt) => pass(() => listener.accepted(receipt)),
    ended: (reason) => pass(() => listener.ended(reason)),
  };
  return {
    listener: held,
    flow(): void {
      const waiting = kept ?? [];
      kept = null;
      for (const hear of waiting) hear();
    },
  };
}

export async function replay(log: Log, joined: Joined, after: number | null, listener: Listener): Promise<void> {
  if (after === null) return;
  let seq = after;
  while (seq < joined.seq) {
    const page = await log.read(joined.session, seq, Math.min(pageSize, joined.seq - seq));
    if (page.length === 0) return;
    for (const event of page) listener.fact({ seq: event.seq, fact: event.body as Recorded });
    seq = page.at(-1)?.seq ?? joined.seq;
  }
}
