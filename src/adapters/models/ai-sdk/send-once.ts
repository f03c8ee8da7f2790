// Sends one request by a model of the AI SDK, and reports how its response ended. No request outlives the stop.
import { addAbortListener } from 'node:events';
import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { ModelRequest, ModelStream } from '../../../core/contracts/provider.ts';
import { raceAbort } from '../../../core/sources/abort-signals.ts';
import type { Failure } from '../classify-failure.ts';
import { endedEarly, endUnfinished, type RequestEnd } from '../request-end.ts';
import { RequestInFlight, type SilenceLimits } from '../request-in-flight.ts';
import { classifyAiSdkFailure } from './ai-sdk-failure.ts';
import type { AiSdkModel } from './ai-sdk-model.ts';
import { AiSdkResponse } from './ai-sdk-response.ts';

/** How long what follows the finish may take, in milliseconds. */
const tailMs = 1_000;

export interface SendOptions extends SilenceLimits {
  readonly model: AiSdkModel;
  readonly request: ModelRequest;
  readonly callOptions: LanguageModelV4CallOptions;
}

/** Sends one request. Never rejects. Leaves no listener on the stream's signal. */
export async function sendOnce(options: SendOptions, stream: ModelStream): Promise<RequestEnd> {
  const response = new AiSdkResponse(stream, options.request);
  using inFlight = new RequestInFlight(stream.signal, options);
  const { signal } = inFlight;
  let failed: Failure;
  try {
    const parts = await openStream(options, signal);
    if (parts !== 'aborted') await readParts(parts, response, inFlight);
    failed = endedEarly(response);
  } catch (error) {
    failed = classifyAiSdkFailure(error, response.hasStarted, options.clock);
  }
  if (response.isFinished) {
    const end = response.completedEnd();
    if (typeof end !== 'string') return { end, failure: null };
    const usage = response.usage();
    if (!stream.signal.aborted)
      return { end: { kind: 'failed', code: 'model_cut_off', message: end, usage }, failure: null };
  }
  return endUnfinished(response, stream.signal, inFlight.timeout ?? failed);
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

/** Passes the parts to the response, until the stream ends or the signal fires. */
async function readParts(
  parts: ReadableStream<LanguageModelV4StreamPart>,
  response: AiSdkResponse,
  inFlight: RequestInFlight,
): Promise<void> {
  const { signal } = inFlight;
  const reader = parts.getReader();
  const cancel = () => void reader.cancel().catch(() => {});
  using _ = addAbortListener(signal, cancel); // a pending read ends with it
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || signal.aborted) return;
      inFlight.noteBytes();
      response.addPart(value);
      if (response.isFinished) inFlight.noteFinish(tailMs);
      if (signal.aborted) return;
    }
  } finally {
    cancel();
  }
}
