// Outside agents in a whole runtime: a task, a permission request, a timeout.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { callerOf, callsResponse, textResponse } from '../../support/harness.ts';
import { markedProcesses } from '../../support/marked-processes.ts';
import { assertNoProcessLeft, coder, first, spawn, stage } from './delegating.ts';
import { newFolder, wellBehaved } from './working.ts';

assertNoProcessLeft();

describe('a task for an outside agent', () => {
  test('is a call of spawn_agent, whose result is the report [agent.acp]', async () => {
    const { say, fact, recorder, provider } = await stage({
      respond: first(spawn('say hello there')),
    });
    await say('go');
    expect(await fact('turn_ended')).toMatchObject({ outcome: 'completed' });
    const [call] = recorder.of('tool_call');
    expect(call).toMatchObject({ kind: 'tool-call', name: 'spawn_agent' });
    expect(recorder.of('tool_result')).toMatchObject([
      { node: call?.node, outcome: 'completed', effect: 'done', output: 'hello\n\nthere' },
    ]);
    expect(provider.requests[0]?.tools.at(-1)).toMatchObject({
      name: 'spawn_agent',
      description: expect.stringContaining('coder: codes (It may remember its earlier tasks of this session.)'),
    });
    expect(markedProcesses([call?.node ?? ''])).toEqual([]);
  });

  test('may come from an agent inside, and go to the first agent where none is named [agent.acp]', async () => {
    const helper = { description: 'helps', instructions: 'Help.', agents: ['coder'] };
    const { say, fact, recorder } = await stage({
      agents: { helper, ...coder() },
      respond: (n) =>
        n === 0
          ? callsResponse(['spawn_agent', { task: 'x' }])
          : n === 1
            ? callsResponse(['spawn_agent', { task: 'say hello' }])
            : textResponse('done'),
    });
    await say('go');
    await fact('turn_ended', 1);
    expect(recorder.of('tool_call').map(({ kind }) => kind)).toEqual(['sub-agent', 'tool-call']);
    expect(recorder.of('tool_result').map(({ output }) => output)).toEqual(['hello', 'done']);
  });

  test('cannot be detached, nor go to one that there is not', async () => {
    const { say, fact, recorder } = await stage({
      respond: first(spawn('x', { detached: true }), spawn('x', { agent: 'nobody' })),
    });
    await say('go');
    await fact('turn_ended');
    expect(recorder.of('tool_result')).toMatchObject([
      {
        outcome: 'failed',
        code: 'bad_arguments',
        message: expect.stringContaining('detached: coder is an outside agent'),
      },
      { outcome: 'failed', code: 'bad_arguments', message: 'agent: must be one of coder' },
    ]);
    expect(recorder.of('process_started')).toEqual([]);
  });

  test('is screened: an interceptor may change the task, and not put an agent inside in its place', async () => {
    const helper = { description: 'helps', instructions: 'Help.' };
    const change = (to: object) => ({ do: 'change' as const, arguments: { agent: 'coder', task: 'say x', ...to } });
    const { say, fact, recorder } = await stage({
      agents: { ...coder(), helper },
      interceptors: [
        {
          beforeTool: async ({ arguments: given }) =>
            change((given as { task: string }).task === 'say 1' ? { task: 'say changed' } : { agent: 'helper' }),
        },
      ],
      respond: first(spawn('say 1'), spawn('say 2')),
    });
    await say('go');
    await fact('turn_ended');
    const results = recorder.of('tool_result').map(({ outcome, code, output }) => code ?? `${outcome}: ${output}`);
    expect(results.toSorted()).toEqual(['bad_arguments', 'completed: changed']);
  });

  test('is refused with the configuration where the agent is not configured well', async () => {
    await expect(stage({ agents: coder({ command: '' }) })).rejects.toThrow('agents.coder.acp.command');
    await expect(stage({ agents: coder({ command: 'x', cancelMs: 4_000 }) })).rejects.toThrow('limits.agentCancelMs');
    await expect(stage({ roots: [], agents: coder({ command: 'x' }) })).rejects.toThrow('agents.coder.acp.cwd');
  });
});

describe('a permission request', () => {
  test('is an approval that the speaker gives, and no other speaker [agent.acp] [owner.ask]', async () => {
    const { say, fact, answer } = await stage({ respond: first(spawn('ask it')) });
    await say('go');
    const { node: target, to, text } = await fact('approval_requested');
    expect(to).toBe('ann');
    expect(text).toContain('coder asks for permission: it');
    const bob = callerOf('bob');
    expect(await answer({ target, answer: 'approved' }, bob)).toMatchObject({
      code: 'not_addressed',
    });
    expect(await answer({ target, answer: 'approved' })).toEqual({ type: 'answer_taken' });
    expect(await fact('approval_closed')).toMatchObject({ answer: 'approved', by: 'ann' });
    expect(await fact('tool_result')).toMatchObject({ outcome: 'completed', output: 'it: a ' });
  });

  test('is withdrawn by a cancel: the agent receives `cancelled`, and a later answer is rejected [agent.acp]', async () => {
    const { agent, noted } = wellBehaved();
    const { say, fact, answer, cancel } = await stage({
      agents: coder(agent),
      respond: first(spawn('ask it')),
    });
    await say('go');
    const { node, turn } = await fact('approval_requested');
    const { settled } = await cancel({ target: turn });
    expect(await fact('approval_closed')).toMatchObject({ node, answer: 'withdrawn', by: null });
    expect(settled.nodes).toContainEqual(expect.objectContaining({ node, outcome: 'cancelled', effect: 'unknown' }));
    expect(noted()).toEqual(expect.arrayContaining(['it: cancelled', 'session/cancel']));
    const late = await answer({ target: node, answer: 'approved' });
    expect(late).toMatchObject({ type: 'answer_refused', code: 'expired' });
  });

  test('is withdrawn on every screen when the agent has died', async () => {
    const { say, fact, recorder } = await stage({ respond: first(spawn('leave it')) });
    await say('go');
    expect(await fact('turn_ended')).toMatchObject({ outcome: 'completed' });
    expect(recorder.of('approval_closed')).toMatchObject([{ answer: 'withdrawn' }]);
    expect(recorder.of('tool_result')).toMatchObject([{ outcome: 'failed', code: 'agent_died', effect: 'unknown' }]);
  });
});

test('a timeout of spawn_agent stops it with cause `deadline`', async () => {
  const { say, fact } = await stage({
    toolTimeouts: { spawn_agent: 300 },
    respond: first(spawn('wait here')),
  });
  await say('go');
  expect(await fact('tool_timeout')).toMatchObject({ ms: 300 });
  expect(await fact('tool_result')).toMatchObject({ outcome: 'timed_out' });
  expect(await fact('turn_ended')).toMatchObject({ outcome: 'completed' });
});

test('its process is started in the first root, where it has no folder of its own', async () => {
  const root = newFolder();
  const { agent, noted } = wellBehaved();
  const { say, fact } = await stage({
    roots: [root, join(root, 'other')],
    agents: coder(agent),
    respond: first(spawn('say hello')),
  });
  await say('go');
  await fact('turn_ended');
  expect(noted()).toContain(`session in ${root}`);
});

test('where its session has folders of its own, it is started in the first of these [agent.acp] [access.join]', async () => {
  const own = newFolder();
  const { agent, noted } = wellBehaved();
  const { say, fact } = await stage({
    session: () => ({ roots: [own] }),
    agents: coder(agent),
    respond: first(spawn('say hello')),
  });
  await say('go');
  await fact('turn_ended');
  expect(noted()).toContain(`session in ${own}`);
});
