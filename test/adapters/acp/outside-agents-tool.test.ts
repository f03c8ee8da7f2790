// An outside agent that keeps the protocol, built on the SDK, at one task.
import { afterEach, describe, expect, test } from 'vitest';
import { maxOutputChars } from '../../../src/core/contracts/tool.ts';
import { testToolContract } from '../../contract/tool.ts';
import { until } from '../../support/until.ts';
import { living, newToken, zombies } from '../processes/processes.ts';
import { agentTool, newFolder, program, startTask, wellBehaved } from './working.ts';

afterEach(() => expect(zombies()).toEqual([]));

testToolContract('an outside agent', () => ({
  tool: agentTool(program('acp-agent.ts')),
  good: { task: 'say hello' },
  bad: [
    { input: {}, names: 'task' },
    { input: { task: 'say it', agent: 'nobody' }, names: 'nobody' },
    { input: { task: 'say it', detached: true }, names: 'detached' },
  ],
  endless: { task: 'wait' },
}));

describe('a task', () => {
  test('is done: its words are the report, its own calls are shown [agent.acp]', async () => {
    const { agent, noted } = wellBehaved();
    const cwd = newFolder();
    const { end, shown, processesLeft, processes } = startTask({ ...agent, cwd }, 'say one two');
    expect(await end).toMatchObject({ kind: 'completed', output: 'one\n\ntwo' });
    expect(shown()).toBe('one\n[step 1]\n[step 1: completed]\ntwo');
    expect(processes).toHaveLength(1);
    expect(processesLeft()).toEqual([]);
    expect(noted()).toEqual([
      expect.stringContaining('"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false'),
      `session in ${cwd}`,
      'ended: end_turn',
      'gone', // by itself: its stdin was closed
    ]);
  });

  test('shows its thoughts, its plan, the output of its calls and its diffs; none of it is in the report [agent.acp]', async () => {
    const { end, shown } = startTask(program('acp-agent.ts'), 'work');
    expect(await end).toMatchObject({ kind: 'completed', output: 'Done.' });
    expect(shown()).toBe(
      [
        '[thought]\nI had better look.\n[plan]\n  [ ] look\n[ls]\na.txt\nb.txt\n[ls: completed]\n',
        '[edit a.txt]\n[diff of a.txt]\n-two\n+three\nDone.',
      ].join(''),
    );
  });

  test('with a long report is cut to the limit of a result [history.bounded]', async () => {
    const { end } = startTask(program('acp-agent.ts'), 'repeat again 8000');
    const { kind, output, omitted = 0 } = await end;
    expect(kind).toBe('completed');
    expect(output.length).toBeLessThanOrEqual(maxOutputChars);
    expect(omitted).toBeGreaterThan(7_000);
  });

  test('gets the variables of its configuration, and no secret of this process', async () => {
    process.env['BELAY_TEST_SECRET'] = 'secret';
    process.env['BELAY_TEST_KEY'] = 'key';
    try {
      const agent = { ...program('acp-agent.ts'), env: { GIVEN: 'given' }, passEnvironment: ['BELAY_TEST_KEY'] };
      const { end, context } = startTask(agent, 'environment GIVEN BELAY_TEST_KEY BELAY_TEST_SECRET BELAY_NODE');
      const { output } = await end;
      expect(output).toBe(`GIVEN=given BELAY_TEST_KEY=key BELAY_TEST_SECRET=undefined BELAY_NODE=${context.call}`);
    } finally {
      delete process.env['BELAY_TEST_SECRET'];
      delete process.env['BELAY_TEST_KEY'];
    }
  });

  test.each(['refusal', 'max_tokens', 'max_turn_requests'])('that ends with %s has failed', async (reason) => {
    expect(await startTask(program('acp-agent.ts'), `stop ${reason}`).end).toMatchObject({
      kind: 'failed',
      code: 'agent_failed',
      message: `coder did not finish: ${reason}.`,
      output: 'so far',
    });
  });

  test('that the agent reports as an error has failed', async () => {
    expect(await startTask(program('acp-agent.ts'), 'fail').end).toMatchObject({
      kind: 'failed',
      code: 'agent_failed',
      message: expect.stringMatching(/^coder reported an error: /),
    });
  });

  test('without a stop does not end as stopped, whatever the agent says', async () => {
    expect(await startTask(program('acp-agent.ts'), 'stop cancelled').end).toMatchObject({
      kind: 'stopped',
      output: 'so far',
    });
  });
});

