// Tools `ask_user` and `cancel_call`, through a whole runtime.
import { describe, expect, test } from 'vitest';
import { standingCodes } from '../../../../machines/codes.ts';
import type { StandingRule } from '../../../../machines/standing.ts';
import type { NodeKind } from '../../../../machines/vocabulary.ts';
import { builtinTools } from '../../../../src/adapters/tools/builtin/builtin-tools.ts';
import { namesOf } from '../../../../src/core/collections/fields.ts';
import type { ToolContext } from '../../../../src/core/contracts/tool.ts';
import type { SessionSpec } from '../../../../src/core/session/session-spec.ts';
import { refusalText } from '../../../../src/core/words/receipt-words.ts';
import { createRecorder } from '../../../../src/testing/recorder.ts';
import { testToolContract } from '../../../contract/tool.ts';
import {
  type CallSpec,
  callerOf,
  callsOnce,
  callsResponse,
  startHarness,
  textResponse,
  toolOf,
} from '../../../support/harness.ts';
import { call, named } from './folder.ts';

const tools = builtinTools();
const ask = named(tools, 'ask_user');
const cancelCall = named(tools, 'cancel_call');
const bob = callerOf('bob');

testToolContract('cancel_call', () => ({
  tool: cancelCall,
  good: { call: 'turn_2' },
  bad: [
    { input: {}, names: 'call' },
    { input: { call: 'turn_2', reason: '' }, names: 'reason' },
  ],
  context: { cancelCall: async () => 'cancelled' as const },
}));

/** Answers at once, or never. */
const person = (answers: boolean): ToolContext['ask'] => (answers ? async () => 'red' : () => new Promise(() => {}));
testToolContract('ask_user', () => ({
  tool: ask,
  good: { question: 'Which?', choices: ['red', 'blue'] },
  bad: [
    { input: {}, names: 'question' },
    { input: { question: 'Which?', choices: [] }, names: 'choices' },
    { input: { question: 'Which?', expiresMs: 10 }, names: 'at least 1000' },
  ],
  context: { ask: person(true) },
}));

test('they exist whatever is allowed, and waiting for a person has no timeout [tool.timeout]', () => {
  expect(builtinTools().map(({ name }) => name)).toEqual(
    expect.arrayContaining(['session_status', 'ask_user', 'cancel_call']),
  );
  expect(ask.timeoutMs).toBe(0);
});

describe('ask_user', () => {
  const asking = (input: object = {}) =>
    startHarness({
      tools: [...tools],
      respond: callsOnce(['ask_user', { question: 'Which?', choices: ['a', 'b'], ...input }]),
    });

  test('asks the speaker, or another one, and returns the answer [ladder.ask]', async () => {
    const harness = await asking({ to: 'bob' });
    await harness.session.join(bob, createRecorder().listener, null);
    await harness.say('words');
    await harness.clock.advance(600_000);
    expect(harness.recorder.of('question_asked')).toMatchObject([{ to: 'bob', text: 'Which?', choices: ['a', 'b'] }]);
    const answer = harness.session.answer(bob, {
      target: harness.callNamed('ask_user'),
      answer: 'answered',
      text: 'b',
    });
    await harness.clock.advance(100);
    expect(await answer).toEqual({ type: 'answer_taken' });
    expect(harness.recorder.of('tool_result')).toMatchObject([{ outcome: 'completed', effect: 'none', output: 'b' }]);
  });

  test('a question to an absent speaker fails, and names the speakers that are present [ladder.ask]', async () => {
    const harness = await asking({ to: 'Alice' });
    await harness.session.join(bob, createRecorder().listener, null);
    const turn = await harness.say('words');
    await harness.clock.advance(1_000);
    expect(harness.recorder.of('question_asked')).toEqual([]);
    expect(harness.recorder.of('tool_result')).toMatchObject([
      { outcome: 'failed', code: 'bad_arguments', effect: 'none' },
    ]);
    expect(harness.recorder.of('tool_result')[0]?.output).toBe(
      'There is no speaker Alice in the session. Present: alice, bob.',
    );
    expect(harness.endOf(turn)?.outcome).toBe('completed');
  });

  test('an answer that is none of the choices is returned as it is, with a note', async () => {
    const harness = await asking();
    await harness.say('words');
    await harness.clock.advance(50);
    void harness.session.answer(harness.alice, {
      target: harness.callNamed('ask_user'),
      answer: 'answered',
      text: 'neither',
    });
    await harness.clock.advance(50);
    expect(harness.recorder.of('tool_result')).toMatchObject([{ output: 'neither\n[none of the choices]' }]);
  });

  test('a CANCEL withdraws it for every member, and the turn goes on [ladder.ask] [owner.ask]', async () => {
    const harness = await asking({ to: 'bob' });
    const screen = createRecorder();
    await harness.session.join(bob, screen.listener, null);
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    await harness.cancel({ target: harness.callNamed('ask_user') }, bob);
    await harness.clock.advance(50);
    for (const recorder of [harness.recorder, screen])
      expect(recorder.of('question_closed')).toMatchObject([{ answer: 'withdrawn' }]);
    expect(harness.recorder.of('tool_result')).toMatchObject([{ outcome: 'cancelled', effect: 'none' }]);
    expect(harness.endOf(turn)?.outcome).toBe('completed');
  });

  test('a question without an answer in time is a timeout of the call [ladder.ask] [tool.timeout]', async () => {
    const harness = await asking({ expiresMs: 2_000 });
    const turn = await harness.say('words');
    await harness.clock.advance(3_000);
    expect(harness.recorder.of('question_closed')).toMatchObject([{ answer: 'expired' }]);
    expect(harness.recorder.of('tool_result')).toMatchObject([{ outcome: 'timed_out', effect: 'none' }]);
    expect(harness.endOf(turn)?.outcome).toBe('completed');
  });
});

