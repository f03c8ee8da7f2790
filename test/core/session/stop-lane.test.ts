// A CANCEL of a lane: a turn, and the turns of its owner that wait behind it, by one receipt; not their detached agents.
import { describe, expect, test } from 'vitest';
import { createRecorder } from '../../../src/testing/recorder.ts';
import { callerOf, callsOnce, callsResponse, type Harness, startHarness, textResponse } from '../../support/harness.ts';

const bob = callerOf('bob');

/** A turn of alice with a call, two of hers behind it, and one of bob's. */
async function startLanes(config: Parameters<typeof startHarness>[0] = {}) {
  const harness = await startHarness({ respond: callsOnce(['wait', { ms: 5_000 }]), ...config });
  await harness.session.join(bob, createRecorder().listener, null);
  const running = await harness.say('first');
  const waiting = [await harness.say('second'), await harness.say('and then deploy')];
  await harness.clock.advance(50);
  return { harness, running, waiting };
}

const acceptances = (harness: Harness) => harness.recorder.of('cancel_accepted');

describe('a CANCEL of a lane', () => {
  test('[cancel.lane] stops the turn that runs and those that wait behind it, by one receipt; none of them starts', async () => {
    const { harness, running, waiting } = await startLanes();
    const reply = await harness.cancel({ target: `lane:${running}` });
    expect(reply).toMatchObject({ type: 'cancel_accepted', repeated: false });
    const call = harness.callNamed('wait');
    expect(acceptances(harness)).toMatchObject([
      {
        target: `lane:${running}`,
        stopping: [running, call, ...waiting],
        detached: [],
        queue: waiting.map((input) => ({ input, fate: 'cancelled' })),
      },
    ]);
    await harness.clock.advance(3_000);
    expect([running, ...waiting].map((id) => harness.endOf(id)?.outcome)).toEqual([
      'cancelled',
      'cancelled',
      'cancelled',
    ]);
    expect(waiting.map((id) => harness.endOf(id)?.effect)).toEqual(['not_started', 'not_started']);
    expect(harness.recorder.of('turn_started').map(({ turn }) => turn)).toEqual([running]);
    expect(harness.settledReceipts()).toHaveLength(1);
    expect(harness.provider.requests).toHaveLength(1);
  });

  test('[cancel.lane] of a turn that waits stops it and those behind it: the one that runs goes on', async () => {
    const { harness, running, waiting } = await startLanes({ respond: callsOnce(['wait', { ms: 400 }]) });
    const [second = '', third = ''] = waiting;
    await harness.cancel({ target: `lane:${second}` });
    expect(acceptances(harness)).toMatchObject([{ stopping: [second, third] }]);
    await harness.clock.advance(3_000);
    expect([running, second, third].map((id) => harness.endOf(id)?.outcome)).toEqual([
      'completed',
      'cancelled',
      'cancelled',
    ]);
  });

  test('[cancel.lane] of a turn that has just ended stops the words behind it', async () => {
    const { harness, running, waiting } = await startLanes({
      respond: (_, n) => (n === 1 ? callsResponse(['wait', { ms: 5_000 }]) : textResponse('done')),
    });
    await harness.clock.advance(200);
    expect(harness.endOf(running)?.outcome).toBe('completed');
    await harness.cancel({ target: `lane:${running}` });
    await harness.clock.advance(3_000);
    expect(waiting.map((id) => harness.endOf(id)?.outcome)).toEqual(['cancelled', 'cancelled']);
  });

  test('[cancel.lane] leaves the turns of other speakers and the agents that it has detached', async () => {
    const agents = { helper: { description: 'helps', instructions: 'Help.' } };
    const harness = await startHarness({
      agents,
      respond: ({ messages }, n) => {
        if (n === 0) return callsResponse(['spawn_agent', { task: 'beside', detached: true }], ['wait', { ms: 5_000 }]);
        return callsResponse(['wait', { ms: messages.at(-1)?.content === 'beside' ? 800 : 900 }]);
      },
    });
    await harness.session.join(bob, createRecorder().listener, null);
    const running = await harness.say('first');
    const waiting = await harness.say('second');
    await harness.clock.advance(100);
    const pending = harness.session.say(bob, { text: 'his' });
    await harness.clock.advance(0);
    const his = await pending;
    await harness.clock.advance(50);
    const agent = harness.recorder.of('turn_opened').find(({ kind }) => kind === 'agent')?.turn;
    await harness.cancel({ target: `lane:${running}` });
    const [accepted] = acceptances(harness);
    expect(accepted?.stopping).toEqual(expect.arrayContaining([running, waiting]));
    expect(accepted?.stopping).not.toContain(agent);
    expect(accepted?.detached).toContain(agent);
    expect(his).toMatchObject({ type: 'turn_opened' });
    expect(accepted?.stopping).not.toContain('turn' in his ? his.turn : '');
  });

  test('[cancel.lane] under `parallel` nothing waits behind a turn: the others run on', async () => {
    const { harness, running, waiting } = await startLanes({
      session: () => ({ whileRunning: 'parallel' }),
      respond: () => callsResponse(['wait', { ms: 5_000 }]),
    });
    await harness.cancel({ target: `lane:${running}` });
    expect(acceptances(harness)[0]?.stopping).toContain(running);
    for (const other of waiting) expect(acceptances(harness)[0]?.stopping).not.toContain(other);
  });

  test('[cancel.lane] a copy of it reaches nothing that was said since', async () => {
    const { harness, running, waiting } = await startLanes();
    const seen = (await harness.log.read('s', 0)).at(-1)?.seq ?? 0;
    const later = await harness.say('said since');
    await harness.cancel({ target: `lane:${running}`, ref: 'c1', seen, says: [] });
    expect(acceptances(harness)).toMatchObject([{ running: [later] }]);
    expect(acceptances(harness)[0]?.stopping).toEqual(expect.arrayContaining([running, ...waiting]));
  });

  test('[cancel.lane] of nothing that is known is refused by name; of what has ended it gets its receipt', async () => {
    const { harness, running } = await startLanes();
    expect(await harness.cancel({ target: 'lane:turn_none' })).toMatchObject({ type: 'unknown_target' });
    expect(await harness.cancel({ target: `lane:${harness.callNamed('wait')}` })).toMatchObject({
      type: 'unknown_target',
    });
    await harness.cancel({ target: `lane:${running}` });
    await harness.clock.advance(3_000);
    expect(await harness.cancel({ target: `lane:${running}` })).toMatchObject({
      type: 'already_settled',
      receipt: { cause: { target: `lane:${running}` } },
    });
  });

  test('[cancel.lane] the model reads that the words had not started', async () => {
    const { harness, running } = await startLanes();
    await harness.cancel({ target: `lane:${running}` });
    await harness.clock.advance(3_000);
    await harness.say('what now?');
    await harness.clock.advance(100);
    const request = JSON.stringify(harness.provider.requests.at(-1)?.messages);
    expect(request).toContain('and then deploy');
    expect(request.match(/was stopped by alice[^.]*, before it had started/g)).toHaveLength(2);
  });
});
