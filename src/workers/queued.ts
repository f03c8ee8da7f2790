// The worker of `queued`: a call takes the place of earlier ones, or waits for its exclusive key, or both in this order.
import type { CallWorkInput, PhaseReply } from '../../machines/contracts.ts';
import { keyName } from '../tools/keys.ts';
import { callEndings, stoppedAs } from './call-outcomes.ts';
import { toolOf } from './parse-call.ts';
import { supersede } from './supersede.ts';
import { worker } from './worker.ts';

export const acquire = worker<PhaseReply, CallWorkInput>({
  async run({ id, call }, job) {
    const { plane, signal } = job;
    const { tool, input } = toolOf(call, job);
    const end = await supersede(tool, input, id, job);
    if (end) return end;
    if (tool.access === 'parallel') return { kind: 'go' };
    const key = tool.access(input, { session: plane.session, roots: plane.roots });
    const got = await plane.keys.acquire(id, keyName(key, plane.session), signal);
    if (got.kind === 'go') return { kind: 'go' };
    if (got.kind === 'stopped') return stoppedAs('not_started', job);
    const message = `${got.by} was abandoned and may still be at work on ${key.name}.`;
    return { kind: 'failed', effect: 'not_started', code: 'key_held', message };
  },
  ...callEndings,
});