describe('cancel_call', () => {
  test('stops a detached agent, reports when there is nothing to stop, and leaves another speaker’s alone [agent.tree]', async () => {
    const harness = await startHarness({
      tools: [...tools],
      agents: { helper: { description: 'helps', instructions: 'Help.' } },
      respond: ({ messages }, n) => {
        if (messages.some(({ content }) => content.endsWith('long work'))) return { steps: [{ hang: true }] };
        if (n === 0) return callsResponse(['spawn_agent', { task: 'long work', detached: true }]);
        const results = messages.filter(({ role }) => role === 'tool');
        const agent = /turn_\d+/.exec(results[0]?.content ?? '')?.[0];
        return results.length === 1
          ? callsResponse(['cancel_call', { call: agent }], ['cancel_call', { call: 'turn_nowhere' }])
          : textResponse('done');
      },
    });
    await harness.say('words');
    await harness.clock.advance(3_000);
    const results = harness.recorder.of('tool_result').slice(1);
    expect(results.map(({ output }) => output).toSorted()).toEqual([
      expect.stringMatching(/^turn_\d+ is being stopped\.$/),
      expect.stringMatching(/^turn_nowhere is not running/),
    ]);
    expect(harness.recorder.of('turn_ended').map(({ outcome }) => outcome)).toContain('cancelled');
    const strange = await call(cancelCall, { call: 'turn_9' });
    expect(strange).toMatchObject({ kind: 'failed', code: 'denied', effect: 'none' });
  });

  test.each(
    namesOf(standingCodes).flatMap((because) => [
      { because, what: 'all of it', spared: (_: NodeKind): boolean => true },
      { because, what: 'its turn, but not its calls', spared: (kind: NodeKind): boolean => kind === 'turn' },
    ]),
  )(
    'reports that it runs on, and why, where a rule of the session spares $what: $because [agent.tree] [owner.guard]',
    async ({ because, spared }) => {
      const standing: StandingRule = ({ kind }) =>
        spared(kind) ? { may: false, because } : { may: true, because: 'policy' };
      const harness = await startHarness({
        tools: [...tools],
        agents: { helper: { description: 'helps', instructions: 'Help.' } },
        session: () => ({ standing }),
        respond: ({ messages }, n) => {
          if (messages.some(({ content }) => content.endsWith('long work')))
            return callsResponse(['wait', { ms: 60_000 }]);
          if (n === 0) return callsResponse(['spawn_agent', { task: 'long work', detached: true }]);
          const results = messages.filter(({ role }) => role === 'tool');
          const agent = /turn_\d+/.exec(results[0]?.content ?? '')?.[0];
          return results.length === 1
            ? callsResponse(['wait', { ms: 50 }], ['note'])
            : results.length === 3
              ? callsResponse(['cancel_call', { call: agent }])
              : textResponse('done');
        },
      });
      await harness.say('words');
      await harness.clock.advance(3_000);
      const result = harness.recorder.of('tool_result').find(({ node }) => node === harness.callNamed('cancel_call'));
      const agent = harness.recorder.of('turn_opened').find(({ kind }) => kind === 'agent')?.turn ?? '';
      expect(result).toMatchObject({
        outcome: 'failed',
        code: 'denied',
        effect: 'none',
        message: `${agent} runs on: ${refusalText(because, null)}.`,
      });
      expect((await harness.session.nodes()).map(({ node, state }) => [node, state])).toContainEqual([
        agent,
        'running',
      ]);
    },
  );
});

