// Signals to a program that is ours.
import { expect, onTestFinished, test } from 'vitest';
import { onSignal } from '../../src/cli/signals.ts';
import { createVirtualClock } from '../../src/sources/virtual.ts';
import { startChild } from '../support/child.ts';

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s asks for an orderly end, a second signal hurries it, a third ends at once [ops.shutdown]',
  async (name) => {
    const child = startChild('test/programs/ends-slowly.ts');
    await child.untilPrinted('ready');
    child.signal(name);
    await child.untilPrinted('ending');
    await child.signalUntil('SIGINT', () => child.stdout().includes('hurrying'));
    expect(child.process.exitCode).toBeNull();
    await child.signalUntil('SIGINT', () => child.process.exitCode !== null);
    expect(await child.ended()).toBe(130);
  },
);

test('a shutdown that fails is printed, and exits with 1', async () => {
  const child = startChild('test/programs/ends-slowly.ts', { env: { REFUSE: '1' } });
  await child.untilPrinted('ready');
  child.signal('SIGTERM');
  expect(await child.ended()).toBe(1);
  expect(child.stderr()).toContain('it cannot end');
});

test('signals that come together are one: npm passes on what the terminal has sent already', async () => {
  const clock = createVirtualClock();
  let heard = 0;
  onSignal(clock, ['SIGUSR2'], () => heard++);
  onTestFinished(() => void process.removeAllListeners('SIGUSR2'));
  process.emit('SIGUSR2');
  process.emit('SIGUSR2');
  expect(heard).toBe(1);
  await clock.advance(500);
  process.emit('SIGUSR2');
  expect(heard).toBe(2);
});
