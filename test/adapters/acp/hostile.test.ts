// Outside agents that break the protocol: each loses its own call and nothing else, and nothing of it is left.
import { afterEach, describe, expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { living, newToken, zombies } from '../processes/processes.ts';
import { program, startTask } from './working.ts';

const token = newToken();
const hostile = (mode: string) => program('hostile-acp-agent.ts', mode, token);

afterEach(async () => {
  await until(() => living(token).length === 0, { what: 'the end of what the test has left' });
  expect(zombies()).toEqual([]);
});

describe('a cancel ends [cancel.bounded]', () => {
  test('one that ignores session/cancel, by TERM [agent.acp]', async () => {
    const { end, untilShown, cancel, processesLeft } = startTask(hostile('ignores'), 'go');
    await untilShown('begun');
    cancel();
    expect(await end).toMatchObject({ kind: 'stopped', output: 'begun\n' });
    expect(processesLeft()).toEqual([]);
  });

  test.each([
    ['ignores TERM too', 'deaf', 1],
    ['has forked, also into a session of its own', 'forks', 3],
    ['asks for permission without an end', 'asks', 1],
  ])('one that %s, by KILL [agent.acp]', async (_, mode, processes) => {
    const { end, untilShown, cancel, processesLeft } = startTask(hostile(mode), 'go', {
      ask: ({ signal }) =>
        new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('withdrawn')))),
    });
    await untilShown('begun');
    await until(() => processesLeft().length >= processes);
    cancel();
    expect(await end).toMatchObject({ kind: 'stopped', output: 'begun\n', forced: true });
    expect(processesLeft()).toEqual([]);
  });

  test('one that floods, while others are answered [agent.acp] [tool.process]', async () => {
    const { end, shown, cancel, clock, processesLeft } = startTask(hostile('floods'), 'go');
    await until(() => shown().length >= 262_144, { what: 'as much as is shown' });
    for (let turns = 0; turns < 20; turns++) await new Promise<void>((resolve) => void clock.after(1, resolve));
    cancel();
    const { kind, output, omitted = 0 } = await end;
    expect(kind).toBe('stopped');
    expect(output.length).toBeLessThan(32_768);
    expect(omitted).toBeGreaterThan(200_000);
    expect(shown().length).toBeLessThan(262_144 + 50);
    expect(shown()).toMatch(/the rest is not shown live …\]\n$/);
    expect(processesLeft()).toEqual([]);
  });

  test('one that has sent half a frame', async () => {
    const { end, untilShown, cancel, processesLeft } = startTask(hostile('half'), 'go');
    await untilShown('begun');
    cancel();
    expect(await end).toMatchObject({ kind: 'stopped', output: 'begun\n' });
    expect(processesLeft()).toEqual([]);
  });

  test('one that never gives a session', async () => {
    const { end, processes, cancel, processesLeft } = startTask(hostile('silent'), 'go');
    await until(() => processes.length === 1);
    cancel();
    expect(await end).toMatchObject({ kind: 'stopped', output: '' });
    expect(processesLeft()).toEqual([]);
  });

  test('one that opens its session while it is being stopped: it gets no task [cancel.fence]', async () => {
    const { end, untilShown, shown, cancel, processesLeft } = startTask(hostile('slow'), 'go');
    await untilShown('not yet');
    cancel();
    expect(await end).toMatchObject({ kind: 'stopped', output: 'not yet\n', forced: true, effect: 'none' });
    expect(shown()).toBe('not yet\n');
    expect(processesLeft()).toEqual([]);
  });

  test('under force without session/cancel, without a grace [agent.acp]', async () => {
    const patient = { ...hostile('deaf'), cancelMs: 60_000, termGraceMs: 60_000 };
    const { end, untilShown, cancel, kill, processesLeft } = startTask(patient, 'go');
    await untilShown('begun');
    cancel();
    kill.abort();
    expect(await end).toMatchObject({ kind: 'stopped', output: 'begun\n', forced: true });
    expect(processesLeft()).toEqual([]);
  });
});

describe('a call fails [agent.acp]', () => {
  test.each([
    ['dies', 'ended by itself (exit code 3).', '\n[stderr]\na bug of mine\n'],
    ['halfDies', 'ended by itself (exit code 0).', ''],
    ['closes', 'closed its output.', ''],
    ['long', 'broke off: Incoming ACP data exceeds the configured 8388608 byte limit.', ''],
    ['chatters', 'broke off: it does not read what it is sent.', ''],
  ])('where the agent %s in the middle', async (mode, message, printed) => {
    const { end, processesLeft } = startTask(hostile(mode), 'go');
    expect(await end).toMatchObject({
      kind: 'failed',
      code: 'agent_died',
      message: `coder ${message}`,
      output: `begun\n${printed}`,
    });
    expect(processesLeft()).toEqual([]);
  });

  test.each([
    ['login', 'coder gave no session: Authentication required.'],
    ['future', 'coder gave no session: it speaks version 7 of the protocol, not 1.'],
    ['homeless', 'coder gave no session: its response to session/new has no sessionId.'],
  ])('where there is no session (%s)', async (mode, message) => {
    const { end, processesLeft } = startTask(hostile(mode), 'go');
    expect(await end).toMatchObject({ kind: 'failed', code: 'agent_unavailable', message });
    expect(processesLeft()).toEqual([]);
  });

  test('where there is none in time', async () => {
    const { end, processesLeft } = startTask({ ...hostile('silent'), startMs: 50 }, 'go');
    expect(await end).toMatchObject({
      kind: 'failed',
      code: 'agent_unavailable',
      message: 'coder gave no session: no session within 50 ms.',
    });
    expect(processesLeft()).toEqual([]);
  });

  test('where it cannot be started: nothing was done', async () => {
    expect(await startTask({ command: '/nowhere/at/all' }, 'go').end).toMatchObject({
      kind: 'failed',
      code: 'agent_unavailable',
      effect: 'none',
      message: expect.stringContaining('/nowhere/at/all could not be started'),
    });
  });

  test('where its response is invalid', async () => {
    expect(await startTask(hostile('badAnswer'), 'go').end).toMatchObject({
      kind: 'failed',
      code: 'agent_failed',
      message: 'coder did not finish: it gave no reason.',
    });
  });
});

test('nonsense between two messages is skipped in silence, and so is what comes after the response [agent.acp]', async () => {
  const printed: unknown[] = [];
  const { error } = console;
  console.error = (...args) => printed.push(args);
  try {
    const { end, shown } = startTask(hostile('nonsense'), 'go');
    expect(await end).toMatchObject({ kind: 'completed', output: 'begun\nstill here' });
    expect(shown()).toBe('begun\nstill here');
  } finally {
    console.error = error;
  }
  expect(printed).toEqual([]);
});
