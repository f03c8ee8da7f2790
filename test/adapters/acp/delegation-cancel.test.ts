// A CANCEL of outside agents in a whole runtime.
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { bindSession } from '../../../src/embed/bound-session.ts';
import { markedProcesses } from '../../support/marked-processes.ts';
import { assertNoProcessLeft, coder, first, hostileAgent, spawn, stage, token } from './delegating.ts';
import { program, wellBehaved } from './working.ts';

assertNoProcessLeft();

/** Keeps KILL from every process, as an uninterruptible sleep would, until the returned function is called. */
function holdKills(): () => void {
  const kill = process.kill.bind(process);
  const held = vi.spyOn(process, 'kill').mockImplementation((pid, signal) => signal === 'SIGKILL' || kill(pid, signal));
  onTestFinished(() => held.mockRestore());
  return () => held.mockRestore();
}

describe('a CANCEL', () => {
  test('of one agent by id: its sibling runs on, and the turn goes on [agent.acp] [cancel.tool]', async () => {
    const { say, begun, cancel, result, fact, recorder } = await stage({
      respond: first(spawn('wait so far'), ['later', { ms: 800 }]),
    });
    await say('go');
    const node = await begun();
    const { settled } = await cancel({ target: node });
    expect(settled.nodes).toMatchObject([{ node, kind: 'tool-call', outcome: 'cancelled' }]);
    expect(await result(node)).toMatchObject({ outcome: 'cancelled' });
    expect(markedProcesses([node])).toEqual([]);
    expect(await fact('turn_ended')).toMatchObject({ outcome: 'completed' });
    const others = recorder.of('tool_result').filter((fact) => fact.node !== node);
    expect(others.map(({ outcome }) => outcome)).toEqual(['completed']);
  });

  test('that the agent answers with `end_turn` is no completed task [agent.acp] [cancel.boundaries]', async () => {
    const { say, begun, cancel, result } = await stage({ respond: first(spawn('end so far')) });
    await say('go');
    const node = await begun();
    const { settled } = await cancel({ target: node });
    expect(settled.nodes).toMatchObject([{ node, outcome: 'cancelled' }]);
    expect(await result(node)).toMatchObject({ outcome: 'cancelled', effect: 'unknown' });
  });

  test('that the agent answers after the budget of a tool is awaited: nothing is killed or abandoned [cancel.bounded]', async () => {
    const { say, begun, cancel } = await stage({
      limits: { toolCancelMs: 300, termGraceMs: 100 },
      respond: first(spawn('slowly 500')),
    });
    await say('go');
    const node = await begun();
    const { settled } = await cancel({ target: node });
    expect(settled.nodes).toMatchObject([{ node, outcome: 'cancelled', effect: 'unknown' }]);
    expect(settled.nodes[0]?.forced).toBeUndefined();
    expect(settled.nodes[0]?.ms).toBeGreaterThanOrEqual(500);
  });

  test('before the agent has its task has the effect `none` [cancel.fence]', async () => {
    const { say, fact, cancel, result } = await stage({ respond: first(spawn('wait here')) });
    await say('go');
    const { node } = await fact('process_started');
    const { settled } = await cancel({ target: node });
    expect(settled.nodes).toMatchObject([{ node, outcome: 'cancelled', effect: 'none' }]);
    expect(await result(node)).toMatchObject({ outcome: 'cancelled', effect: 'none' });
    expect(markedProcesses([node])).toEqual([]);
  });

  test.each(['ignores', 'deaf', 'forks', 'floods', 'half', 'asks'])(
    'of a turn with one that is hostile (%s): nothing of it is left, the next turn works [agent.acp] [cancel.bounded]',
    async (mode) => {
      const { say, begun, cancel, fact, recorder, runtime } = await stage({
        agents: hostileAgent(mode),
        respond: first(spawn('go'), ['note']),
      });
      await say('go');
      const node = await begun();
      const other = await bindSession(runtime, 'other');
      const { turn } = await fact('turn_opened');
      const cancelled = cancel({ target: turn });
      expect(await other.nodes()).toEqual([]); // answered meanwhile
      const { settled } = await cancelled;
      expect(settled.nodes).toContainEqual(expect.objectContaining({ node, outcome: 'cancelled', effect: 'unknown' }));
      expect(markedProcesses([node])).toEqual([]);
      expect(recorder.of('abandoned_ended')).toEqual([]);
      expect(recorder.of('tool_result').map(({ outcome }) => outcome)).toEqual(['completed', 'cancelled']);
      await say('and now?');
      expect(await fact('turn_ended', 1)).toMatchObject({ outcome: 'completed' });
    },
  );

  test('under force kills it now', async () => {
    const { say, begun, cancel, fact } = await stage({
      agents: hostileAgent('deaf'),
      respond: first(spawn('go')),
    });
    await say('go');
    const node = await begun();
    const { turn } = await fact('turn_opened');
    const { settled } = await cancel({ target: turn, force: true });
    expect(settled.nodes).toContainEqual(expect.objectContaining({ node, outcome: 'cancelled', forced: true }));
    expect(markedProcesses([node])).toEqual([]);
  });

  /** Keeps the event loop from everything, as a suspension or a busy machine does. */
  const block = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

  test.each([
    { replies: 'slowly 200', force: false },
    { replies: 'slowly 200', force: true },
    { replies: 'lingers 200', force: false },
    { replies: 'lingers 200', force: true },
  ])(
    'whose reply is in the pipe, or whose process is dead, when all budgets are over is not abandoned: $replies, force $force [agent.acp] [cancel.bounded]',
    async ({ replies, force }) => {
      const { agent } = wellBehaved();
      const { say, begun, cancel, fact, recorder } = await stage({
        agents: coder({ ...agent, cancelMs: 300, termGraceMs: 300 }),
        limits: { agentCancelMs: 700 },
        respond: first(spawn(replies)),
      });
      await say('go');
      const node = await begun();
      const cancelled = cancel({ target: node, force });
      await fact('cancel_accepted');

      block(2_300); // three budgets of real time, and more
      const { settled } = await cancelled;
      expect(settled.nodes).toMatchObject([{ node, outcome: 'cancelled' }]);
      expect(recorder.of('abandoned_ended')).toEqual([]);
    },
  );

  test('that cannot end it in its budget names it abandoned, and reports when it has ended [cancel.bounded]', async () => {
    const agent = program('hostile-acp-agent.ts', 'deaf', token);
    const { say, begun, cancel, fact } = await stage({
      agents: coder({ ...agent, cancelMs: 100, termGraceMs: 199 }),
      limits: { agentCancelMs: 300 },
      respond: first(spawn('go')),
    });
    await say('go');
    const node = await begun();
    const { turn } = await fact('turn_opened');
    const letKillsPass = holdKills();
    const { settled } = await cancel({ target: turn });
    expect(settled.nodes).toContainEqual(expect.objectContaining({ node, outcome: 'abandoned', effect: 'unknown' }));
    letKillsPass();
    expect(await fact('abandoned_ended')).toMatchObject({ node });
    expect(markedProcesses([node])).toEqual([]);
  });

  test('at a shutdown stops it too [ops.shutdown]', async () => {
    const { agent, noted } = wellBehaved();
    const { say, begun, runtime } = await stage({
      agents: coder(agent),
      respond: first(spawn('wait here')),
    });
    await say('go');
    const node = await begun();
    await runtime.close();
    expect(noted()).toContain('session/cancel');
    expect(markedProcesses([node])).toEqual([]);
  });
});
