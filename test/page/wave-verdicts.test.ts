// Waves of CANCELs with every verdict, end and cause: those of the records and those of the facts agree.
import { describe, expect, test } from 'vitest';
import { createRecorder } from '../../src/testing/recorder.ts';
import { callerOf, callsOnce, callsResponse, textResponse, toolOf } from '../support/harness.ts';
import { agents, agreed, startWaves } from './observed-waves.ts';

describe('verdicts', () => {
  test('a call of somebody else is refused with the reason and runs on; its end is shown when it comes', async () => {
    const bob = callerOf('bob');
    const harness = await startWaves({
      session: () => ({ policy: 'owner' }),
      respond: callsOnce(['wait', { ms: 900 }], ['wait', { ms: 300, of: 'bob' }]),
      ownerOfCall: (call) => (call.arguments.includes('bob') ? 'bob' : call.turnOwner),
    });
    await harness.session.join(bob, createRecorder().listener, null);
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    await harness.cancel({ target: turn });
    await harness.clock.advance(100);
    const open = await harness.pastWave();
    expect(open.rows[2]).toMatchObject({
      verdict: 'refused',
      reason: 'not_owner',
      owner: 'bob',
      settledAt: null,
      outcome: null,
    });
    expect([open.state, open.settledAt]).toEqual(['settled', 55]);
    expect(agreed(harness.liveWave())).toEqual(agreed(open));
    await harness.clock.advance(1_000);
    const closed = await harness.pastWave();
    expect(closed.rows[2]).toMatchObject({ outcome: 'completed', settledAt: 300 });
    expect(closed.settledAt).toBe(55);
    expect(agreed(harness.liveWave())).toEqual(agreed(closed));
    expect(harness.liveWave().rows[2]).toMatchObject({ cutAt: null, cancelAt: null });
  });

  test('a call in a shield is pending: its signal aborts at the end of the shield', async () => {
    const commit = {
      ...toolOf(
        'commit',
        async (_, { shield, clock }) => {
          await shield(() => new Promise<void>((done) => void clock.after(300, done)));
          return { kind: 'stopped', output: 'written, then stopped' };
        },
        { cancel: 'shielded', shieldMaxMs: 1_000 },
      ),
    };
    const harness = await startWaves({ tools: [commit], respond: callsOnce(['commit']) });
    const turn = await harness.say('words');
    await harness.clock.advance(0);
    await harness.cancel({ target: turn });
    await harness.clock.advance(3_000);
    const live = harness.liveWave();
    expect(agreed(live)).toEqual(agreed(await harness.pastWave()));
    expect(live.rows[1]).toMatchObject({
      verdict: 'pending',
      cutAt: 0,
      abortedAt: 300,
      settledAt: 300,
      outcome: 'cancelled',
    });
  });

  test('an agent that was detached runs on', async () => {
    const harness = await startWaves({
      agents,
      respond: (_, n) =>
        n === 0
          ? callsResponse(['spawn_agent', { task: 'for long', detached: true }], ['wait'])
          : n === 1
            ? callsResponse(['wait', { ms: 60_000 }])
            : textResponse('ok'),
    });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    await harness.cancel({ target: turn });
    await harness.clock.advance(500);
    const past = await harness.pastWave();
    expect(past.rows.map(({ depth, name, verdict, outcome }) => [depth, name, verdict, outcome])).toEqual([
      [0, 'turn', 'stop', 'cancelled'],
      [1, 'wait', 'stop', 'cancelled'],
      [1, 'helper', 'detached', null],
    ]);
    expect(agreed(harness.liveWave())).toEqual(agreed(past));
    await harness.cancel({ target: 'session' });
    await harness.clock.advance(500);
  });

  test('words that wait for a model call are a row of their own', async () => {
    const harness = await startWaves({
      session: () => ({ whileRunning: 'steer' }),
      respond: callsOnce(['wait', { ms: 900 }]),
    });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    const said = harness.session.say(harness.alice, { text: 'and another thing' });
    await harness.clock.advance(10);
    await said;
    await harness.cancel({ target: turn });
    await harness.clock.advance(500);
    const past = await harness.pastWave();
    expect(past.rows.map(({ depth, name, detail, outcome, effect }) => [depth, name, detail, outcome, effect])).toEqual(
      [
        [0, 'turn', 'words', 'cancelled', 'unknown'],
        [1, 'wait', '900', 'cancelled', 'unknown'],
        [1, 'words', 'and another thing', 'cancelled', 'not_started'],
      ],
    );
    expect(agreed(harness.liveWave())).toEqual(agreed(past));
    expect(harness.liveWave().rows[2]).toMatchObject({ kind: 'input', actor: null, cutAt: 60, cancelAt: null });
  });
});

