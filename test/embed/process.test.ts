// A script that uses the library: it lives as long as it waits for something, and no longer.
import { expect, test } from 'vitest';
import { startChild } from '../support/child.ts';

test.each([{}, { CLOSE: '1' }])(
  'it gets its receipt although nothing else keeps it alive, and ends by itself (%j) [cancel.bounded] [ops.shutdown]',
  async (env) => {
    const child = startChild('test/children/waits-for-receipt.ts', { env });
    expect(await child.ended()).toBe(0);
    expect(child.stdout()).toBe('cancelled abandoned\nended: cancelled\ndone\n');
    expect(child.stderr()).toMatch(/^belay: call_\w+ did not stop in time/);
    expect(child.stderr().trim().split('\n')).toHaveLength(1);
  },
);

test('a process without a socket stays alive until its shutdown has been committed [ops.shutdown]', async () => {
  const child = startChild('test/children/closes-with-stubborn-tool.ts');
  expect(await child.ended()).toBe(0);
  expect(JSON.parse(child.stdout())).toMatchObject({
    cause: { source: 'shutdown' },
    nodes: [{ outcome: 'cancelled' }, { outcome: 'abandoned' }],
  });
});
