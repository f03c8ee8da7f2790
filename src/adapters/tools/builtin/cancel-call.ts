// Tool `cancel_call`: stops a call, a sub-agent or a detached agent that works for the same speaker.
import { z } from 'zod';
import type { CancelCallReply, Tool } from '../../../core/contracts/tool.ts';
import { defineTool } from '../../../core/tools/define-tool.ts';
import { stoppedEnd } from '../../../core/tools/refusal.ts';

const sentences: Readonly<Record<CancelCallReply, (node: string) => string>> = {
  cancelled: (node) => `${node} is being stopped.`,
  already_settled: (node) => `${node} is not running: it has ended, is being stopped already, or never existed.`,
  not_allowed: (node) => `${node} runs on: this speaker is not allowed to stop it.`,
  not_yours: (node) => `${node} is no call or agent that works for this speaker.`,
  own_work: (node) => `This call is part of ${node}. ${node} ends with your response.`,
};

/** Makes the tool `cancel_call`. */
export function cancelCallTool(): Tool {
  return defineTool({
    name: 'cancel_call',
    description:
      'Stops a call, or an agent that was started with `detached: true`, which still works in the background for this speaker.',
    input: z.object({
      call: z.string().min(1).max(128).describe('The id of the call, or of the turn of the agent: see session_status.'),
      reason: z.string().min(1).max(500).default('no longer needed'),
    }),
    access: 'parallel',
    cancel: 'abortable',
    effect: 'some',
    async run({ call, reason }, { signal, cancelCall }) {
      if (signal.aborted) return stoppedEnd;
      const reply = await cancelCall(call, reason);
      const message = sentences[reply](call);
      if (reply === 'cancelled' || reply === 'already_settled') return message;
      return { kind: 'failed', code: 'denied', message, output: message, effect: 'none' };
    },
  });
}
