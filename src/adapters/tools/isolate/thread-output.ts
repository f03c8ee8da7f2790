// Limits how much a thread can print. The rest is dropped inside the thread.
//
// The host receives printed text only when the thread's event loop turns. Code that prints in a loop without a pause would keep all of its
// text in the heap of the thread. When that heap is full, V8 ends the whole process of the host.
import type { Writable } from 'node:stream';
import { maxLiveChars } from '../../processes/process-output.ts';
import { LiveOutputBudget } from './live-output-limit.ts';

type WriteCallback = (error?: Error | null) => void;

const dropNote = `\n[… the rest is not shown live, and is not kept: a thread may print ${maxLiveChars} characters …]\n`;

/** Replaces `write` of the streams. Together they pass on at most the live output that a call may send, and one note after it. */
export function limitThreadOutput(streams: readonly Writable[]): void {
  const budget = new LiveOutputBudget(dropNote.length);
  let state: 'open' | 'full' = 'open';
  for (const stream of streams) {
    // one signature for the overloads of `write`
    const write = stream.write.bind(stream) as (chunk: unknown, encoding?: unknown, callback?: unknown) => boolean;
    stream.write = (
      chunk: string | Uint8Array,
      encoding?: BufferEncoding | WriteCallback,
      callback?: WriteCallback,
    ): boolean => {
      const allowed = state === 'open' ? budget.spend(chunk.length) : 0;
      if (allowed === chunk.length) return write(chunk, encoding, callback);
      if (state === 'open') {
        state = 'full';
        write(chunk.slice(0, allowed), typeof encoding === 'string' ? encoding : undefined);
        write(dropNote);
      }
      queueCallback(typeof encoding === 'function' ? encoding : callback);
      return true;
    };
  }
}

/** How often each callback has to be called. Counted and not queued: the console passes the same one with each line, and a loop would fill a queue. */
const dueCalls = new Map<WriteCallback, number>();

function queueCallback(callback: WriteCallback | undefined): void {
  if (!callback) return;
  if (dueCalls.size === 0) process.nextTick(runCallbacks);
  dueCalls.set(callback, (dueCalls.get(callback) ?? 0) + 1);
}

function runCallbacks(): void {
  const calls = [...dueCalls];
  dueCalls.clear(); // a callback may write again
  for (const [callback, times] of calls) for (let i = 0; i < times; i++) callback(null);
}
