// Approvals, and questions of running calls: the first answer is accepted, and a CANCEL withdraws the question.
import { describe, expect, test } from 'vitest';
import type { Tool } from '../../../src/core/contracts/tool.ts';
import { bindSession } from '../../../src/embed/bound-session.ts';
import { createRecorder } from '../../../src/testing/recorder.ts';
import {
  callerOf,
  callsOnce,
  callsResponse,
  type Harness,
  startHarness,
  textResponse,
  toolOf,
} from '../../support/harness.ts';

const bob = callerOf('bob');
const carol = callerOf('carol', ['moderator']);
const answerOf = (harness: Harness, answer: 'approved' | 'denied', member = harness.alice, name = 'risky') => {
  const given = harness.session.answer(member, { target: harness.callNamed(name), answer, ref: 'a1' });
  return harness.clock.advance(0).then(() => given);
};

describe('an approval', () => {
  const risky = (approval: Tool['approval'] = () => ({ text: 'May I?', to: 'bob', expiresMs: 1_000 })): Tool => ({
    ...toolOf('risky', async () => 'done it'),
    approval,
  });
  const startApproval = async (approval?: Tool['approval']) => {
    const harness = await startHarness({
      tools: [risky(approval)],
      session: () => ({ policy: 'owner' as const }),
      respond: callsOnce(['risky'], ['wait', { ms: 100 }]),
    });
    await harness.session.join(bob, createRecorder().listener, null);
    const turn = await harness.say('words');
    await harness.clock.advance(150);
    return { harness, turn };
  };

  test('is requested while sibling calls run on, and the call runs after a yes [ladder.call.approving] [owner.ask]', async () => {
    const { harness, turn } = await startApproval();
    expect(harness.recorder.of('approval_requested')).toMatchObject([{ to: 'bob', text: 'May I?', expiresAt: 1_000 }]);
    expect(harness.outcomes()).toEqual({ [harness.callNamed('wait')]: 'completed' });
    expect(await answerOf(harness, 'approved', harness.alice)).toMatchObject({
      type: 'answer_refused',
      code: 'not_addressed',
    });
    expect(await answerOf(harness, 'approved', bob)).toEqual({ type: 'answer_taken' });
    await harness.clock.advance(2_000);
    expect(harness.recorder.of('approval_closed')).toMatchObject([{ answer: 'approved', by: 'bob', ref: 'a1' }]);
    expect(harness.outcomes()[harness.callNamed('risky')]).toBe('completed');
    const place = (type: string) => harness.recorder.facts.findLastIndex((fact) => fact.type === type);
    expect(place('approval_closed')).toBeLessThan(place('tool_started'));
    expect(harness.endOf(turn)?.outcome).toBe('completed');
  });

  test('is in the JOIN of a later client while it is open, and not after it is closed [owner.ask]', async () => {
    const { harness, turn } = await startApproval();
    const open = async (connection: string) => {
      const recorder = createRecorder();
      await harness.session.join({ ...carol, connection }, recorder.listener, null);
      return recorder.joins.at(-1)?.questions;
    };
    expect(await open('second')).toEqual([
      {
        type: 'approval_requested',
        turn,
        node: harness.callNamed('risky'),
        question: 'question_1',
        to: 'bob',
        text: 'May I?',
        name: 'risky',
        arguments: '{}',
        expiresAt: 1_000,
      },
    ]);
    await answerOf(harness, 'approved', bob);
    expect(await open('third')).toEqual([]);
  });

  test('a speaker with the role emergency answers nothing that others are asked [access.join]', async () => {
    const { harness } = await startApproval();
    const guard = callerOf('guard', ['emergency']);
    for (const answer of ['approved', 'denied'] as const)
      expect(await answerOf(harness, answer, guard)).toMatchObject({ type: 'answer_refused', code: 'not_addressed' });
    expect(harness.recorder.of('approval_closed')).toEqual([]);
  });

  test('a no denies the call, a late answer gets `expired`, a moderator may answer for anybody [ladder.call.approving]', async () => {
    const { harness } = await startApproval();
    expect(await answerOf(harness, 'denied', carol)).toEqual({ type: 'answer_taken' });
    await harness.clock.advance(100);
    expect(harness.recorder.of('tool_result').at(-1)).toMatchObject({
      outcome: 'denied',
      effect: 'not_started',
      code: 'denied',
    });
    expect(await answerOf(harness, 'approved', bob)).toMatchObject({ type: 'answer_refused', code: 'expired' });
    expect(harness.recorder.of('approval_closed')).toHaveLength(1);
  });

  test.each([
    { order: ['cancel', 'approved'], outcome: 'cancelled', closed: 'withdrawn' },
    { order: ['approved', 'cancel'], outcome: 'cancelled', closed: 'approved' },
    { order: ['denied', 'cancel'], outcome: 'denied', closed: 'denied' },
    { order: ['cancel', 'denied'], outcome: 'cancelled', closed: 'withdrawn' },
  ] as const)(
    '$order in one tick: the first counts, and the call does not run [ladder.call.approving] [cancel.fence]',
    async ({ order, outcome, closed }) => {
      const { harness, turn } = await startApproval();
      for (const what of order) {
        if (what === 'cancel') void harness.session.cancel(harness.alice, { target: turn });
        else void harness.session.answer(bob, { target: harness.callNamed('risky'), answer: what });
      }
      await harness.clock.advance(2_000);
      expect(harness.recorder.of('approval_closed')).toMatchObject([{ answer: closed }]);
      expect(harness.outcomes()[harness.callNamed('risky')]).toBe(outcome);
      expect(harness.recorder.of('tool_started').some(({ node }) => node === harness.callNamed('risky'))).toBe(false);
      expect(harness.endOf(turn)?.outcome).toBe('cancelled');
    },
  );

  test('expires by a CANCEL, and does not expire after it is answered [cancel.sources] [ladder.call.approving]', async () => {
    const { harness, turn } = await startApproval();
    await harness.clock.advance(2_000);
    expect(harness.outcomes()[harness.callNamed('risky')]).toBe('timed_out');
    expect(harness.recorder.of('approval_closed')).toMatchObject([{ answer: 'expired', by: null }]);
    expect(harness.endOf(turn)?.outcome).toBe('completed');
    const { harness: other } = await startApproval();
    await answerOf(other, 'approved', bob);
    await other.clock.advance(5_000);
    expect(other.recorder.of('cancel_accepted')).toEqual([]);
  });

  test('while it is open, its addressee has standing over that call, and not over the turn [owner.ask] [owner.node]', async () => {
    const { harness, turn } = await startApproval();
    const answer = await harness.cancel({ target: turn }, bob);
    expect(answer).toMatchObject({
      type: 'cancel_accepted',
      receipt: { stopping: [harness.callNamed('risky')], refused: [{ node: turn }] },
    });
    await harness.clock.advance(2_000);
    expect(harness.endOf(turn)?.outcome).toBe('completed');
    const { harness: other, turn: again } = await startApproval();
    await answerOf(other, 'approved', bob);
    expect(await other.cancel({ target: again }, bob)).not.toMatchObject({ type: 'cancel_accepted' });
  });

  test('a disconnect of its addressee does not cancel it [owner.ask]', async () => {
    const { harness } = await startApproval(() => ({ text: 'May I?', to: 'bob', expiresMs: 20_000 }));
    void harness.session.leave(bob.connection, 'lost');
    await harness.clock.advance(10_000);
    expect(harness.recorder.of('approval_closed')).toEqual([]);
  });

  test('recovery after a crash withdraws it, and does not request it again [store.durable] [ladder.call.approving]', async () => {
    const { harness } = await startApproval();
    const events = await harness.log.read('s', 0);
    const next = await startHarness({ life: 2 });
    const epoch = await next.log.claim('other', 0, 'dead');
    await next.log.append(
      'other',
      epoch,
      0,
      events.map(({ body }) => body),
    );
    const session = await bindSession(next.runtime, 'other');
    const recorder = createRecorder();
    await session.join(next.alice, recorder.listener, 0);
    expect(recorder.of('approval_closed')).toMatchObject([{ answer: 'withdrawn' }]);
    expect(recorder.of('tool_result').at(-1)).toMatchObject({ outcome: 'failed', effect: 'not_started' });
  });
});

