// The worker of `running`: calls the tool, and says truthfully how it ended.
import { outcomeOf } from '../../machines/cancel.ts';
import type { Call, CallWorkInput, PhaseReply } from '../../machines/contracts.ts';
import type { Effect, Outcome } from '../../machines/vocabulary.ts';
import { boundOutput } from '../tools/bound.ts';
import { maxOutputChars, type Tool, type ToolContext, type ToolEnd } from '../tools/tool.ts';
import { callEndings } from './endings.ts';
import { guardSignal } from './guard-signal.ts';
import { type Job, worker } from './worker.ts';

/** The tool of a call and its arguments, as they were checked when the call was read. */
export function toolOf(call: Call, { plane, entry }: Job): { tool: Tool; input: unknown } {
  const parentTurn = entry.parent === null ? undefined : plane.tree.get(entry.parent);
  const tool = plane.offer(parentTurn?.name ?? null).tool(call.name);
  const parsed = tool?.parse(JSON.parse(call.arguments === '' ? '{}' : call.arguments));
  if (!tool || !parsed?.ok) throw new Error(`${call.name} is not what it was when the call was read`);
  return { tool, input: parsed.input };
}

export const work = worker<PhaseReply, CallWorkInput>({
  async run(work, job) {
    const { plane, entry } = job;
    const { tool, input } = toolOf(work.call, job);
    const { clock } = plane.sources;
    const began = clock.now();
    const disarm =
      tool.timeoutMs > 0
        ? clock.after(tool.timeoutMs, () => plane.expire(work.id, `no result within ${tool.timeoutMs} ms`))
        : () => {};
    const guarded = guardSignal(job.signal, (error) =>
      plane.warn(`an abort listener of ${work.call.name} threw`, error),
    );
    const context: ToolContext = {
      signal: guarded.signal,
      kill: entry.killer.signal,
      session: plane.session,
      turn: work.turn,
      call: work.id,
      speaker: work.call.owner,
      roots: plane.roots,
      depth: work.depth,
      clock,
      output: (text) => plane.outlet.output(work.id, text),
      processStarted: (process) => void plane.append([{ type: 'process_started', node: work.id, ...process }]),
    };
    let outcome: Outcome;
    try {
      outcome = believed(tool, await tool.run(input, context), job);
    } catch (error) {
      outcome = thrown(tool, error, job);
    } finally {
      disarm();
      guarded.leave();
    }
    const charged = guarded.thrown === null ? {} : { message: `Its abort listener threw: ${guarded.thrown}` };
    return { ...outcome, ...charged, ms: clock.now() - began };
  },
  ...callEndings,
});

/** What a call that was entered has done when it did not complete. */
const entered = (tool: Tool): Effect => (tool.effect === 'none' ? 'none' : 'unknown');

function believed(tool: Tool, end: ToolEnd | string, { entry }: Job): Outcome {
  const told: ToolEnd = typeof end === 'string' ? { kind: 'completed', output: end } : end;
  const { output, omitted } = boundOutput(told.output, maxOutputChars);
  const cutAway = omitted + (told.omitted ?? 0);
  const shown = {
    output,
    ...(cutAway > 0 && { omitted: cutAway }),
    ...(told.message !== undefined && { message: told.message }),
    ...(told.forced && { forced: true }),
  };
  switch (told.kind) {
    case 'completed':
      return { kind: 'completed', effect: tool.effect === 'none' ? 'none' : 'done', ...shown };
    case 'failed':
      return { kind: 'failed', effect: told.effect ?? entered(tool), code: told.code ?? 'tool_failed', ...shown };
    case 'stopped':
      return entry.cut
        ? { kind: outcomeOf(entry.cut), effect: entered(tool), ...shown }
        : {
            kind: 'failed',
            effect: entered(tool),
            code: 'tool_failed',
            ...shown,
            message: 'It stopped, though nobody had stopped it.',
          };
  }
}

/** An exception after the cut is how most code obeys its signal. */
function thrown(tool: Tool, error: unknown, { entry }: Job): Outcome {
  if (entry.cut) return { kind: outcomeOf(entry.cut), effect: entered(tool) };
  return {
    kind: 'failed',
    effect: entered(tool),
    code: 'tool_failed',
    message: error instanceof Error ? error.message : String(error),
  };
}
