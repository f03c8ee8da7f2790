// The worker of `queued`: replaces earlier calls under its supersession key, then waits for its exclusive key.
import type { CallWorkInput, PhaseReply } from '../../machines/contracts.ts';
import { keyName } from '../tools/keys.ts';
import { callEndings, stoppedOutcome } from './call-outcomes.ts';
import { parseCall } from './parse-call.ts';
import { supersedeEarlier } from './supersede.ts';
import { worker } from './worker.ts';

export const acquire = worker<CallWorkInput, PhaseReply, 'runtime' | 'session' | 'tree' | 'presence' | 'inbox'>({
  async run({ id, call }, job) {
    const { runtime, session } = job.services;
    const { tool, input } = parseCall(call, job);
    const refused = await supersedeEarlier(tool, input, job);
    if (refused) return refused;
    if (tool.access === 'parallel') return { kind: 'go' };
    const key = tool.access(input, { session: session.id, roots: runtime.roots });
    const acquired = await runtime.keys.acquire(id, keyName(key, session.id), job.signal);
    if (acquired.kind === 'go') return { kind: 'go' };
    if (acquired.kind === 'stopped') return stoppedOutcome('not_started', job);
    const message = `${acquired.by} was abandoned and may still be at work on ${key.name}.`;
    return { kind: 'failed', effect: 'not_started', code: 'key_held', message };
  },
  ...callEndings,
});
