// One request to the endpoint, from its first byte to a verdict on how it ended.
import type OpenAI from 'openai';
import { type Usage, unknownUsage } from '../../machines/vocabulary.ts';
import type { Clock } from '../sources/sources.ts';
import { type Failure, failure, failureOf } from './classify-failure.ts';
import { createFold, type Fold } from './completion-fold.ts';
import { estimatedUsage } from './estimate-usage.ts';
import type { ModelEnd, ModelRequest, ModelStream } from './provider.ts';
import { createWire } from './timed-fetch.ts';

/** What may come behind the finish (usage, the end of the stream) is not waited for any longer than this. */
export const tailMs = 5_000;

export interface AttemptOptions {
  readonly client: OpenAI;
  readonly clock: Clock;
  readonly firstByteMs: number;
  readonly idleMs: number;
}

export interface AttemptEnd {
  readonly end: ModelEnd;
  /** Set where nothing of an answer has arrived and the request may be sent again. */
  readonly again: Failure | null;
}

/** Never rejects. Leaves no listener on the stream's signal, no timer, and no open request. */
export async function attempt(
  request: ModelRequest,
  body: OpenAI.ChatCompletionCreateParamsStreaming,
  stream: ModelStream,
  { client, clock, firstByteMs, idleMs }: AttemptOptions,
): Promise<AttemptEnd> {
  const fold = createFold();
  const connection = new AbortController();
  const closeConnection = () => connection.abort();
  let failed: Failure | null = null;
  const wire = createWire({
    clock,
    firstByteMs,
    idleMs,
    onSilent(sentence) {
      failed = failure('model_timed_out', sentence);
      closeConnection();
    },
  });
  stream.signal.addEventListener('abort', closeConnection, { once: true });
  try {
    const chunks = await client
      .withOptions({ fetch: wire.fetch })
      .chat.completions.create(body, { signal: connection.signal });
    // the client yields nothing behind the abort, and closes the connection when the loop is left by an exception
    for await (const chunk of chunks) {
      const text = fold.add(chunk);
      if (text !== '') stream.onText(text);
      if (fold.finish !== null) wire.finished(tailMs);
    }
    failed ??= endedEarly(fold, wire.contentType);
  } catch (error) {
    failed ??= failureOf(error, clock);
  } finally {
    stream.signal.removeEventListener('abort', closeConnection);
    wire.close();
  }
  return judge(request, stream.signal, fold, failed);
}

/** The client ends its loop quietly at an abort, and for a body that is no stream; so the end of the loop says nothing yet. */
function endedEarly(fold: Fold, contentType: string | null): Failure {
  if (fold.begun) return failure('model_cut_off', 'The answer ended without a finish reason.');
  return failure(
    'model_malformed',
    `The answer (${contentType ?? 'no content type'}) holds no chunk of a chat completion.`,
  );
}

function judge(request: ModelRequest, signal: AbortSignal, fold: Fold, failed: Failure | null): AttemptEnd {
  const usage = usageOf(request, fold);
  const calls = fold.whole();
  // The answer was whole before anything else could happen to it.
  if (fold.finish !== null) return { end: { kind: 'completed', finish: fold.finish, calls, usage }, again: null };
  if (signal.aborted || failed === null) return { end: { kind: 'stopped', calls, usage }, again: null };
  const { code, message, transient } = failed;
  return { end: { kind: 'failed', code, message, usage }, again: transient && !fold.begun ? failed : null };
}

/** What the provider said counts only for a whole answer: before that it speaks of an earlier chunk. */
function usageOf(request: ModelRequest, fold: Fold): Usage {
  if (fold.finish !== null && fold.usage) return fold.usage;
  return fold.chars > 0 ? estimatedUsage(request, fold.chars) : (fold.usage ?? unknownUsage);
}
