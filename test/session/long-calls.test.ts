// Calls that run long, repeat themselves, look around, or have to be cleaned up after.
import { describe, expect, test } from 'vitest';
import { defineTool } from '../../src/tools/define-tool.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { asks, createWorld, once, says, toolOf } from '../support/world.ts';

describe('a call that runs long', () => {
  test('and is abandoned is neither heard nor told of behind the end of its turn [cancel.settled] [tool.progress]', async () => {
    const chatty = toolOf('chatty', async (_, { output, clock }) => {
      const speak = () => {
        output('still here');
        clock.after(100, speak);
      };
      speak();
      return new Promise(() => {});
    });
    const world = await createWorld({ tools: [chatty], respond: once(['chatty']) });
    const turn = await world.say('words');
    await world.clock.advance(500);
    await world.cancel({ target: turn });
    await world.clock.advance(2_000);
    expect(world.results()).toEqual({ [world.call('chatty')]: 'abandoned' });
    const heard = world.heard.outputs.length;
    await world.clock.advance(20_000);
    expect(world.heard.outputs).toHaveLength(heard);
    expect(world.heard.progress).toEqual([]);
  });
  const patient = (name: string, timeoutMs?: Tool['timeoutMs']) =>
    defineTool({
      name,
      description: 'waits for its signal',
      input: { type: 'object' },
      access: 'parallel',
      cancel: 'abortable',
      effect: 'none',
      ...(timeoutMs !== undefined && { timeoutMs }),
      run: (_, { signal }) =>
        new Promise((resolve) =>
          signal.addEventListener('abort', () => resolve({ kind: 'stopped', output: '' }), { once: true }),
        ),
    });
  /** The milliseconds of each timeout that was told. */
  const timeoutsOf = async (options: Parameters<typeof createWorld>[0]) => {
    const world = await createWorld(options);
    await world.say('words');
    await world.clock.advance(4_000_000);
    const told = world.heard.of('tool_timeout').map(({ node, ms }) => ({ node, ms }));
    for (const { node, ms } of told)
      expect(world.heard.of('tool_result').find((result) => result.node === node)).toMatchObject({
        outcome: 'timed_out',
        ms,
      });
    return { world, told: told.map(({ ms }) => ms) };
  };

  test('has two minutes where its tool says nothing [tool.timeout]', async () => {
    const { told } = await timeoutsOf({ tools: [patient('patient')], respond: once(['patient']) });
    expect(told).toEqual([120_000]);
  });

  test('gets no more by a hint than the maximum, which is configured [tool.timeout]', async () => {
    const respond = once(
      ['patient', { _meta: { timeout: 99_000_000 } }],
      ['patient', { n: 2, _meta: { timeout: 5_000 } }],
    );
    const tools = [patient('patient')];
    expect((await timeoutsOf({ tools, respond })).told).toEqual([5_000, 3_600_000]);
    const limits = { toolTimeoutMaxMs: 9_000 };
    expect((await timeoutsOf({ tools, respond, limits })).told).toEqual([5_000, 9_000]);
  });

  test.each([
    { asked: { ms: 700 }, told: [700] },
    { asked: { ms: 0 }, told: [] },
    { asked: { ms: 0, _meta: { timeout: 900 } }, told: [900] },
    { asked: { ms: 700, _meta: { timeout: 900 } }, told: [700] },
    { asked: { ms: 700, _meta: { timeout: 300 } }, told: [300] },
    { asked: { ms: 700, _meta: { timeout: 900 } }, toolTimeouts: { patient: 200 }, told: [200] },
    { asked: { ms: 700 }, toolTimeouts: { patient: 0 }, told: [700] },
    { asked: { ms: 700 }, toolTimeouts: { patient: 200 }, told: [200] },
    { asked: { ms: 0 }, toolTimeouts: { patient: 200 }, told: [200] },
  ])(
    'whose tool reads it from the arguments: $asked with $toolTimeouts gives $told [tool.timeout]',
    async ({ asked, toolTimeouts = {}, told }) => {
      const tools = [patient('patient', (input) => (input as { ms: number }).ms)];
      expect((await timeoutsOf({ tools, toolTimeouts, respond: once(['patient', asked]) })).told).toEqual(told);
    },
  );

  test('whose tool gives no time has the default, and the bug is told', async () => {
    const tools = [patient('patient', () => Number.NaN)];
    const { told, world } = await timeoutsOf({ tools, respond: once(['patient']) });
    expect(told).toEqual([120_000]);
    expect(world.warnings).toEqual(['The `timeoutMs` of patient threw.']);
  });

  test('is told every five seconds past five [tool.progress]', async () => {
    const world = await createWorld({ respond: once(['wait', { ms: 12_000 }]) });
    await world.say('words');
    await world.clock.advance(20_000);
    expect(world.heard.progress).toEqual([5_000, 10_000].map((elapsedMs) => ({ node: world.call('wait'), elapsedMs })));
  });

  test('a hint of the model bounds it, within the maximum; the result names the tool and the seconds [tool.timeout]', async () => {
    const world = await createWorld({ respond: once(['wait', { ms: 60_000, _meta: { timeout: 700 } }]) });
    const turn = await world.say('words');
    await world.clock.advance(5_000);
    expect(world.heard.of('tool_timeout')).toMatchObject([{ node: world.call('wait'), ms: 700 }]);
    expect(world.results()).toEqual({ [world.call('wait')]: 'timed_out' });
    const told = world.provider.requests.at(-1)?.messages.at(-1)?.content ?? '';
    expect(told).toContain('wait was stopped after 0.7 s');
    expect(told).toContain('3600000 at most');
    expect(world.end(turn)?.outcome).toBe('completed');
  });

  test('a timeout by configuration stands instead of the tool’s own; a sub-agent may have one [tool.timeout] [cancel.sources]', async () => {
    const world = await createWorld({
      agents: { helper: { description: 'helps', instructions: 'Help.' } },
      toolTimeouts: { wait: 400 },
      respond: (_, n) =>
        n === 0
          ? asks(['wait', { ms: 5_000 }], ['spawn_agent', { task: 'x', _meta: { timeout: 900 } }])
          : n === 1
            ? { steps: [{ hang: true }] }
            : says('ok'),
    });
    await world.say('words');
    await world.clock.advance(5_000);
    expect(world.results()).toEqual({ [world.call('wait')]: 'timed_out', [world.call('spawn_agent')]: 'timed_out' });
    expect(world.heard.of('tool_timeout').map(({ ms }) => ms)).toEqual([400, 900]);
    const told = world.provider.requests
      .at(-1)
      ?.messages.slice(-2)
      .map(({ content }) => content);
    expect(told?.[0]).toContain('wait was stopped after 0.4 s');
    expect(told?.[1]).toContain('spawn_agent was stopped after 0.9 s');
  });

  test('one that is deaf to its timeout is perhaps still running: the model is told, and the turn goes on [tool.timeout]', async () => {
    const world = await createWorld({ toolTimeouts: { deaf: 2_000 }, respond: once(['deaf', { ms: 60_000 }]) });
    const turn = await world.say('words');
    await world.clock.advance(10_000);
    expect(world.results()).toEqual({ [world.call('deaf')]: 'abandoned' });
    const told = world.provider.requests.at(-1)?.messages.at(-1)?.content ?? '';
    expect(told).toContain('deaf was told to stop after 2 s');
    expect(told).toContain('perhaps it is still running');
    expect(told).not.toContain('cancelled');
    expect(world.end(turn)?.outcome).toBe('completed');
  });

  test('a model that has tools is told how to ask for more time, and how much there is [tool.timeout]', async () => {
    const limits = { toolTimeoutMaxMs: 90_000 };
    const agents = { helper: { description: 'helps', instructions: 'Help.', tools: [] } };
    const world = await createWorld({ limits, agents, respond: once(['spawn_agent', { task: 'x' }]) });
    await world.say('words');
    await world.clock.advance(1_000);
    const [own, helper] = world.provider.requests.map(({ messages }) => messages[0]?.content ?? '');
    expect(own).toContain('"_meta": {"timeout": <milliseconds>}');
    expect(own).toContain('90000 at most');
    expect(helper, 'it has no tools').toBe('Help.');
  });

  test('a sub-agent’s time may be bounded by configuration [tool.timeout]', async () => {
    const world = await createWorld({
      agents: { helper: { description: 'helps', instructions: 'Help.' } },
      toolTimeouts: { spawn_agent: 500 },
      respond: (_, n) =>
        n === 0 ? asks(['spawn_agent', { task: 'x' }]) : n === 1 ? { steps: [{ hang: true }] } : says('ok'),
    });
    await world.say('words');
    await world.clock.advance(5_000);
    expect(world.heard.of('tool_timeout')).toMatchObject([{ node: world.call('spawn_agent'), ms: 500 }]);
    expect(world.results()).toEqual({ [world.call('spawn_agent')]: 'timed_out' });
  });
});

