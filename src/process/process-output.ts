// What a process prints: both streams as one text, in the order of arrival, shown while it comes and kept within a bound.
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { type BoundedResult, createBoundedText } from '../text/bound-text.ts';

export interface CollectedOutput {
  /** Resolves when every stream has ended or was destroyed; `onText` is not called after it. */
  readonly closed: Promise<void>;
  end(): BoundedResult;
}

/** A stream hands over one chunk (at most 64 KiB) for each round of the event loop: a flood does not keep others waiting. */
async function read(stream: Readable, onText: (text: string) => void): Promise<void> {
  const decoder = new StringDecoder('utf8');
  try {
    for await (const chunk of stream) onText(decoder.write(chunk));
  } catch {
    // destroyed, or the pipe broke: what came before stands
  }
  const rest = decoder.end();
  if (rest !== '') onText(rest);
}

/** `maxChars` of the output are kept, head and tail together; at most `maxLiveChars` are shown while they come. */
export function collectOutput(
  streams: readonly Readable[],
  limits: { readonly maxChars: number; readonly maxLiveChars: number },
  onText: (text: string) => void,
): CollectedOutput {
  const kept = createBoundedText(limits.maxChars);
  let live = limits.maxLiveChars;
  const take = (text: string) => {
    kept.push(text);
    const shown = text.slice(0, live);
    live -= shown.length;
    if (shown !== '') onText(shown);
  };
  return {
    closed: Promise.all(streams.map((stream) => read(stream, take))).then(() => {}),
    end: () => kept.end(),
  };
}
