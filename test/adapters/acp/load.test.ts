// The SDK of the Agent Client Protocol is loaded with the first task, and a stop does not wait for it.
import { getEventListeners } from 'node:events';
import { afterEach, expect, test, vi } from 'vitest';
import { until } from '../../support/until.ts';
import { program, startTask } from './working.ts';

const late = '../../../src/adapters/acp/outside-task.ts';

afterEach(() => {
  vi.doUnmock(late);
  vi.resetModules();
});

test('a stop while it loads ends the call at once, and no process is started [cancel.fence]', async () => {
  const loading = Promise.withResolvers<void>();
  let count = 0;
  vi.doMock(late, async (importReal) => {
    count++;
    await loading.promise;
    return await importReal();
  });
  const { end, stop, cancel, processes } = startTask(program('hostile-acp-agent.ts', 'silent', 'token'), 'go');
  await until(() => count === 1, { what: 'the load' });
  cancel();
  expect(await end).toMatchObject({ kind: 'stopped', output: '' });
  expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  loading.resolve();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(processes).toEqual([]);
});

test('a load that fails is a named failure: nothing was done', async () => {
  vi.doMock(late, () => Promise.reject(new Error('there is no such package')));
  const { end } = startTask(program('hostile-acp-agent.ts', 'silent', 'token'), 'go');
  expect(await end).toMatchObject({ kind: 'failed', code: 'agent_unavailable', effect: 'none', output: '' });
});