describe('a call that is made again', () => {
  const outcomesOf = async (spelled: readonly string[], options: Parameters<typeof createWorld>[0] = {}) => {
    const world = await createWorld({
      respond: (_, n) => {
        const text = spelled[n];
        return text === undefined
          ? says('done')
          : { steps: [{ call: { callId: 'p', name: 'note', arguments: text } }] };
      },
      ...options,
    });
    const turn = await world.say('words');
    await world.clock.advance(1_000);
    expect(world.end(turn)?.outcome).toBe('completed');
    const results = world.heard.of('tool_result');
    for (const { code, outcome, effect } of results)
      if (code === 'loop_limit') expect({ outcome, effect }).toEqual({ outcome: 'denied', effect: 'not_started' });
    return results.map(({ outcome, code }) => code ?? outcome);
  };
  const thrice = ['completed', 'completed', 'completed'];

  test.each([
    ['order and spaces', ['{"a":1,"b":2}', '{"b":2,"a":1}', '{ "a": 1, "b": 2 }', '{"a":1,"b":2}']],
    [
      'order further down',
      ['{"a":[{"b":1,"c":2}]}', '{"a":[{"c":2,"b":1}]}', '{"a":[{"b":1,"c":2.0}]}', '{"a":[{"c":2,"b":1}]}'],
    ],
    ['nothing and an empty object', ['', '{}', '', '{ }']],
    ['what is meant for the runtime', ['{"a":1}', ...[1, 2, 3].map((ms) => `{"_meta":{"timeout":${ms}},"a":1}`)]],
  ])('is denied past its limit, %s aside [tool.loop]', async (_, spelled) => {
    expect(await outcomesOf([...spelled, '{"other":1}'])).toEqual([...thrice, 'loop_limit', 'completed']);
  });

  test('with other arguments is another, also where only an order of elements or what is no JSON differs [tool.loop]', async () => {
    expect(await outcomesOf(['[1,2]', '[2,1]', '{"a":1}', '{"a":"1"}', '{"a":null}', '{}'])).not.toContain(
      'loop_limit',
    );
    expect(await outcomesOf(['{"a"', '{"a', '{"a"', '{"a"', '{"a"'])).toEqual([
      ...Array.from({ length: 4 }, () => 'bad_arguments'),
      'loop_limit',
    ]);
  });

  test('is counted when it has timed out [tool.loop]', async () => {
    const respond = () => asks(['wait', { ms: 60_000, _meta: { timeout: 50 } }]);
    const timedOut = ['timed_out', 'timed_out', 'timed_out'];
    const outcomes = await outcomesOf([], { respond: (_, n) => (n < 4 ? respond() : says('done')) });
    expect(outcomes).toEqual([...timedOut, 'loop_limit']);
  });
});

