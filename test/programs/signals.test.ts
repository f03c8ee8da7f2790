// The handling of signals by a program of Belay.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createVirtualClock } from '../../src/core/sources/virtual.ts';
import { signalsIgnoredAt } from '../../src/programs/ignored-signals.ts';
import { onSignal } from '../../src/programs/signals.ts';
import { startChild } from '../support/child.ts';
import { until } from '../support/until.ts';

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s starts a shutdown, a second signal forces it, a third exits at once [ops.shutdown]',
  async (name) => {
    const child = startChild('test/children/ends-slowly.ts');
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
  const child = startChild('test/children/ends-slowly.ts', { env: { REFUSE: '1' } });
  await child.untilPrinted('ready');
  child.signal('SIGTERM');
  expect(await child.ended()).toBe(1);
  expect(child.stderr()).toContain('it cannot end');
});

test('an exception whose shutdown never ends: the process exits with 1 at its limit, however many follow [ops.shutdown.exception]', async () => {
  const child = startChild('test/children/ends-slowly.ts', { env: { THROW: '1' } });
  await child.untilPrinted('ready');
  child.signal('SIGUSR1');
  await child.untilPrinted('ending');
  while (child.process.exitCode === null && !child.stdout().includes('hurrying')) {
    child.signal('SIGUSR1');
    await until(() => child.process.exitCode !== null, { ms: 10 }).catch(() => {});
  }
  expect(await child.ended()).toBe(1);
  expect(child.stdout().match(/ending/g)).toHaveLength(1);
  expect(child.stderr().match(/an unexpected exception/g)?.length).toBeLessThanOrEqual(10);
});

test('signals that arrive together count as one: npm passes on the signal that the terminal has sent already', async () => {
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

describe('a signal that was ignored at the start', () => {
  const path = join(import.meta.dirname, '..', 'children', 'ends-slowly.ts');
  /** Started by a shell that runs the script, with Node and the program as its arguments. */
  const startUnder = (script: string) => {
    const child = spawn('bash', ['-c', script, process.execPath, path], { stdio: ['ignore', 'pipe', 'inherit'] });
    let printed = '';
    child.stdout.on('data', (data) => {
      printed += data;
    });
    const pid = () => Number(/pid (\d+)/.exec(printed)?.[1]);
    onTestFinished(() => void process.kill(pid(), 'SIGKILL'));
    return {
      pid,
      untilPrinted: (text: string) => until(() => printed.includes(text), { what: text }),
      printed: () => printed,
    };
  };

  test.each([`nohup "$0" "$@"`, `trap '' HUP; "$0" "$@"; true`, `BELAY_IGNORED_SIGNALS=1 exec "$0" "$@"`])(
    'stays ignored: %s [ops.shutdown.endings]',
    async (script) => {
      const program = startUnder(script);
      await program.untilPrinted('ready');
      process.kill(program.pid(), 'SIGHUP');
      process.kill(program.pid(), 'SIGUSR1'); // handled after it
      await program.untilPrinted('asked');
      expect(program.printed()).not.toContain('ending');
      process.kill(program.pid(), 'SIGTERM');
      await program.untilPrinted('ending');
    },
  );

  test.each([
    { script: `nohup "$0"`, ignored: 1n },
    { script: `trap '' INT QUIT; "$0"`, ignored: 6n },
    { script: `"$0"`, ignored: 0n },
  ])('is named by the command of the package: $script [ops.shutdown.endings]', ({ script, ignored }) => {
    const folder = mkdtempSync(join(tmpdir(), 'belay-command-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    cpSync(join(import.meta.dirname, '..', '..', 'bin'), join(folder, 'bin'), { recursive: true });
    mkdirSync(join(folder, 'src/programs'), { recursive: true });
    writeFileSync(join(folder, 'src/programs/belay.js'), 'console.log(process.env.BELAY_IGNORED_SIGNALS);');
    symlinkSync('bin/belay', join(folder, 'belay')); // as npm links it
    const env = { PATH: process.env['PATH'] ?? '' };
    const printed = execFileSync('sh', ['-c', script, join(folder, 'belay')], { env, encoding: 'utf8' });
    expect(BigInt(`0x${printed.trim()}`) & 7n).toBe(ignored);
  });

  test('is found in the mask of the system, or in the variable', () => {
    const none = { environment: {}, ignoredMask: 0n, parentIgnoredMask: 0n };
    expect([...signalsIgnoredAt({ ...none, ignoredMask: 0b11n })]).toEqual(['SIGHUP', 'SIGINT']);
    const environment = { BELAY_IGNORED_SIGNALS: '0000000000000006' };
    expect([...signalsIgnoredAt({ ...none, environment })]).toEqual(['SIGINT', 'SIGQUIT']);
    expect([...signalsIgnoredAt({ ...none, parentIgnoredMask: 0b11n })], 'of the parent only SIGHUP').toEqual([
      'SIGHUP',
    ]);
    expect([...signalsIgnoredAt({ ...none, environment: { BELAY_IGNORED_SIGNALS: 'all' } })]).toEqual([]);
  });
});
