// The session of an outside agent over several tasks: each has a process of its own, and goes on in the session of the last one.
import { afterEach, describe, expect, test } from 'vitest';
import { AcpAgents } from '../../../src/adapters/acp/acp-agents.ts';
import { KeptSessions } from '../../../src/adapters/acp/kept-sessions.ts';
import { startHarness } from '../../support/harness.ts';
import { scaled } from '../../support/time-scale.ts';
import { until } from '../../support/until.ts';
import { zombies } from '../processes/processes.ts';
import { startTask, wellBehaved } from './working.ts';

afterEach(() => expect(zombies()).toEqual([]));

/** An agent with these abilities, whose tasks run one after the other. */
function agentWith(abilities: string, more: object = {}) {
  const { agent, noted } = wellBehaved(abilities);
  const sessions = new KeptSessions();
  const start = (task: string, session = 's') => startTask({ ...agent, ...more }, task, { session }, sessions);
  const sessionsNoted = () => noted().flatMap((line) => /^(opened|loading) \S+/.exec(line)?.[0] ?? []);
  return { start, noted, sessionsNoted };
}

const idOf = (line = '') => line.replace('opened ', '');

describe('the next task', () => {
  test('goes on in the session of the last one, by session/load, in a process of its own [agent.acp]', async () => {
    const { start, sessionsNoted } = agentWith('load');
    const first = start('say one');
    await first.end;
    expect(first.processesLeft()).toEqual([]);
    const second = start('say two');
    expect(await second.end).toMatchObject({ kind: 'completed', output: 'two' });
    const [opened, ...more] = sessionsNoted();
    expect(more).toEqual([`loading ${idOf(opened)}`]);
    expect(second.processes[0]?.group).not.toBe(first.processes[0]?.group);
  });

  test('shows and reports nothing of the history that the agent repeats', async () => {
    const { start } = agentWith('load');
    await start('say one').end;
    const second = start('say two');
    await second.end;
    expect(second.shown()).toBe('two');
  });

  test('gets a new session where the agent cannot load one, refuses to, or the configuration forbids it', async () => {
    for (const { abilities, keepSession, sessions } of [
      { abilities: '', keepSession: true, sessions: 0 },
      { abilities: 'load,refuse-load', keepSession: true, sessions: 3 },
      { abilities: 'load', keepSession: false, sessions: 2 },
    ]) {
      const { start, noted, sessionsNoted } = agentWith(abilities, { keepSession });
      await start('say one').end;
      expect(await start('say two').end).toMatchObject({ kind: 'completed', output: 'two' });
      expect(noted().filter((line) => line.startsWith('session in'))).toHaveLength(2);
      expect(sessionsNoted()).toHaveLength(sessions);
    }
  });

  test('of another session of the runtime, or beside the first, never loads the same one [agent.acp]', async () => {
    const { start, sessionsNoted } = agentWith('load');
    await start('say one').end;
    await Promise.all([start('say two').end, start('say three').end, start('say four', 'other').end]);
    const counts = Map.groupBy(sessionsNoted(), (line) => line.split(' ')[0]);
    expect(counts.get('opened')).toHaveLength(3);
    expect(counts.get('loading')).toHaveLength(1);
  });

  test('goes on after a cancel, and after a kill; not after a failure', async () => {
    const { start, sessionsNoted } = agentWith('load');
    const first = start('wait so far');
    await first.untilShown('so far');
    first.cancel();
    await first.end;
    const second = start('wait again');
    await second.untilShown('again');
    second.cancel();
    second.kill.abort();
    expect(await second.end).toMatchObject({ kind: 'stopped', forced: true });
    expect(await start('stop refusal').end).toMatchObject({ kind: 'failed' });
    await start('say four').end;
    expect(sessionsNoted().map((line) => line.split(' ')[0])).toEqual(['opened', 'loading', 'loading', 'opened']);
  });
});

test('a session that was deleted leaves no session of an agent to a new one of its name', async () => {
  const agentSessions = new KeptSessions();
  for (const session of ['s', 't']) agentSessions.keepSession(session, 'coder', `${session}1`);
  const { runtime } = await startHarness({ outsideAgents: new AcpAgents(agentSessions) });
  expect(await runtime.deleteSession('s', null)).toBe(true);
  expect(agentSessions.takeSession('s', 'coder')).toBeNull();
  expect(agentSessions.takeSession('t', 'coder')).toBe('t1');
});

describe('a cancel while the session is loaded', () => {
  test('hands no task over, has no effect, and keeps the session [cancel.fence]', async () => {
    const { start, noted } = agentWith('load,hang-load');
    await start('say one').end;
    const second = start('say two');
    await until(() => noted().some((line) => line.startsWith('loading')), { what: 'the load' });
    second.cancel();
    const end = await second.end;
    expect(end).toMatchObject({ kind: 'stopped', output: '', effect: 'none' });
    expect(end.usage).toBeUndefined();
    expect(noted().filter((line) => line.startsWith('ended'))).toEqual(['ended: end_turn']);
    expect(second.processesLeft()).toEqual([]);
  });

  test('past startMs the call fails, nothing was done, and the next task gets a new session', async () => {
    const { start, sessionsNoted } = agentWith('load,hang-load', { startMs: scaled(2_000) });
    await start('say one').end;
    expect(await start('say two').end).toMatchObject({ kind: 'failed', code: 'agent_unavailable', effect: 'none' });
    expect(await start('say three').end).toMatchObject({ kind: 'completed' });
    expect(sessionsNoted().map((line) => line.split(' ')[0])).toEqual(['opened', 'loading', 'opened']);
  });
});

describe('what a task has cost', () => {
  test('is its share of the cost of the session, and the tokens of its response [agent.acp]', async () => {
    const { start } = agentWith('load');
    expect((await start('spend 2').end).usage).toEqual({
      kind: 'exact',
      input: 130,
      output: 25,
      cachedInput: 30,
      reasoning: 5,
      cost: 2,
    });
    expect((await start('spend 3').end).usage).toMatchObject({ cost: 3 });
  });

  test('is what it says where an agent counts from the start of its process', async () => {
    const { start } = agentWith('load,own-cost');
    await start('spend 2').end;
    expect((await start('spend 3').end).usage).toMatchObject({ cost: 3 });
  });

  test('is not known where the agent does not say it, or says it in another currency', async () => {
    const { start } = agentWith('');
    expect((await start('say one').end).usage).toEqual({ kind: 'unknown', input: null, output: null });
    expect((await start('spend 2 EUR').end).usage).toEqual({
      kind: 'exact',
      input: 130,
      output: 25,
      cachedInput: 30,
      reasoning: 5,
    });
  });
});
