// Limits the output that a thread prints to the maximum of live output; the rest is dropped where it is written.
//
// The host receives a chunk only after a round of the thread's event loop: a loop that prints would keep all of it in its own heap, and
// V8 ends the whole host where that is full.
import type { Writable } from 'node:stream';
import { LiveOutputBudget } from './live-output-limit.ts';

type Callback = (error?: Error | null) => void;

const dropNote = '\n[… what it prints from here on is dropped …]\n';

/** Gives all streams one limit together. */
export function limitPrinting(streams: readonly Writable[]): void {
  const budget = new LiveOutputBudget();
  let state: 'open' | 'full' = 'open';
  for (const stream of streams) {
    // one signature for the overloads of `write`
    const write = stream.write.bind(stream) as (chunk: unknown, encoding?: unknown, callback?: unknown) => boolean;
    stream.write = (chunk: string | Uint8Array, encoding?: BufferEncoding | Callback, callback?: Callback): boolean => {
      const allowed = state === 'open' ? budget.spend(chunk.length) : 0;
      if (allowed === chunk.length) return write(chunk, encoding, callback);
      if (state === 'open') {
        state = 'full';
        write(chunk.slice(0, allowed), typeof encoding === 'string' ? encoding : undefined);
        write(dropNote);
      }
      callLater(typeof encoding === 'function' ? encoding : callback);
      return true;
    };
  }
}

/** By function: the console has one for all that it prints, and a loop would queue it for each line. */
const due = new Map<Callback, number>();

function callLater(callback: Callback | undefined): void {
  if (!callback) return;
  if (due.size === 0) process.nextTick(callAll);
  due.set(callback, (due.get(callback) ?? 0) + 1);
}

function callAll(): void {
  const now = [...due];
  due.clear();
  for (const [callback, times] of now) for (let i = 0; i < times; i++) callback(null);
}
