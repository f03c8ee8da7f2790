// Stores the images, sounds and files of a call's end, before the fact that names them.
//
// 1. A call that has completed stays so, whatever becomes of them: words stand for what is not stored.
// 2. A stop waits for no store: once the signal has fired, nothing is stored any more.
import { textOfContent } from '../../../machines/content.ts';
import type { Outcome } from '../../../machines/vocabulary.ts';
import { BlobTooLarge } from '../contracts/blobs.ts';
import type { ToolEnd } from '../contracts/tool.ts';
import { raceAbort } from '../sources/abort-signals.ts';
import { errorText } from '../text/error-text.ts';
import { boundParts, describeLoaded } from '../tools/tool-parts.ts';
import type { Job } from './worker.ts';

export interface StoredOutput extends Pick<Outcome, 'parts'> {
  readonly output: string;
  /** Characters that the limit has removed from it. */
  readonly omitted: number;
}

const stoppedReason = 'not stored, because the call was stopped';

/** Resolves with the output of an end that has parts, as its outcome has it. Never rejects. */
export async function storeOutput(end: ToolEnd, { services, signal }: Job<'runtime' | 'blobs'>): Promise<StoredOutput> {
  const { blobs, runtime } = services;
  const { blobBytes } = runtime.limits;
  const first = end.output === '' ? [] : [{ type: 'text', text: end.output } as const];
  const { parts, omitted } = boundParts([...first, ...(end.parts ?? [])]);
  const inWords = (why: string): StoredOutput => {
    const words = parts.map((part) => (part.type === 'text' ? part : describeLoaded(part, why)));
    return { output: words.map((part) => (part.type === 'text' ? part.text : '')).join('\n'), omitted };
  };
  if (signal.aborted) return inWords(stoppedReason);
  const fitting = parts.map((part) =>
    part.type === 'text' || part.data.length <= blobBytes
      ? part
      : describeLoaded(part, `not stored, because the limit is ${blobBytes} bytes`),
  );
  try {
    const stored = await raceAbort(blobs.storeContent(fitting), signal);
    if (stored === 'aborted') return inWords(stoppedReason);
    const output = textOfContent(stored);
    return stored.every(({ type }) => type === 'text') ? { output, omitted } : { output, parts: stored, omitted };
  } catch (error) {
    if (!(error instanceof BlobTooLarge)) runtime.warn('What a call has shown could not be stored.', error);
    return inWords(`not stored: ${errorText(error)}`);
  }
}