describe('ends', () => {
  test('a call that does not stop in its budget is abandoned, and its end comes later', async () => {
    const harness = await startWaves({ respond: callsOnce(['ignores_signal', { ms: 4_000 }]) });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    await harness.cancel({ target: turn });
    await harness.clock.advance(6_000);
    const [live, past] = [harness.liveWave(), await harness.pastWave()];
    expect(agreed(live)).toEqual(agreed(past));
    const end = { outcome: 'abandoned', settledAt: 1_550, keptBudget: false, exitedAt: 4_000 };
    expect(past.rows[1]).toMatchObject(end);
    expect(live.rows[1]).toMatchObject({ ...end, budgetMs: 1_500 });
  });

  test('a call that was killed says so, and has the budget of a stop by force', async () => {
    const killable = toolOf(
      'killable',
      (_, { kill }) =>
        new Promise((resolve) =>
          kill.addEventListener('abort', () => resolve({ kind: 'stopped', output: '', forced: true })),
        ),
      { cancel: 'killable' },
    );
    const harness = await startWaves({ tools: [killable], respond: callsOnce(['killable']) });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    await harness.cancel({ target: turn, force: true });
    await harness.clock.advance(500);
    const [live, past] = [harness.liveWave(), await harness.pastWave()];
    expect([live.force, past.force]).toEqual([true, true]);
    expect([live.rows[1]?.forced, past.rows[1]?.forced]).toEqual([true, true]);
    expect(live.rows[1]).toMatchObject({ budgetMs: 250, keptBudget: true });
  });

  test('a second CANCEL over what is stopping has the first cut, and the same ends', async () => {
    const harness = await startWaves({ respond: callsOnce(['wait', { unwind: 400 }], ['wait', { unwind: 100 }]) });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    await harness.cancel({ target: harness.callNamed('wait') });
    await harness.clock.advance(10);
    await harness.cancel({ target: turn });
    await harness.clock.advance(2_000);
    const live = harness.liveWave();
    expect(agreed(live)).toEqual(agreed(await harness.pastWave()));
    expect(live.rows.map(({ cutAt }) => cutAt)).toEqual([60, 50, 60]);
    expect(live.rows.map(({ cancelAt }) => cancelAt)).toEqual([60, 50, 60]);
  });
});

describe('causes', () => {
  test.each(['emergency', 'shutdown', 'deadline'] as const)('%s', async (cause) => {
    const harness = await startWaves({
      respond: callsOnce(['wait', { ms: 9_000, unwind: 40 }]),
      limits: cause === 'deadline' ? { turnMs: 500 } : {},
      ...(cause === 'emergency' && { session: () => ({ policy: 'owner' as const }) }),
    });
    await harness.say('words');
    await harness.clock.advance(50);
    if (cause === 'emergency') await harness.cancel({ target: 'session' }, callerOf('guard', ['emergency']));
    const closed = cause === 'shutdown' ? harness.runtime.close() : null;
    await harness.clock.advance(2_000);
    await closed;
    const [live, past] = [harness.liveWave(), await harness.pastWave()];
    expect(agreed(live)).toEqual(agreed(past));
    const source = cause === 'emergency' ? 'client' : cause;
    expect([live.source, past.source]).toEqual([source, source]);
    expect([live.by, past.by]).toEqual(cause === 'emergency' ? ['guard', 'guard'] : [null, null]);
    const outcome = cause === 'deadline' ? 'timed_out' : 'cancelled';
    expect(past.rows.map((row) => row.outcome)).toEqual([outcome, outcome]);
  });
});
