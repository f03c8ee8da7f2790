// Long calls: their timeouts, repeated calls, the status of a turn, and cleanup.
import { describe, expect, test } from 'vitest';
import type { Tool } from '../../../src/core/contracts/tool.ts';
import { defineTool } from '../../../src/core/tools/define-tool.ts';
import type { SessionLimits } from '../../../src/core/workers/session-limits.ts';
import { bindSession } from '../../../src/embed/bound-session.ts';
import { createRecorder } from '../../../src/testing/recorder.ts';
import { callerOf, callsOnce, callsResponse, startHarness, textResponse, toolOf } from '../../support/harness.ts';

describe('a call that runs long', () => {
  test('and is abandoned publishes no output and no progress after the end of its turn [cancel.settled] [tool.progress]', async () => {
    const chatty = toolOf('chatty', async (_, { output, clock }) => {
      const speak = () => {
        output('still here');
        clock.after(100, speak);
      };
      speak();
      return new Promise(() => {});
    });
    const harness = await startHarness({ tools: [chatty], respond: callsOnce(['chatty']) });
    const turn = await harness.say('words');
    await harness.clock.advance(500);
    await harness.cancel({ target: turn });
    await harness.clock.advance(2_000);
    expect(harness.outcomes()).toEqual({ [harness.callNamed('chatty')]: 'abandoned' });
    const published = harness.recorder.outputs.length;
    await harness.clock.advance(20_000);
    expect(harness.recorder.outputs).toHaveLength(published);
    expect(harness.recorder.progress).toEqual([]);
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
  /** Resolves with the milliseconds of each timeout that was published. */
  const timeoutsOf = async (options: Parameters<typeof startHarness>[0]) => {
    const harness = await startHarness(options);
    await harness.say('words');
    await harness.clock.advance(4_000_000);
    const reported = harness.recorder.of('tool_timeout').map(({ node, ms }) => ({ node, ms }));
    for (const { node, ms } of reported)
      expect(harness.recorder.of('tool_result').find((result) => result.node === node)).toMatchObject({
        outcome: 'timed_out',
        ms,
      });
    return { harness, reported: reported.map(({ ms }) => ms) };
  };

  test('has two minutes where its tool declares no timeout [tool.timeout]', async () => {
    const { reported } = await timeoutsOf({ tools: [patient('patient')], respond: callsOnce(['patient']) });
    expect(reported).toEqual([120_000]);
  });

  test('gets at most the configured maximum by a hint of the model [tool.timeout]', async () => {
    const respond = callsOnce(
      ['patient', { _meta: { timeout: 99_000_000 } }],
      ['patient', { n: 2, _meta: { timeout: 5_000 } }],
    );
    const tools = [patient('patient')];
    expect((await timeoutsOf({ tools, respond })).reported).toEqual([5_000, 3_600_000]);
    const limits = { toolTimeoutMaxMs: 9_000 };
    expect((await timeoutsOf({ tools, respond, limits })).reported).toEqual([5_000, 9_000]);
  });

  test.each([
    { given: { ms: 700 }, reported: [700] },
    { given: { ms: 0 }, reported: [] },
    { given: { ms: 0, _meta: { timeout: 900 } }, reported: [900] },
    { given: { ms: 700, _meta: { timeout: 900 } }, reported: [700] },
    { given: { ms: 700, _meta: { timeout: 300 } }, reported: [300] },
    { given: { ms: 700, _meta: { timeout: 900 } }, toolTimeouts: { patient: 200 }, reported: [200] },
    { given: { ms: 700 }, toolTimeouts: { patient: 0 }, reported: [700] },
    { given: { ms: 700 }, toolTimeouts: { patient: 200 }, reported: [200] },
    { given: { ms: 0 }, toolTimeouts: { patient: 200 }, reported: [200] },
  ])(
    'whose tool reads its timeout from the arguments: $given with $toolTimeouts gives $reported [tool.timeout]',
    async ({ given, toolTimeouts = {}, reported }) => {
      const tools = [patient('patient', (input) => (input as { ms: number }).ms)];
      expect((await timeoutsOf({ tools, toolTimeouts, respond: callsOnce(['patient', given]) })).reported).toEqual(
        reported,
      );
    },
  );

  test('gets at most what was set for the session, whatever the model asks for [tool.timeouts]', async () => {
    const respond = callsOnce(['patient', { _meta: { timeout: 50_000 } }]);
    const harness = await startHarness({ tools: [patient('patient')], respond });
    await harness.runtime.setToolTimeout('s', null, { tool: 'patient', ms: 2_000 });
    await harness.say('words');
    await harness.clock.advance(60_000);
    expect(harness.recorder.of('tool_timeout').map(({ ms }) => ms)).toEqual([2_000]);
  });

  test('whose tool throws in `timeoutMs` has the default timeout, and the bug is reported', async () => {
    const tools = [patient('patient', () => Number.NaN)];
    const { reported, harness } = await timeoutsOf({ tools, respond: callsOnce(['patient']) });
    expect(reported).toEqual([120_000]);
    expect(harness.warnings).toEqual(['The `timeoutMs` of patient threw.']);
  });

  test('publishes its progress every five seconds after the first five [tool.progress]', async () => {
    const harness = await startHarness({ respond: callsOnce(['wait', { ms: 12_000 }]) });
    await harness.say('words');
    await harness.clock.advance(20_000);
    expect(harness.recorder.progress).toEqual(
      [5_000, 10_000].map((elapsedMs) => ({ name: 'wait', node: harness.callNamed('wait'), elapsedMs })),
    );
  });

  test('a hint of the model limits it, within the maximum; the result names the tool and the time [tool.timeout]', async () => {
    const harness = await startHarness({ respond: callsOnce(['wait', { ms: 60_000, _meta: { timeout: 700 } }]) });
    const turn = await harness.say('words');
    await harness.clock.advance(5_000);
    expect(harness.recorder.of('tool_timeout')).toMatchObject([{ node: harness.callNamed('wait'), ms: 700 }]);
    expect(harness.outcomes()).toEqual({ [harness.callNamed('wait')]: 'timed_out' });
    const reported = harness.provider.requests.at(-1)?.messages.at(-1)?.content ?? '';
    expect(reported).toContain('wait was stopped after 700 ms');
    expect(reported).toContain('3600000 at most');
    expect(harness.endOf(turn)?.outcome).toBe('completed');
  });

  test('a configured timeout replaces the timeout of the tool; a sub-agent may have one [tool.timeout] [cancel.sources]', async () => {
    const harness = await startHarness({
      agents: { helper: { description: 'helps', instructions: 'Help.' } },
      toolTimeouts: { wait: 400 },
      respond: (_, n) =>
        n === 0
          ? callsResponse(['wait', { ms: 5_000 }], ['spawn_agent', { task: 'x', _meta: { timeout: 900 } }])
          : n === 1
            ? { steps: [{ hang: true }] }
            : textResponse('ok'),
    });
    await harness.say('words');
    await harness.clock.advance(5_000);
    expect(harness.outcomes()).toEqual({
      [harness.callNamed('wait')]: 'timed_out',
      [harness.callNamed('spawn_agent')]: 'timed_out',
    });
    expect(harness.recorder.of('tool_timeout').map(({ ms }) => ms)).toEqual([400, 900]);
    const reported = harness.provider.requests
      .at(-1)
      ?.messages.slice(-2)
      .map(({ content }) => content);
    expect(reported?.[0]).toContain('wait was stopped after 400 ms');
    expect(reported?.[1]).toContain('spawn_agent was stopped after 900 ms');
  });

  test('a call that ignores its timeout may still run: the result says so to the model, and the turn goes on [tool.timeout]', async () => {
    const harness = await startHarness({
      toolTimeouts: { ignores_signal: 2_000 },
      respond: callsOnce(['ignores_signal', { ms: 60_000 }]),
    });
    const turn = await harness.say('words');
    await harness.clock.advance(10_000);
    expect(harness.outcomes()).toEqual({ [harness.callNamed('ignores_signal')]: 'abandoned' });
    const reported = harness.provider.requests.at(-1)?.messages.at(-1)?.content ?? '';
    expect(reported).toContain('ignores_signal was told to stop after 2 s');
    expect(reported).toContain('perhaps it is still running');
    expect(reported).not.toContain('cancelled');
    expect(harness.endOf(turn)?.outcome).toBe('completed');
  });

  test('the instructions of a model with tools name the hint for more time, and its maximum [tool.timeout]', async () => {
    const limits = { toolTimeoutMaxMs: 90_000 };
    const agents = { helper: { description: 'helps', instructions: 'Help.', tools: [] } };
    const harness = await startHarness({ limits, agents, respond: callsOnce(['spawn_agent', { task: 'x' }]) });
    await harness.say('words');
    await harness.clock.advance(1_000);
    const [own, helper] = harness.provider.requests.map(({ messages }) => messages[0]?.content ?? '');
    expect(own).toContain('"_meta": {"timeout": <milliseconds>}');
    expect(own).toContain('90000 at most');
    expect(helper, 'it has no tools').toBe('Help.');
  });

  test('a sub-agent may have a configured timeout [tool.timeout]', async () => {
    const harness = await startHarness({
      agents: { helper: { description: 'helps', instructions: 'Help.' } },
      toolTimeouts: { spawn_agent: 500 },
      respond: (_, n) =>
        n === 0
          ? callsResponse(['spawn_agent', { task: 'x' }])
          : n === 1
            ? { steps: [{ hang: true }] }
            : textResponse('ok'),
    });
    await harness.say('words');
    await harness.clock.advance(5_000);
    expect(harness.recorder.of('tool_timeout')).toMatchObject([{ node: harness.callNamed('spawn_agent'), ms: 500 }]);
    expect(harness.outcomes()).toEqual({ [harness.callNamed('spawn_agent')]: 'timed_out' });
  });
});

describe('a call that is made again', () => {
  const outcomesOf = async (spelled: readonly string[], options: Parameters<typeof startHarness>[0] = {}) => {
    const harness = await startHarness({
      respond: (_, n) => {
        const text = spelled[n];
        return text === undefined
          ? textResponse('done')
          : { steps: [{ call: { callId: 'p', name: 'note', arguments: text } }] };
      },
      ...options,
    });
    const turn = await harness.say('words');
    await harness.clock.advance(1_000);
    expect(harness.endOf(turn)?.outcome).toBe('completed');
    const results = harness.recorder.of('tool_result');
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
    ['no arguments and an empty object', ['', '{}', '', '{ }']],
    ['the field `_meta`', ['{"a":1}', ...[1, 2, 3].map((ms) => `{"_meta":{"timeout":${ms}},"a":1}`)]],
  ])('is denied past its limit, differences in %s aside [tool.loop]', async (_, spelled) => {
    expect(await outcomesOf([...spelled, '{"other":1}'])).toEqual([...thrice, 'loop_limit', 'completed']);
  });

  test('with other arguments is another call, also where only the order of elements differs or the text is not JSON [tool.loop]', async () => {
    expect(await outcomesOf(['[1,2]', '[2,1]', '{"a":1}', '{"a":"1"}', '{"a":null}', '{}'])).not.toContain(
      'loop_limit',
    );
    expect(await outcomesOf(['{"a"', '{"a', '{"a"', '{"a"', '{"a"'])).toEqual([
      ...Array.from({ length: 4 }, () => 'bad_arguments'),
      'loop_limit',
    ]);
  });

  test('is counted when it has timed out [tool.loop]', async () => {
    const respond = () => callsResponse(['wait', { ms: 60_000, _meta: { timeout: 50 } }]);
    const timedOut = ['timed_out', 'timed_out', 'timed_out'];
    const outcomes = await outcomesOf([], { respond: (_, n) => (n < 4 ? respond() : textResponse('done')) });
    expect(outcomes).toEqual([...timedOut, 'loop_limit']);
  });
});

test('a tool can read the status of its turn, and can stop a detached agent of its own turn only [tool.status] [agent.tree]', async () => {
  const said: unknown[] = [];
  const status = toolOf('look', async (_, { status }) => JSON.stringify(said.push(status()) && 'ok'));
  const stop = toolOf('stop', async (input, { cancelCall }) => cancelCall(String(input['agent']), 'not needed'));
  const harness = await startHarness({
    tools: [status, stop],
    agents: { helper: { description: 'helps', instructions: 'Help.' } },
    respond: ({ messages }, n) => {
      if (n === 0) return callsResponse(['spawn_agent', { task: 'x', detached: true }], ['note'], ['look']);
      if (messages.some(({ content }) => content.endsWith('x') && content.length < 3))
        return { steps: [{ hang: true }] };
      const agent = /turn_\d+/.exec(messages.find(({ role }) => role === 'tool')?.content ?? '')?.[0];
      return messages.filter(({ role }) => role === 'tool').length < 5
        ? callsResponse(['stop', { agent }], ['stop', { agent: 'turn_nowhere' }])
        : textResponse('ok');
    },
  });
  await harness.say('words');
  await harness.clock.advance(3_000);
  expect(said[0]).toMatchObject({
    modelCalls: 1,
    timeouts: 0,
    calls: [{ name: 'spawn_agent', state: 'completed' }, { name: 'note' }, { name: 'look', state: 'running' }],
  });
  const outputs = harness.recorder.of('tool_result').map(({ output }) => output);
  expect(outputs.slice(3, 5).toSorted()).toEqual(['already_settled', 'cancelled']);
  expect(harness.recorder.of('turn_ended').map(({ outcome }) => outcome)).toContain('cancelled');
});

test("a model cannot stop another speaker's detached agent, although anyone may by hand [agent.tree] [owner.guard]", async () => {
  const stop = toolOf('stop', async (input, { cancelCall }) => cancelCall(String(input['agent']), 'not needed'));
  const harness = await startHarness({
    tools: [stop],
    agents: { helper: { description: 'helps', instructions: 'Help.' } },
    respond: ({ messages }) => {
      const last = messages.at(-1);
      if (last?.role === 'user' && last.content.endsWith('start it'))
        return callsResponse(['spawn_agent', { task: 'x', detached: true }]);
      if (last?.role === 'user' && last.content.includes('stop turn_'))
        return callsResponse(['stop', { agent: /turn_\w+/.exec(last.content)?.[0] }]);
      return last?.role === 'user' ? { steps: [{ hang: true }] } : textResponse('ok');
    },
  });
  await harness.say('start it');
  await harness.clock.advance(100);
  const agent = harness.recorder.of('turn_opened').find(({ kind }) => kind === 'agent')?.turn ?? '';
  const bob = callerOf('bob');
  await harness.say(`stop ${agent}`, bob);
  await harness.clock.advance(100);
  expect(harness.recorder.of('tool_result').at(-1)?.output).toBe('not_yours');
  expect((await harness.session.nodes()).map(({ node, state }) => [node, state])).toEqual([[agent, 'running']]);
  expect(await harness.cancel({ target: agent }, bob)).toMatchObject({ type: 'cancel_accepted' });
});

test('cleanup runs once when a running call is stopped, is awaited, and may throw [tool.contract]', async () => {
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
  const harness = await startHarness({ tools: [tidy], respond: callsOnce(['tidy'], ['note']) });
  const turn = await harness.say('words');
  await harness.clock.advance(50);
  await harness.cancel({ target: turn });
  await harness.cancel({ target: turn });
  await harness.clock.advance(2_000);
  expect(cleaned).toEqual(['client']);
  expect(harness.warnings).toContain('The cleanup of tidy threw.');
  expect(harness.outcomes()[harness.callNamed('tidy')]).toBe('cancelled');
});

describe('the limits of a session', () => {
  const limited = (limits: Partial<SessionLimits>) =>
    startHarness({
      tools: [
        toolOf('look', async () => 'seen'),
        { ...toolOf('idle', () => new Promise(() => {})), timeoutMs: 'default' },
      ],
      session: (id) => (id === 's' ? { limits } : {}),
      respond: callsOnce(['idle']),
    });

  test('count in place of those of the runtime, also for the timeout of its calls [config.sessions]', async () => {
    const harness = await limited({ toolTimeoutMs: 300, sayChars: 12 });
    await harness.say('words');
    await harness.clock.advance(2_000);
    expect(harness.recorder.of('tool_timeout')).toMatchObject([{ ms: 300 }]);
    const other = await bindSession(harness.runtime, 't');
    const recorder = createRecorder();
    await other.join(harness.alice, recorder.listener, 0);
    const long = { text: 'more than twelve' };
    expect(await harness.session.say(harness.alice, long)).toMatchObject({
      type: 'say_refused',
      code: 'text_too_long',
    });
    expect(await other.say(harness.alice, long)).toMatchObject({ type: 'turn_opened' });
    await harness.clock.advance(2_000);
    expect(recorder.of('tool_timeout')).toEqual([]);
  });

  test.each([
    [{ sayChars: 0 }, 'limits of the session.sayChars must be a whole number from 1'],
    [{ depth: 17 }, 'limits of the session.depth must be a whole number from 1 to 16, not 17'],
    [{ shutdownMs: 5 } as object, 'limits of the session.shutdownMs is not a limit'],
  ])('%j are refused by the name of the limit [config.sessions]', async (limits, says) => {
    await expect(limited(limits)).rejects.toThrow(says);
  });
});
