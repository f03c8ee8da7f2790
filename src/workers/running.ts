// The worker of `running`: calls the tool, and says truthfully how it ended.
import { outcomeOf } from '../../machines/cancel.ts';
import type { CallWorkInput, PhaseReply } from '../../machines/contracts.ts';
import type { Effect, Outcome } from '../../machines/vocabulary.ts';
import { boundText } from '../text/bound-text.ts';
import { errorText } from '../text/error-text.ts';
import { parseToolEnd } from '../tools/parse-tool-end.ts';
import { maxOutputChars, type Tool } from '../tools/tool.ts';
import { callEndings } from './call-outcomes.ts';
import { startTimers } from './call-timers.ts';
import { guardSignal } from './guard-signal.ts';
import { toolOf } from './parse-call.ts';
import { openContext } from './tool-context.ts';
import { type Job, worker } from './worker.ts';

export const work = worker<PhaseReply, CallWorkInput>({
  async run(work, job) {
    const { plane } = job;
    const { clock } = plane.sources;
    const { tool, input } = toolOf(work.call, job);
    const began = clock.now();
    const endTimers = startTimers(job.entry, work.call.timeoutMs ?? plane.timeoutOf(tool), plane);
    const guarded = guardSignal(job.signal, (error) =>
      plane.warn(`an abort listener of ${work.call.name} threw`, error),
    );
    const cleaned = cleanUp(tool, input, job);
    const opened = openContext(tool, work, job, guarded.signal);
    let outcome: Outcome;
    try {
      const end: unknown = await tool.run(input, opened.context);
      outcome = believed(tool, end, job);
    } catch (error) {
      outcome = thrown(tool, error, job);
    } finally {
      endTimers();
      opened.close();
      guarded.leave();
    }
    await cleaned.end();
    const charged = guarded.thrown === null ? {} : { message: `Its abort listener threw: ${guarded.thrown}` };
    return { ...outcome, ...charged, ms: clock.now() - began };
  },
  ...callEndings,
});

/** The tool's own cleaning up: once, when the call is stopped, beside its unwinding. */
function cleanUp(tool: Tool, input: unknown, { plane, entry, signal }: Job) {
  let cleaning = Promise.resolve();
  const clean = () => {
    if (!entry.cut || !tool.cleanup) return;
    const { cut } = entry;
    cleaning = Promise.resolve()
      .then(() => tool.cleanup?.(cut, input))
      .catch((error: unknown) => plane.warn(`the cleanup of ${tool.name} threw`, error));
  };
  signal.addEventListener('abort', clean, { once: true });
  return {
    end: (): Promise<void> => {
      signal.removeEventListener('abort', clean);
      return cleaning;
    },
  };
}

/** What a call that was entered has done when it did not complete. */
const entered = (tool: Tool): Effect => (tool.effect === 'none' ? 'none' : 'unknown');

function believed(tool: Tool, end: unknown, { entry }: Job): Outcome {
  const told = parseToolEnd(end);
  if (!told) {
    const message = `${tool.name} ended with something that is no end of a call: a text, or { kind, output }.`;
    return { kind: entry.cut ? outcomeOf(entry.cut) : 'failed', effect: entered(tool), code: 'tool_failed', message };
  }
  const { output, omitted } = boundText(told.output, maxOutputChars);
  const cutAway = omitted + (told.omitted ?? 0);
  const shown = {
    output,
    ...(cutAway > 0 && { omitted: cutAway }),
    ...(told.message !== undefined && { message: errorText(told.message) }),
    ...(told.forced && { forced: true }),
  };
  switch (told.kind) {
    case 'completed':
      return { kind: 'completed', effect: tool.effect === 'none' ? 'none' : 'done', ...shown };
    case 'failed':
      return { kind: 'failed', effect: told.effect ?? entered(tool), code: told.code ?? 'tool_failed', ...shown };
    case 'stopped': {
      if (entry.cut) return { kind: outcomeOf(entry.cut), effect: entered(tool), ...shown };
      const message = 'It stopped, though nobody had stopped it.';
      return { kind: 'failed', effect: entered(tool), code: 'tool_failed', ...shown, message };
    }
  }
}

/** An exception after the cut is how most code obeys its signal. */
function thrown(tool: Tool, error: unknown, { entry }: Job): Outcome {
  if (entry.cut) return { kind: outcomeOf(entry.cut), effect: entered(tool) };
  return { kind: 'failed', effect: entered(tool), code: 'tool_failed', message: errorText(error) };
}
