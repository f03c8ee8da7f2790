// Tool `cancel_call`: stops a call, a sub-agent or a detached agent that works for the same speaker.
import { z } from 'zod';
import type { CancelCallReply, Tool } from '../../../core/contracts/tool.ts';
import { defineTool } from '../../../core/tools/define-tool.ts';
import { stoppedEnd } from '../../../core/tools/refusal.ts';
import { refusedText } from '../../../core/words/receipt-words.ts';

function sentenceOf(reply: CancelCallReply, node: string): string {
  switch (reply) {
    case 'cancelled':
      return `${node} is being stopped.`;
    case 'already_settled':
      return `${node} is not running: it has ended, is being stopped already, or never existed.`;
    case 'not_yours':
      return `${node} is no call or agent that works for this speaker.`;
    case 'own_work':
      return `This call is part of ${node}. ${node} ends with your response.`;
    default:
      return `${node} ${refusedText(reply, null)}.`;
  }
}

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
      const message = sentenceOf(reply, call);
      if (reply === 'cancelled' || reply === 'already_settled') return message;
      return { kind: 'failed', code: 'denied', message, output: message, effect: 'none' };
    },
  });
}
