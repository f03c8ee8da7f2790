// What a call's tool gets to work with: its signals, its place, and what it may ask of the runtime.
import type { CallWorkInput } from '../../machines/contracts.ts';
import type { Tool, ToolContext } from '../tools/tool.ts';
import { putQuestion } from './question.ts';
import type { Timers } from './timeout.ts';
import type { Job } from './worker.ts';

export function toolContext(
  tool: Tool,
  work: CallWorkInput,
  job: Job,
  signal: AbortSignal,
  timers: Timers,
): ToolContext {
  const { plane, entry } = job;
  const { id: node, turn, call } = work;
  return {
    signal,
    kill: entry.killer.signal,
    session: plane.session,
    turn,
    call: node,
    speaker: call.owner,
    roots: plane.roots,
    depth: work.depth,
    clock: plane.sources.clock,
    output: (text) => plane.outlet.output(node, text),
    processStarted: (process) => void plane.append([{ type: 'process_started', node, ...process }]),

    async shield(region) {
      const end = tool.cancel === 'shielded' ? plane.shields.begin(node, tool.shieldMaxMs ?? 0) : null;
      if (!end)
        throw new Error(entry.cut ? 'the call is being stopped' : `${tool.name} may not begin a shielded region here`);
      try {
        return await region();
      } finally {
        end();
      }
    },

    async ask({ text, choices = [], to = call.owner, expiresMs, signal: withdrawn }) {
      timers.pause();
      try {
        const answer = await putQuestion(
          {
            kind: 'question',
            to,
            ...(expiresMs !== undefined && { expiresMs }),
            ...(withdrawn && { withdrawn }),
            asked: (expiresAt) => ({ type: 'question_asked', turn, node, to, text, choices, expiresAt }),
            closed: (given) => ({
              type: 'question_closed',
              node,
              answer: given === null ? 'withdrawn' : 'answered',
              text: given?.text ?? null,
              by: given?.by ?? null,
              ref: given?.ref ?? null,
            }),
          },
          job,
        );
        if (answer === null) throw new Error('the question was withdrawn');
        return answer.text ?? '';
      } finally {
        timers.resume();
      }
    },

    status: () => plane.statusOf(turn),
    cancelAgent: (agent, reason) => plane.cancelAgent(agent, call.owner, reason),
  };
}