test('a tool can look at its turn, and stop a detached agent of its own, but not a stranger’s [tool.status] [agent.tree]', async () => {
  const said: unknown[] = [];
  const look = toolOf('look', async (_, { status }) => JSON.stringify(said.push(status()) && 'ok'));
  const stop = toolOf('stop', async (input, { cancelAgent }) => cancelAgent(String(input['agent']), 'not needed'));
  const world = await createWorld({
    tools: [look, stop],
    agents: { helper: { description: 'helps', instructions: 'Help.' } },
    respond: ({ messages }, n) => {
      if (n === 0) return asks(['spawn_agent', { task: 'x', detached: true }], ['note'], ['look']);
      if (messages.some(({ content }) => content.endsWith('x') && content.length < 3))
        return { steps: [{ hang: true }] };
      const agent = /turn_\d+/.exec(messages.find(({ role }) => role === 'tool')?.content ?? '')?.[0];
      return messages.filter(({ role }) => role === 'tool').length < 5
        ? asks(['stop', { agent }], ['stop', { agent: 'turn_nowhere' }])
        : says('ok');
    },
  });
  await world.say('words');
  await world.clock.advance(3_000);
  expect(said[0]).toMatchObject({
    modelCalls: 1,
    timeouts: 0,
    calls: [{ name: 'spawn_agent', state: 'completed' }, { name: 'note' }, { name: 'look', state: 'running' }],
  });
  const outputs = world.heard.of('tool_result').map(({ output }) => output);
  expect(outputs.slice(3, 5).toSorted()).toEqual(['already_settled', 'cancelled']);
  expect(world.heard.of('turn_ended').map(({ outcome }) => outcome)).toContain('cancelled');
});

test('cleanup runs once when a running call is stopped, is waited for, and may throw [tool.contract]', async () => {
  const cleaned: string[] = [];
  const tidy: Tool = {
    ...toolOf(
      'tidy',
      (_, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
    ),
    async cleanup(cause) {
      cleaned.push(cause.source);
      throw new Error('a mess');
    },
  };
  const world = await createWorld({ tools: [tidy], respond: once(['tidy'], ['note']) });
  const turn = await world.say('words');
  await world.clock.advance(50);
  await world.cancel({ target: turn });
  await world.cancel({ target: turn });
  await world.clock.advance(2_000);
  expect(cleaned).toEqual(['client']);
  expect(world.warnings).toContain('The cleanup of tidy threw.');
  expect(world.results()[world.call('tidy')]).toBe('cancelled');
});
