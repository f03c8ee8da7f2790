// Collects the output of a process: both streams as one text, in the order of arrival, published while it comes and kept up to a limit.
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { BoundedText } from '../../core/text/bound-text.ts';
import { LiveOutput } from '../../core/text/live-output.ts';

export interface CollectedOutput {
  /** Resolves when every stream has ended or was destroyed; `onText` is not called after it. */
  readonly closed: Promise<void>;
  /** The output so far, head and tail. */
  readonly kept: BoundedText;
}

export interface OutputLimits {
  /** Characters of the output that are kept, head and tail together. */
  readonly maxChars: number;
  /** Characters that are published while they come, without the line that says that there are more. */
  readonly maxLiveChars: number;
}

/** Characters of live output of a call; a build's log fits, a flood does not. */
export const maxLiveChars = 262_144;

/**
 * Reads streams to their ends.
 * @param onText Receives the text while it comes, `maxLiveChars` of it at most; then one line that says that the rest is not shown.
 */
export function collectOutput(
  streams: readonly Readable[],
  limits: OutputLimits,
  onText: (text: string) => void,
): CollectedOutput {
  const kept = new BoundedText(limits.maxChars);
  const live = new LiveOutput(limits.maxLiveChars, onText);
  const onChunk = (text: string) => {
    kept.push(text);
    live.push(text);
  };
  const reads = streams.map(async (stream) => {
    const decoder = new StringDecoder('utf8');
    try {
      // one chunk (at most 64 KiB) in each round of the event loop: a flood delays nobody else
      for await (const chunk of stream) onChunk(decoder.write(chunk));
    } catch {
      // destroyed, or the pipe broke: what came before counts
    }
    const rest = decoder.end();
    if (rest !== '') onChunk(rest);
  });
  const closed = Promise.all(reads).then(() => {});
  return { closed, kept };
}
