// The worker of `starting`: a call that had to wait is durable as started before it runs.
import type { CallWorkInput, PhaseReply } from '../../../machines/contracts.ts';
import { callEndings } from './call-outcomes.ts';
import { worker } from './worker.ts';

export const start = worker<CallWorkInput, PhaseReply, 'journal'>({
  async run({ id, turn }, { services }) {
    await services.journal.append([{ type: 'tool_started', turn, node: id }]);
    return { kind: 'go' };
  },
  ...callEndings,
});
