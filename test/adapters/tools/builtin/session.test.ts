// Tools `ask_user` and `cancel_agent`, through a whole runtime.
import { describe, expect, test } from 'vitest';
import type { StandingRule } from '../../../../machines/standing.ts';
import type { NodeKind } from '../../../../machines/vocabulary.ts';
import { builtinTools } from '../../../../src/adapters/tools/builtin/builtin-tools.ts';
import type { ToolContext } from '../../../../src/core/contracts/tool.ts';
import { createRecorder } from '../../../../src/testing/recorder.ts';
import { testToolContract } from '../../../contract/tool.ts';
import { callerOf, callsOnce, callsResponse, startHarness, textResponse } from '../../../support/harness.ts';
import { call, named } from './folder.ts';

const tools = builtinTools();
const ask = named(tools, 'ask_user');
const cancelAgent = named(tools, 'cancel_agent');
const bob = callerOf('bob');

testToolContract('cancel_agent', () => ({
  tool: cancelAgent,
  good: { agent: 'turn_2' },
  bad: [
    { input: {}, names: 'agent' },
    { input: { agent: 'turn_2', reason: '' }, names: 'reason' },
  ],
  context: { cancelAgent: async () => 'cancelled' as const },
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
    expect.arrayContaining(['session_status', 'ask_user', 'cancel_agent']),
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

describe('cancel_agent', () => {
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
          ? callsResponse(['cancel_agent', { agent }], ['cancel_agent', { agent: 'turn_nowhere' }])
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
    const strange = await call(cancelAgent, { agent: 'turn_9' });
    expect(strange).toMatchObject({ kind: 'failed', code: 'denied', effect: 'none' });
  });

  test.each([
    { what: 'all of it', spared: (_: NodeKind) => true },
    { what: 'its turn, but not its calls', spared: (kind: NodeKind) => kind === 'turn' },
  ])(
    'reports that it runs on where the policy of the session spares $what [agent.tree] [owner.guard]',
    async ({ spared }) => {
      const standing: StandingRule = ({ kind }) =>
        spared(kind) ? { may: false, because: 'not_allowed' } : { may: true, because: 'policy' };
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
              ? callsResponse(['cancel_agent', { agent }])
              : textResponse('done');
        },
      });
      await harness.say('words');
      await harness.clock.advance(3_000);
      const result = harness.recorder.of('tool_result').find(({ node }) => node === harness.callNamed('cancel_agent'));
      const agent = harness.recorder.of('turn_opened').find(({ kind }) => kind === 'agent')?.turn ?? '';
      expect(result).toMatchObject({
        outcome: 'failed',
        code: 'denied',
        effect: 'none',
        message: `${agent} runs on: this speaker is not allowed to stop it.`,
      });
      expect((await harness.session.nodes()).map(({ node, state }) => [node, state])).toContainEqual([
        agent,
        'running',
      ]);
    },
  );
});
