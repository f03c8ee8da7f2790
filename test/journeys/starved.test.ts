// A host that gets hardly any time while it stops commands: what has ended is not reported as abandoned.
import { expect, test } from 'vitest';
import { living, newToken } from '../adapters/processes/processes.ts';
import { startChild } from '../support/child.ts';

async function outcomesOf(env: Readonly<Record<string, string>>): Promise<string> {
  const token = newToken();
  const host = startChild('test/children/starved-host.ts', { env: { TOKEN: token, ...env } });
  await host.untilPrinted('running', 30_000);
  host.type('stop');
  const [line = ''] = await host.untilPrinted(/settled: .*\n/, 30_000);
  expect(await host.ended(10_000)).toBe(0);
  expect(living(token)).toEqual([]);
  return line.trim();
}

test('a command that ended while the event loop stood still is not abandoned, however slowly its end is read [cancel.bounded] [cancel.settled]', async () => {
  expect(await outcomesOf({ TURNS: '25' })).toBe('settled: 1 cancelled');
});

test('nor is one that was killed by `force` [cancel.bounded] [cancel.settled]', async () => {
  expect(await outcomesOf({ TURNS: '25', FORCE: '1' })).toBe('settled: 1 cancelled');
});

test('nor are thirty that ended together [cancel.bounded] [cancel.settled]', async () => {
  expect(await outcomesOf({ COMMANDS: '30', TURNS: '5' })).toBe('settled: 30 cancelled');
});
