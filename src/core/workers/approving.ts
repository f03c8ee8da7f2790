// The worker of `approving`: waits until a person approves or denies the call, while its siblings run on.
import type { Call, CallWorkInput, PhaseReply } from '../../../machines/contracts.ts';
import type { Approval } from '../contracts/tool.ts';
import { runApproval } from '../tools/require-approval.ts';
import { callEndings, stoppedOutcome } from './call-outcomes.ts';
import { parseCall } from './parse-call.ts';
import { approvalOf, cannotAsk, isUnaskable, putQuestion } from './question.ts';
import { worker } from './worker.ts';

export const ask = worker<CallWorkInput, PhaseReply, 'external' | 'runtime' | 'session' | 'tree' | 'journal' | 'inbox'>(
  {
    async run({ id: node, call, turn }, job) {
      const { session, runtime } = job.services;
      const { tool, input } = parseCall(call, job);
      const own = tool.approval?.(input, { session: session.id, speaker: call.owner }) ?? null;
      const approval = approvalOfCall(call, input, own);
      if (!approval) return { kind: 'go' };
      const { text, remark, to = call.owner, expiresMs = runtime.limits.approvalMs } = approval;
      const { name, arguments: args } = call;
      const question = approvalOf({
        turn,
        node,
        text,
        to,
        expiresMs: expiresMs > 0 ? expiresMs : undefined,
        call: { name, arguments: args, remark },
      });
      const answer = await putQuestion(question, job);
      if (answer === null) return stoppedOutcome('not_started', job);
      if (answer.answer === 'approved') return { kind: 'go' };
      if (isUnaskable(answer)) return { kind: 'denied', effect: 'not_started', code: 'cannot_ask', message: cannotAsk };
      return { kind: 'denied', effect: 'not_started', code: 'denied', message: `${answer.by} said no.` };
    },
    ...callEndings,
  },
);

/**
 * Returns the question of a call; null: the call needs no yes. `own`: the question of its tool. A call that repeats an interrupted one always has a
 * question, which gives the reason.
 */
function approvalOfCall({ name, repeats }: Call, input: unknown, own: Approval | null): Approval | null {
  if (repeats === undefined) return own;
  const { text, remark, ...rest } = own ?? runApproval(name, input);
  const reason = `The same call was interrupted (${repeats}) and may have had effects: this one may repeat them.`;
  return {
    ...rest,
    text: `${text}\n${reason}`,
    remark: remark === undefined ? undefined : `${remark}\n${reason}`.trimStart(),
  };
}
