// Tool `cancel_agent`: stops a detached sub-agent that works for the same speaker.
import { z } from 'zod';
import type { Tool, ToolContext } from '../../../core/contracts/tool.ts';
import { defineTool } from '../../../core/tools/define-tool.ts';
import { stoppedEnd } from '../../../core/tools/refusal.ts';

type CancelAgentReply = Awaited<ReturnType<ToolContext['cancelAgent']>>;

const sentences: Readonly<Record<CancelAgentReply, (agent: string) => string>> = {
  cancelled: (agent) => `${agent} is being stopped.`,
  already_settled: (agent) => `${agent} is not running: it has ended, is being stopped already, or never existed.`,
  not_allowed: (agent) => `${agent} runs on: this speaker is not allowed to stop it.`,
  not_yours: (agent) => `${agent} is no detached agent of this speaker.`,
};

/** Makes the tool `cancel_agent`. */
export function cancelAgentTool(): Tool {
  return defineTool({
    name: 'cancel_agent',
    description: 'Stops an agent that was started with `detached: true` and still works.',
    input: z.object({
      agent: z.string().min(1).max(128).describe('The id of its turn: see session_status.'),
      reason: z.string().min(1).max(500).default('no longer needed'),
    }),
    access: 'parallel',
    cancel: 'abortable',
    effect: 'some',
    async run({ agent, reason }, { signal, cancelAgent }) {
      if (signal.aborted) return stoppedEnd;
      const reply = await cancelAgent(agent, reason);
      const message = sentences[reply](agent);
      if (reply === 'cancelled' || reply === 'already_settled') return message;
      return { kind: 'failed', code: 'denied', message, output: message, effect: 'none' };
    },
  });
}
