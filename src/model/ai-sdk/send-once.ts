// Sends one request by a model of the AI SDK, and reports how its response ended. No request outlives the stop.
import { addAbortListener } from 'node:events';
import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { raceAbort } from '../../sources/race-abort.ts';
import type { Clock } from '../../sources/sources.ts';
import { createFailure, type Failure } from '../classify-failure.ts';
import type { ModelRequest, ModelStream } from '../provider.ts';
import type { RequestEnd } from '../request-end.ts';
import { SilenceTimer } from '../silence-timer.ts';
import { classifyAiSdkFailure } from './ai-sdk-failure.ts';
import type { AiSdkModel } from './ai-sdk-model.ts';
import { AiSdkResponse } from './ai-sdk-response.ts';

/** How long what follows the finish may take, in milliseconds. */
const tailMs = 1_000;

export interface SendOptions {
  readonly model: AiSdkModel;
  readonly request: ModelRequest;
  readonly callOptions: LanguageModelV4CallOptions;
  readonly clock: Clock;
  readonly firstByteMs: number;
  readonly idleMs: number;
}

/** Sends one request. Never rejects. Leaves no listener on the stream's signal. */
export async function sendOnce(options: SendOptions, stream: ModelStream): Promise<RequestEnd> {
  const { clock, firstByteMs, idleMs } = options;
  const response = new AiSdkResponse(stream, options.request);
  const connection = new AbortController();
  let failed: Failure | null = null;
  using _ = addAbortListener(stream.signal, () => connection.abort());
  using silence = new SilenceTimer({
    clock,
    firstByteMs,
    idleMs,
    onSilent(message) {
      failed = createFailure('model_timed_out', message);
      connection.abort();
    },
  });
  try {
    const parts = await openStream(options, connection.signal);
    if (parts !== 'aborted') await readParts(parts, { response, silence, signal: connection.signal });
    failed ??= endedEarly(response);
  } catch (error) {
    failed ??= classifyAiSdkFailure(error, response.hasStarted, clock);
  }
  return judge(response, stream.signal, failed);
}

async function openStream(
  { model, callOptions }: SendOptions,
  signal: AbortSignal,
): Promise<ReadableStream<LanguageModelV4StreamPart> | 'aborted'> {
  // what a LanguageModelV4 takes: AiSdkModel only leaves its type open
  const opened = Promise.resolve(model.doStream({ ...callOptions, abortSignal: signal } as never));
  const result = await raceAbort(opened, signal);
  // and what it gives
  if (result !== 'aborted') return result.stream as ReadableStream<LanguageModelV4StreamPart>;
  void opened.then(({ stream }) => stream.cancel()).catch(() => {}); // it came after the stop
  return 'aborted';
}

interface Reading {
  readonly response: AiSdkResponse;
  readonly silence: SilenceTimer;
  readonly signal: AbortSignal;
}

/** Passes the parts to the response, until the stream ends or the signal fires. */
async function readParts(
  parts: ReadableStream<LanguageModelV4StreamPart>,
  { response, silence, signal }: Reading,
): Promise<void> {
  const reader = parts.getReader();
  const cancel = () => void reader.cancel().catch(() => {});
  using _ = addAbortListener(signal, cancel); // a pending read ends with it
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || signal.aborted) return;
      silence.noteBytes();
      response.addPart(value);
      if (response.isFinished) silence.finish(tailMs);
      if (signal.aborted) return;
    }
  } finally {
    cancel();
  }
}

function endedEarly({ hasStarted }: AiSdkResponse): Failure {
  return hasStarted
    ? createFailure('model_cut_off', 'The response ended before it was complete.')
    : createFailure('model_malformed', "The response contains nothing of a model's response.");
}

function judge(response: AiSdkResponse, signal: AbortSignal, failed: Failure | null): RequestEnd {
  const usage = response.usage();
  if (response.isFinished) {
    const end = response.completedEnd();
    if (typeof end !== 'string') return { end, failure: null };
    if (!signal.aborted) return { end: { kind: 'failed', code: 'model_cut_off', message: end, usage }, failure: null };
  }
  if (signal.aborted || failed === null)
    return { end: { kind: 'stopped', calls: response.calls, usage }, failure: null };
  const { code, message } = failed;
  return { end: { kind: 'failed', code, message, usage }, failure: response.hasStarted ? null : failed };
}
