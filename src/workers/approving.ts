// The worker of `approving`: waits until a person approves or denies the call, while its siblings run on.
import type { CallWorkInput, PhaseReply } from '../../machines/contracts.ts';
import { callEndings, stoppedOutcome } from './call-outcomes.ts';
import { parseCall } from './parse-call.ts';
import { approvalOf, putQuestion } from './question.ts';
import { worker } from './worker.ts';

export const ask = worker<CallWorkInput, PhaseReply, 'runtime' | 'session' | 'tree' | 'journal' | 'inbox'>({
  async run({ id: node, call, turn }, job) {
    const { session, runtime } = job.services;
    const { tool, input } = parseCall(call, job);
    const approval = tool.approval?.(input, { session: session.id, speaker: call.owner }) ?? null;
    if (!approval) return { kind: 'go' };
    const { text, to = call.owner, expiresMs = runtime.limits.approvalMs } = approval;
    const question = approvalOf({ turn, node, text, to, expiresMs: expiresMs > 0 ? expiresMs : undefined });
    const answer = await putQuestion(question, job);
    if (answer === null) return stoppedOutcome('not_started', job);
    if (answer.answer === 'approved') return { kind: 'go' };
    return { kind: 'denied', effect: 'not_started', code: 'denied', message: `${answer.by} said no.` };
  },
  ...callEndings,
});
