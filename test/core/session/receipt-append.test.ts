// The receipt of a stop is written with the last end, in one append: nobody has it before that commit, and no log ends between the two.
import { expect, test } from 'vitest';
import type { Fact } from '../../../machines/facts.ts';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import { callsOnce, startHarness, textResponse } from '../../support/harness.ts';
import { wrapLog } from '../../support/wrap-log.ts';

/** A log whose appends wait until they are released, in their order, and that notes the types of each. */
function slowLog() {
  const log = createMemoryLog();
  const appends: (readonly Fact['type'][])[] = [];
  let held: PromiseWithResolvers<void> | null = null;
  return {
    appends,
    log: wrapLog(log, {
      async append(session, epoch, expectedSeq, bodies) {
        appends.push(bodies.map(({ type }) => type as Fact['type'])); // what the runtime appends are facts
        await held?.promise;
        return log.append(session, epoch, expectedSeq, bodies);
      },
    }),
    hold: () => {
      held = Promise.withResolvers();
    },
    release: () => {
      held?.resolve();
      held = null;
    },
  };
}

test('where all ends come together, a stop has two appends: the acceptance, and the ends with the receipt as the last fact [cancel.settled] [store.durable]', async () => {
  const { log, appends, hold, release } = slowLog();
  const respond = callsOnce(['wait', { unwind: 0 }], ['wait', { unwind: 0, n: 2 }]);
  const harness = await startHarness({ log, respond });
  const turn = await harness.say('go');
  await harness.clock.advance(50);
  appends.length = 0;
  hold();
  const reply = harness.session.cancel(harness.alice, { target: turn });
  await harness.clock.advance(10);
  release();
  await harness.clock.advance(10);
  expect(await reply).toMatchObject({ type: 'cancel_accepted', durable: true });
  expect(appends).toEqual([
    ['cancel_decided', 'cancel_accepted'],
    ['tool_result', 'tool_result', 'turn_ended', 'cancel_settled'],
  ]);
});

test('each later end has an append of its own, and the receipt is part of the last one [cancel.settled]', async () => {
  const { log, appends } = slowLog();
  const respond = callsOnce(['wait', { unwind: 0 }], ['wait', { unwind: 100 }], ['wait', { unwind: 200 }]);
  const harness = await startHarness({ log, respond });
  const turn = await harness.say('go');
  await harness.clock.advance(50);
  appends.length = 0;
  await harness.cancel({ target: turn });
  await harness.clock.advance(500);
  expect(appends.slice(1)).toEqual([['tool_result'], ['tool_result'], ['tool_result', 'turn_ended', 'cancel_settled']]);
  expect(harness.settledReceipts().map(({ nodes }) => nodes.length)).toEqual([4]);
});

test('nobody receives the receipt before its commit, also not in the reply to another CANCEL [cancel.settled] [store.durable]', async () => {
  const { log, hold, release } = slowLog();
  const harness = await startHarness({ log, respond: () => textResponse('one', 'two', 'three') });
  const turn = await harness.say('go');
  await harness.clock.advance(15);
  hold();
  const reply = harness.session.cancel(harness.alice, { target: turn });
  await harness.clock.advance(10);
  release(); // the acceptance
  hold();
  await reply;
  await harness.clock.advance(10);
  let again: unknown = null;
  void harness.session.cancel(harness.alice, { target: turn }).then((replied) => {
    again = replied;
  });
  await harness.clock.advance(100);
  expect([harness.endOf(turn), harness.settledReceipts(), again]).toEqual([undefined, [], null]);
  release();
  await harness.clock.advance(10);
  const [receipt] = harness.settledReceipts();
  expect(again).toMatchObject({ type: 'already_settled', receipt: { cancel: receipt?.cancel } });
});
