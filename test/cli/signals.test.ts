// Signals to a program that is ours.
import { expect, test } from 'vitest';
import { startChild } from '../support/child.ts';

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s asks for an orderly end, a second signal ends at once [ops.shutdown]',
  async (name) => {
    const child = startChild('test/programs/ends-slowly.ts');
    await child.prints('ready');
    child.signal(name);
    await child.prints('ending');
    child.signal('SIGINT');
    expect(await child.ended()).toBe(130);
  },
);

test('an end that fails is told, and exits with 1', async () => {
  const child = startChild('test/programs/ends-slowly.ts', { env: { REFUSE: '1' } });
  await child.prints('ready');
  child.signal('SIGTERM');
  expect(await child.ended()).toBe(1);
  expect(child.err()).toContain('it cannot end');
});
