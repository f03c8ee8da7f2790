// The worker of `approving`: a call that may run only when somebody says yes waits for it, while its siblings run on.
import type { CallWorkInput, PhaseReply } from '../../machines/contracts.ts';
import { callEndings, stoppedAs } from './call-outcomes.ts';
import { toolOf } from './parse-call.ts';
import { approvalOf, putQuestion } from './question.ts';
import { worker } from './worker.ts';

export const ask = worker<PhaseReply, CallWorkInput>({
  async run({ id: node, call, turn }, job) {
    const { tool, input } = toolOf(call, job);
    const approval = tool.approval?.(input, { session: job.plane.session, speaker: call.owner }) ?? null;
    if (!approval) return { kind: 'go' };
    const { text, to = call.owner, expiresMs = job.plane.limits.approvalMs } = approval;
    const answer = await putQuestion(approvalOf({ turn, node, text, to, ...(expiresMs > 0 && { expiresMs }) }), job);
    if (answer === null) return stoppedAs('not_started', job);
    if (answer.answer === 'approved') return { kind: 'go' };
    return { kind: 'denied', effect: 'not_started', code: 'denied', message: `${answer.by} said no.` };
  },
  ...callEndings,
});
