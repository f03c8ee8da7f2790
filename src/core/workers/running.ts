// The worker of `running`: calls the tool, and reports how the call ended.
import { addAbortListener } from 'node:events';
import { outcomeOf } from '../../../machines/cancel.ts';
import type { CallWorkInput, PhaseReply } from '../../../machines/contracts.ts';
import type { Effect, Outcome } from '../../../machines/vocabulary.ts';
import { dropUndefined } from '../collections/fields.ts';
import { maxOutputChars, type Tool } from '../contracts/tool.ts';
import { msSince } from '../sources/monotonic-time.ts';
import { boundText } from '../text/bound-text.ts';
import { errorText } from '../text/error-text.ts';
import { type ParsedToolEnd, parseToolEnd } from '../tools/parse-tool-end.ts';
import { callEndings } from './call-outcomes.ts';
import { startCallTimers } from './call-timers.ts';
import { GuardedSignal } from './guard-signal.ts';
import { parseCall } from './parse-call.ts';
import { type StoredOutput, storeOutput } from './store-output.ts';
import { type ContextServices, openContext } from './tool-context.ts';
import { type Job, worker } from './worker.ts';

type Needs = ContextServices | 'blobs' | 'external';

export const work = worker<CallWorkInput, PhaseReply, Needs>({
  async run(input, job) {
    const { clock } = job.services.runtime.sources;
    const parsed = parseCall(input.call, job);
    const startedAt = clock.elapsed();
    let outcome: Outcome;
    try {
      const cleanup = new Cleanup(parsed.tool, parsed.input, job);
      const ran = await runTool(parsed.tool, parsed.input, input, job);
      await cleanup.finish();
      const { listenerError } = ran;
      outcome = {
        ...ran.outcome,
        ...(listenerError !== null && { message: `Its abort listener threw: ${listenerError}` }),
      };
    } catch (error) {
      outcome = outcomeOfThrow(parsed.tool, error, job); // not `failed` of the endings below: the tool was entered
    }
    return { ...outcome, ms: msSince(clock, startedAt) };
  },
  ...callEndings,
});

async function runTool(
  tool: Tool,
  input: unknown,
  callInput: CallWorkInput,
  job: Job<Needs>,
): Promise<{ readonly outcome: Outcome; readonly listenerError: string | null }> {
  const { runtime } = job.services;
  using _timers = startCallTimers(job.entry, runtime.timeoutOf(tool, callInput.call.timeoutMs), job.services);
  using guarded = new GuardedSignal(job.signal, (error) =>
    runtime.warn(`An abort listener of ${callInput.call.name} threw.`, error),
  );
  using opened = openContext(tool, callInput, job, guarded.signal);
  try {
    const run = () => tool.run(input, opened.context);
    const parsed = parseToolEnd(await (runtime.tracing ? runtime.tracing.inCall(job.entry.id, run) : run()));
    const stored = parsed.ok && parsed.end.parts ? await storeOutput(parsed.end, job) : null;
    return { outcome: outcomeOfEnd(tool, parsed, stored, job), listenerError: guarded.thrown };
  } catch (error) {
    return { outcome: outcomeOfThrow(tool, error, job), listenerError: guarded.thrown };
  }
}

/** Calls the tool's own `cleanup` once, as soon as the call is stopped, while the tool may still be running. */
class Cleanup {
  /** Listens for the stop of the call; null: the tool has no `cleanup`. */
  readonly #listener: Disposable | null;
  #finished = Promise.resolve();

  constructor(tool: Tool, input: unknown, { services, entry, signal }: Job<'runtime'>) {
    this.#listener = !tool.cleanup
      ? null
      : addAbortListener(signal, () => {
          const { cut } = entry;
          if (!cut) return;
          this.#finished = Promise.resolve()
            .then(() => tool.cleanup?.(cut, input))
            .catch((error: unknown) => services.runtime.warn(`The cleanup of ${tool.name} threw.`, error));
        });
  }

  /** Resolves when the cleanup has ended, if it was called. It is not called afterwards. */
  finish(): Promise<void> {
    this.#listener?.[Symbol.dispose]();
    return this.#finished;
  }
}

/** Returns the effect of a call that has started and did not complete. */
const effectOfUnfinished = (tool: Tool): Effect => (tool.effect === 'none' ? 'none' : 'unknown');

/** `stored`: the output, if the end has parts. */
function outcomeOfEnd(
  tool: Tool,
  parsed: ParsedToolEnd,
  stored: StoredOutput | null,
  { entry }: Pick<Job, 'entry'>,
): Outcome {
  const effect = effectOfUnfinished(tool);
  if (!parsed.ok) {
    const message = `${tool.name} returned neither a text nor { kind, output, parts? }: ${parsed.problem}`;
    return { kind: entry.cut ? outcomeOf(entry.cut) : 'failed', effect, code: 'tool_failed', message };
  }
  const { kind, output: whole, parts: _, code = 'tool_failed', message, omitted: cut = 0, ...rest } = parsed.end;
  const { effect: known, usage, ...stop } = rest;
  const { output, omitted, parts }: StoredOutput = stored ?? boundText(whole, maxOutputChars);
  const fields = {
    output,
    ...dropUndefined({
      parts,
      omitted: omitted + cut || undefined,
      message: message === undefined ? undefined : errorText(message),
      ...stop,
      forced: stop.forced || undefined,
      usage,
    }),
  };
  switch (kind) {
    case 'completed':
      return { kind: 'completed', effect: tool.effect === 'none' ? 'none' : 'done', ...fields };
    case 'failed':
      return { kind: 'failed', effect: known ?? effect, code, ...fields };
    case 'stopped': {
      if (entry.cut) return { kind: outcomeOf(entry.cut), effect: known ?? effect, ...fields };
      return {
        kind: 'failed',
        effect,
        code: 'tool_failed',
        ...fields,
        message: 'The tool reported `stopped`, but the call was not stopped.',
      };
    }
  }
}

/** An exception after the cut counts as stopped: most code obeys its signal by throwing. */
function outcomeOfThrow(tool: Tool, error: unknown, { entry }: Pick<Job, 'entry'>): Outcome {
  const effect = effectOfUnfinished(tool);
  if (entry.cut) return { kind: outcomeOf(entry.cut), effect };
  return { kind: 'failed', effect, code: 'tool_failed', message: errorText(error) };
}
