// A host that was suspended, as under a closed lid, while it stopped a command: what ended meanwhile has not been abandoned.
import { expect, test } from 'vitest';
import { living, newToken } from '../adapters/processes/processes.ts';
import { startChild } from '../support/child.ts';
import { until } from '../support/until.ts';

test('a budget that has run out meanwhile is judged after the end that came in time [cancel.bounded] [cancel.settled]', async () => {
  const token = newToken();
  const host = startChild('test/children/stops-a-command.ts', { env: { TOKEN: token }, cwd: '/tmp' });
  await host.untilPrinted('running', 20_000);
  host.type('stop');
  await host.untilPrinted('accepted');
  host.signal('SIGSTOP');
  const suspendedAt = performance.now();
  // the command obeys while its host stands still, and the host's budgets run out
  await until(() => living(token).length === 0, { ms: 10_000, what: 'the command to end' });
  await until(() => performance.now() - suspendedAt > 1_500, { ms: 10_000, what: 'the budgets to run out' });
  host.signal('SIGCONT');
  await host.untilPrinted('settled', 10_000);
  expect(host.stdout()).toContain('settled: turn cancelled, tool-call cancelled');
  expect(await host.ended(10_000)).toBe(0);
});