describe('what a model may stop in the background', () => {
  /** Alice's first turn makes `background`; then the words `stop NODE` of a speaker make a call of `cancel_call` for it. */
  const withBackground = (background: CallSpec, session: Partial<SessionSpec> = {}) =>
    startHarness({
      tools: [...tools],
      agents: { helper: { description: 'helps', instructions: 'Help.' } },
      session: () => ({ whileRunning: 'parallel', ...session }),
      respond: ({ messages }) => {
        const last = messages.at(-1);
        if (last?.role === 'tool') return textResponse('ok');
        const [, stopped] = /stop (\w+)$/.exec(last?.content ?? '') ?? [];
        if (stopped) return callsResponse(['cancel_call', { call: stopped, reason: 'too slow' }]);
        return last?.content.endsWith('start') ? callsResponse(background) : callsResponse(['wait', { ms: 60_000 }]);
      },
    });
  type Harness = Awaited<ReturnType<typeof withBackground>>;

  async function stop(harness: Harness, node: string, by = harness.alice) {
    await harness.say(`stop ${node}`, by);
    await harness.clock.advance(200);
    const asked = harness.recorder.of('tool_call').findLast(({ name }) => name === 'cancel_call');
    return harness.recorder.of('tool_result').find((result) => result.node === asked?.node);
  }
  const isRunning = async (harness: Harness, node: string) =>
    (await harness.session.nodes()).some((one) => one.node === node && one.state === 'running');

  test('a call of another turn of its speaker: the receipt names the model and the speaker, and nobody is acknowledged [tool.cancel]', async () => {
    const harness = await withBackground(['wait', { ms: 60_000 }]);
    const turn = await harness.say('start');
    await harness.clock.advance(50);
    const node = harness.callNamed('wait');
    expect(await stop(harness, node)).toMatchObject({ outcome: 'completed', output: `${node} is being stopped.` });
    expect(harness.outcomes()[node]).toBe('cancelled');
    expect(harness.recorder.of('cancel_accepted')).toMatchObject([
      { source: 'model', by: 'alice', target: node, stopping: [node], refused: [], ref: null },
    ]);
    expect(harness.recorder.of('cancel_settled')).toMatchObject([
      { cause: { source: 'model', by: 'alice', reason: 'too slow', target: node } },
    ]);
    expect(harness.endOf(turn)?.outcome).toBe('completed');
    await harness.clock.advance(20_000);
    expect(harness.recorder.of('turn_opened').map(({ kind }) => kind)).toEqual(['say', 'say']);
    expect((await stop(harness, node))?.output).toContain('is not running');
  });

  test('a detached agent, with the calls below it, which is no acknowledged stop of a person either [tool.cancel] [agent.tree]', async () => {
    const harness = await withBackground(['spawn_agent', { task: 'work', detached: true }]);
    await harness.say('start');
    await harness.clock.advance(100);
    const agent = harness.recorder.of('turn_opened').find(({ kind }) => kind === 'agent')?.turn ?? '';
    expect(await stop(harness, agent)).toMatchObject({ output: `${agent} is being stopped.` });
    const [receipt] = harness.recorder.of('cancel_settled');
    expect(receipt).toMatchObject({ cause: { source: 'model' } });
    expect(receipt?.nodes.map(({ node }) => node).toSorted()).toEqual([harness.callNamed('wait'), agent].toSorted());
    await harness.clock.advance(20_000);
    expect(harness.recorder.of('turn_opened').map(({ kind }) => kind)).not.toContain('acknowledgement');
  });

  test('not a turn that was said, nor the work of another speaker, whatever the policy is [tool.cancel] [owner.guard]', async () => {
    const harness = await withBackground(['wait', { ms: 60_000 }], { policy: 'anyone' });
    await harness.session.join(bob, createRecorder().listener, null);
    const turn = await harness.say('start');
    await harness.clock.advance(50);
    const node = harness.callNamed('wait');
    const moderator = callerOf('bob', ['moderator']);
    for (const [target, by] of [
      [turn, harness.alice],
      [node, bob],
      [node, moderator],
    ] as const) {
      const output = `${target} is no call or agent that works for this speaker.`;
      const denied = { outcome: 'failed', code: 'denied', effect: 'none', output };
      expect(await stop(harness, target, by)).toMatchObject(denied);
      expect(await isRunning(harness, node)).toBe(true);
    }
    expect(harness.recorder.of('cancel_accepted')).toEqual([]);
  });

  test('not words that wait for a turn of its speaker [tool.cancel]', async () => {
    const harness = await withBackground(['wait', { ms: 60_000 }]);
    const turn = await harness.say('start');
    await harness.clock.advance(50);
    const steered = await harness.session.say(harness.alice, { text: 'and this', steer: { target: turn } });
    expect(steered).toMatchObject({ type: 'input_deferred' });
    const input = harness.recorder.of('input_deferred')[0]?.input ?? '';
    expect((await stop(harness, input))?.output).toContain('is no call or agent');
  });

  test('not what the call itself is a part of [tool.cancel]', async () => {
    const asked: string[] = [];
    const path = toolOf('path', async (_, { call, turn, cancelCall }) => {
      const above = harness.recorder.of('tool_call').find(({ name }) => name === 'spawn_agent')?.node ?? '';
      for (const node of [call, turn, above]) asked.push(await cancelCall(node, 'enough'));
      return 'asked';
    });
    const harness = await startHarness({
      tools: [path],
      agents: { helper: { description: 'helps', instructions: 'Help.' } },
      respond: ({ messages }) => {
        const last = messages.at(-1);
        if (last?.role === 'tool') return textResponse('ok');
        return last?.content.endsWith('start')
          ? callsResponse(['spawn_agent', { task: 'x' }])
          : callsResponse(['path']);
      },
    });
    await harness.say('start');
    await harness.clock.advance(1_000);
    expect(asked).toEqual(['own_work', 'own_work', 'own_work']);
    expect(harness.recorder.of('tool_result').map(({ outcome }) => outcome)).toEqual(['completed', 'completed']);
  });

  test('what the policy leaves to another speaker runs on: standing is judged for each node [tool.cancel] [owner.guard]', async () => {
    const harness = await startHarness({
      tools: [...tools],
      agents: { helper: { description: 'helps', instructions: 'Help.' } },
      ownerOfCall: ({ name, turnOwner }) => (name === 'wait' ? 'bob' : turnOwner),
      session: () => ({ whileRunning: 'parallel', policy: 'owner' }),
      respond: ({ messages }) => {
        const last = messages.at(-1);
        if (last?.role === 'tool') return textResponse('ok');
        const [, stopped] = /stop (\w+)$/.exec(last?.content ?? '') ?? [];
        if (stopped) return callsResponse(['cancel_call', { call: stopped }]);
        return last?.content.endsWith('start')
          ? callsResponse(['spawn_agent', { task: 'work', detached: true }])
          : callsResponse(['wait', { ms: 60_000 }]);
      },
    });
    await harness.session.join(bob, createRecorder().listener, null);
    await harness.say('start');
    await harness.clock.advance(100);
    const agent = harness.recorder.of('turn_opened').find(({ kind }) => kind === 'agent')?.turn ?? '';
    await stop(harness, agent);
    const node = harness.callNamed('wait');
    expect(harness.recorder.of('cancel_accepted')).toMatchObject([
      { source: 'model', by: 'alice', stopping: [agent], refused: [{ node, reason: 'not_owner' }] },
    ]);
    expect(await isRunning(harness, node)).toBe(true);
  });
});