describe('a question of a running call', () => {
  const asker = toolOf(
    'asker',
    async (_, { ask }) => `they said ${await ask({ text: 'Which?', choices: ['a', 'b'], to: 'bob' })}`,
    { timeoutMs: 500 },
  );

  test('returns its answer, and the timeout of the tool does not run while it is open [ladder.ask] [tool.timeout]', async () => {
    const harness = await startHarness({ tools: [asker], respond: callsOnce(['asker']) });
    await harness.session.join(bob, createRecorder().listener, null);
    const turn = await harness.say('words');
    await harness.clock.advance(3_000);
    expect(harness.recorder.of('question_asked')).toMatchObject([{ to: 'bob', choices: ['a', 'b'] }]);
    const answered = harness.session.answer(bob, { target: harness.callNamed('asker'), answer: 'answered', text: 'a' });
    await harness.clock.advance(100);
    expect(await answered).toEqual({ type: 'answer_taken' });
    expect(harness.recorder.of('tool_result')).toMatchObject([{ outcome: 'completed', output: 'they said a' }]);
    expect(harness.endOf(turn)?.outcome).toBe('completed');
  });

  test('is withdrawn for every member when its call is stopped [ladder.ask] [owner.ask]', async () => {
    const harness = await startHarness({
      tools: [asker],
      respond: callsOnce(['asker']),
      session: () => ({ policy: 'owner' as const }),
    });
    const screen = createRecorder();
    await harness.session.join(bob, screen.listener, null);
    const turn = await harness.say('words');
    await harness.clock.advance(100);
    await harness.cancel({ target: 'session' }, bob); // the addressee's standing covers the call
    await harness.clock.advance(2_000);
    for (const recorder of [harness.recorder, screen])
      expect(recorder.of('question_closed')).toMatchObject([{ answer: 'withdrawn', text: null }]);
    expect(harness.outcomes()).toEqual({ [harness.callNamed('asker')]: 'cancelled' });
    expect(harness.endOf(turn)?.outcome).toBe('completed');
  });

  test('is open one at a time: the next one is asked after the earlier one is closed [ladder.ask]', async () => {
    const both = toolOf('asker', async (_, { ask }) =>
      (await Promise.all([ask({ text: 'First?' }), ask({ text: 'Second?' })])).join(),
    );
    const harness = await startHarness({ tools: [both], respond: callsOnce(['asker']) });
    await harness.say('words');
    await harness.clock.advance(50);
    const say = (text: string) => {
      const target = harness.callNamed('asker');
      const question = harness.recorder.of('question_asked').at(-1)?.question;
      const given = harness.session.answer(harness.alice, { target, question, answer: 'answered', text });
      return harness.clock.advance(50).then(() => given);
    };
    expect(harness.recorder.of('question_asked').map(({ text }) => text)).toEqual(['First?']);
    expect(await say('one')).toEqual({ type: 'answer_taken' });
    expect(harness.recorder.of('question_asked').map(({ text }) => text)).toEqual(['First?', 'Second?']);
    expect(await say('two')).toEqual({ type: 'answer_taken' });
    expect(harness.recorder.of('tool_result')).toMatchObject([{ outcome: 'completed', output: 'one,two' }]);
    expect(harness.recorder.of('question_closed')).toHaveLength(2);
  });

  test('queued questions are not asked when the call is stopped [ladder.ask]', async () => {
    const both = toolOf('asker', async (_, { ask }) =>
      (await Promise.allSettled([ask({ text: 'First?' }), ask({ text: 'Second?' })]))
        .map(({ status }) => status)
        .join(),
    );
    const harness = await startHarness({ tools: [both], respond: callsOnce(['asker']) });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    await harness.cancel({ target: turn });
    await harness.clock.advance(2_000);
    expect(harness.recorder.of('question_asked')).toHaveLength(1);
    expect(harness.recorder.of('question_closed')).toMatchObject([{ answer: 'withdrawn' }]);
    expect(harness.outcomes()).not.toEqual({ [harness.callNamed('asker')]: 'abandoned' });
  });

  test('is withdrawn when its call ends without waiting for the answer [ladder.ask]', async () => {
    const impatient = toolOf('asker', async (_, { ask, clock }) =>
      Promise.race([
        ask({ text: 'Well?' }).catch(() => 'withdrawn'),
        new Promise<string>((done) => void clock.after(100, () => done('gave up'))),
      ]),
    );
    const harness = await startHarness({ tools: [impatient], respond: callsOnce(['asker']) });
    await harness.say('words');
    await harness.clock.advance(1_000);
    expect(harness.recorder.of('tool_result')).toMatchObject([{ outcome: 'completed', output: 'gave up' }]);
    expect(harness.recorder.of('question_closed')).toMatchObject([{ answer: 'withdrawn' }]);
  });

  test.each([
    { name: 'its sub-agent’s timeout', limits: {}, spawned: { _meta: { timeout: 1_000 } } },
    { name: 'the deadline of the turn', limits: { turnMs: 2_000 }, spawned: {} },
  ])('pauses $name only while it is open [ladder.ask] [tool.timeout]', async ({ limits, spawned }) => {
    const slow = toolOf('asker', async (_, { ask, clock, signal }) => {
      await ask({ text: 'Well?', to: 'alice' });
      return new Promise((done) => {
        signal.addEventListener('abort', () => done({ kind: 'stopped', output: '' }));
        clock.after(60_000, () => done('done'));
      });
    });
    const harness = await startHarness({
      tools: [slow],
      limits,
      agents: { helper: { description: 'helps', instructions: 'Help.' } },
      respond: (_, n) =>
        n === 0
          ? callsResponse(['spawn_agent', { task: 'x', ...spawned }])
          : n === 1
            ? callsResponse(['asker'])
            : textResponse('ok'),
    });
    const turn = await harness.say('words');
    await harness.clock.advance(60_000);
    expect(harness.recorder.of('tool_result')).toEqual([]);
    void harness.session.answer(harness.alice, {
      target: harness.callNamed('asker'),
      answer: 'answered',
      text: 'well',
    });
    await harness.clock.advance(500);
    expect(harness.recorder.of('tool_result')).toEqual([]);
    await harness.clock.advance(5_000);
    expect(harness.outcomes()[harness.callNamed('asker')]).toBe('timed_out');
    expect(harness.endOf(turn)?.outcome).toBe('turnMs' in limits ? 'timed_out' : 'completed');
  });
});