describe('permission', () => {
  test('requests are put one after the other, and the agent receives each answer [agent.acp]', async () => {
    const asked: string[] = [];
    const { end } = startTask(program('acp-agent.ts'), 'ask first second', {
      requestApproval: async ({ text }) => {
        asked.push(text);
        return asked.length === 1;
      },
    });
    expect(await end).toMatchObject({ kind: 'completed', output: 'first: a \n\nsecond: r ' });
    expect(asked).toEqual([
      'coder asks for permission: first\n{"path":"first.txt"}',
      'coder asks for permission: second\n{"path":"second.txt"}',
    ]);
  });

  test('that is open at a cancel is withdrawn, and answered as cancelled [agent.acp]', async () => {
    const { agent, noted } = wellBehaved();
    let questions = 0;
    const { end, cancel, processesLeft } = startTask(agent, 'together first second', {
      requestApproval: ({ signal }) =>
        new Promise((_, reject) => {
          questions++;
          signal?.addEventListener('abort', () => reject(new Error('withdrawn')));
        }),
    });
    await until(() => questions === 1);
    cancel();
    expect(await end).toMatchObject({ kind: 'stopped' });
    expect(noted()).toEqual(expect.arrayContaining(['first: cancelled', 'second: cancelled', 'session/cancel']));
    expect(questions).toBe(1);
    expect(processesLeft()).toEqual([]);
  });

  test('is withdrawn when the agent has gone', async () => {
    let isWithdrawn = false;
    const { end } = startTask(program('acp-agent.ts'), 'leave it', {
      requestApproval: ({ signal }) =>
        new Promise((_, reject) => {
          signal?.addEventListener('abort', () => {
            isWithdrawn = true;
            reject(new Error('withdrawn'));
          });
        }),
    });
    expect(await end).toMatchObject({
      kind: 'failed',
      code: 'agent_died',
      message: 'coder ended by itself (exit code 3).',
    });
    expect(isWithdrawn).toBe(true);
  });
});

describe('a cancel', () => {
  test('is session/cancel: the agent responds, and exits without being killed [agent.acp] [cancel.tool]', async () => {
    const { agent, noted } = wellBehaved();
    const { end, untilShown, cancel, processesLeft } = startTask(agent, 'wait so far');
    await untilShown('so far');
    expect(processesLeft()).toHaveLength(1);
    cancel();
    expect(await end).toMatchObject({ kind: 'stopped', output: 'so far' });
    expect(processesLeft()).toEqual([]);
    expect(noted().slice(2)).toEqual(['session/cancel', 'ended: cancelled']);
  });

  test.each([
    ['answers with an error', 'abort'],
    ['obeys by its exit', 'exit'],
  ])('that the agent %s is a stop all the same [agent.acp]', async (_, act) => {
    const { end, untilShown, cancel, processesLeft } = startTask(program('acp-agent.ts'), act);
    await untilShown('working');
    cancel();
    expect(await end).toMatchObject({ kind: 'stopped', output: 'working' });
    expect(processesLeft()).toEqual([]);
  });

  test('ends the command that the agent leaves behind, in a session of its own [agent.acp]', async () => {
    const token = newToken();
    const { end, untilShown, cancel, processesLeft } = startTask(program('acp-agent.ts'), `leaves ${token}`);
    await untilShown('working');
    await until(() => living(token).length === 1, { what: 'its command' });
    cancel();
    expect(await end).toMatchObject({ kind: 'stopped' });
    expect([...living(token), ...processesLeft()]).toEqual([]);
  });

  test('answers a request that comes after it as cancelled, and asks nobody [agent.acp]', async () => {
    const { agent, noted } = wellBehaved();
    const { end, untilShown, cancel } = startTask(agent, 'insist', {
      requestApproval: async () => {
        throw new Error('nobody is asked');
      },
    });
    await untilShown('working');
    cancel();
    expect(await end).toMatchObject({ kind: 'stopped' });
    expect(noted()).toContain('insisted: cancelled');
  });

  test('before there is a session: the agent gets no task [cancel.fence]', async () => {
    const { agent, noted } = wellBehaved();
    const { end, processes, cancel, processesLeft } = startTask(agent, 'say hello');
    await until(() => processes.length === 1);
    cancel();
    expect(await end).toMatchObject({ kind: 'stopped', output: '', effect: 'none' });
    expect(noted().filter((line) => line.startsWith('ended'))).toEqual([]);
    expect(processesLeft()).toEqual([]);
  });

  test('that comes after the response changes nothing [cancel.boundaries]', async () => {
    const { end, untilShown, cancel, processesLeft } = startTask(program('hostile-acp-agent.ts', 'stays'), 'go');
    await untilShown('done');
    await new Promise((resolve) => setImmediate(resolve));
    cancel();
    expect(await end).toMatchObject({ kind: 'completed', output: 'begun\ndone' });
    expect(processesLeft()).toEqual([]);
  });
});
