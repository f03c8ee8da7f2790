// The worker of `queued`: waits for the exclusive key of a call.
import type { CallWorkInput, PhaseReply } from '../../machines/contracts.ts';
import { callEndings, stoppedAs } from './endings.ts';
import { toolOf } from './work.ts';
import { worker } from './worker.ts';

export const acquire = worker<PhaseReply, CallWorkInput>({
  async run({ id, call }, job) {
    const { plane, signal } = job;
    const { tool, input } = toolOf(call, job);
    if (tool.access === 'parallel') return { kind: 'go' };
    const { scope, name } = tool.access(input, { session: plane.session, roots: plane.roots });
    const got = await plane.keys.acquire(
      id,
      scope === 'host' ? `host:${name}` : `session:${plane.session}:${name}`,
      signal,
    );
    if (got.kind === 'go') return { kind: 'go' };
    if (got.kind === 'stopped') return stoppedAs('not_started', job);
    const message = `${got.by} was abandoned and may still be at work on ${name}.`;
    return { kind: 'failed', effect: 'not_started', code: 'key_held', message };
  },
  ...callEndings,
});
