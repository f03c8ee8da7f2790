// The times of a stop in its receipt: how it has reached each node, and when what worked for the node was seen to end.
import { expect, test } from 'vitest';
import type { SettledNode } from '../../../machines/facts.ts';
import { recover } from '../../../src/core/transcript/recover.ts';
import { copyAtOnce } from '../../support/copy-at-once.ts';
import { callsOnce, type Harness, startHarness, toolOf } from '../../support/harness.ts';

/** The times of a node by their steps; throws for a node without times. */
function timesOf(nodes: readonly SettledNode[] | undefined, id: string) {
  const times = nodes?.find(({ node }) => node === id)?.times;
  if (times?.length !== 5) throw new Error(`The times of ${id} are ${JSON.stringify(times)}.`);
  const [cut, aborted, arrived, settled, ended] = times as (number | null)[];
  return { cut, aborted, arrived, settled, ended };
}

const receiptOf = (harness: Harness) => harness.settledReceipts()[0]?.nodes;

test('[receipt.times] the cut, the abort and the CANCEL in the machines are in the tick of the acceptance; work ends before its node settles', async () => {
  const harness = await startHarness({ respond: callsOnce(['wait', { unwind: 40 }], ['wait']) });
  const turn = await harness.say('words');
  await harness.clock.advance(50);
  await harness.cancel({ target: turn });
  await harness.clock.advance(1_000);
  const nodes = receiptOf(harness);
  for (const id of [turn, harness.callNamed('wait', 0), harness.callNamed('wait', 1)])
    expect(timesOf(nodes, id)).toMatchObject({ cut: 0, aborted: 0, arrived: 0 });
  const [slow, quick] = [0, 1].map((at) => timesOf(nodes, harness.callNamed('wait', at)));
  expect([slow?.ended, quick?.ended]).toEqual([40, 5]);
  expect([slow?.settled, quick?.settled]).toEqual([40, 5]);
  expect(timesOf(nodes, turn)).toMatchObject({ settled: 40, ended: null }); // nothing worked for the turn itself
});

test('[receipt.times] under a shield the abort is later than the cut', async () => {
  const commit = toolOf(
    'commit',
    async (_, { shield, clock }) => {
      await shield(() => new Promise<void>((done) => void clock.after(300, done)));
      return { kind: 'stopped', output: '' };
    },
    { cancel: 'shielded', shieldMaxMs: 1_000 },
  );
  const harness = await startHarness({ tools: [commit], respond: callsOnce(['commit']) });
  const turn = await harness.say('words');
  await harness.clock.advance(100);
  await harness.cancel({ target: turn });
  await harness.clock.advance(1_000);
  const times = timesOf(receiptOf(harness), harness.callNamed('commit'));
  expect(times).toMatchObject({ cut: 0, arrived: 0 });
  expect(times.aborted).toBeGreaterThan(0);
  expect(times.ended).toBeGreaterThanOrEqual(times.aborted ?? Number.POSITIVE_INFINITY);
});

test('[receipt.times] what had not started has no work that ended, and what does not stop in time was not seen to end', async () => {
  const deaf = toolOf(
    'deaf',
    (_, { clock }) => new Promise<string>((done) => void clock.after(9_000, () => done('late'))),
  );
  const harness = await startHarness({ tools: [deaf], respond: callsOnce(['deaf']) });
  await harness.say('words');
  const queued = await harness.say('more words');
  await harness.clock.advance(50);
  await harness.cancel({ target: 'mine' });
  await harness.clock.advance(3_000);
  const nodes = receiptOf(harness);
  expect(nodes?.find(({ node }) => node === harness.callNamed('deaf'))?.outcome).toBe('abandoned');
  expect(timesOf(nodes, harness.callNamed('deaf'))).toMatchObject({ cut: 0, ended: null });
  expect(timesOf(nodes, queued)).toMatchObject({ cut: 0, ended: null });
});

test('[receipt.times] they are in the same append as the receipt, a fork keeps them, and a receipt that recovery writes has none', async () => {
  const harness = await startHarness({ respond: callsOnce(['wait']) });
  const turn = await harness.say('words');
  await harness.clock.advance(50);
  const appends: (readonly string[])[] = [];
  const { append } = harness.log;
  harness.log.append = (session, epoch, seq, bodies) => {
    appends.push(bodies.map(({ type }) => type));
    return append.call(harness.log, session, epoch, seq, bodies);
  };
  await harness.cancel({ target: turn });
  await harness.clock.advance(1_000);
  expect(appends.filter((types) => types.includes('cancel_settled'))).toHaveLength(1);
  const facts = harness.recorder.facts.map((fact) => ({ ...fact, at: 0 }) as never);
  const settledIn = (all: readonly object[]) => all.find((fact) => 'type' in fact && fact.type === 'cancel_settled');
  expect(settledIn(copyAtOnce(facts, 'fork'))).toMatchObject({ nodes: [{ times: expect.anything() }, {}] });
  const until = harness.recorder.facts.findIndex(({ type }) => type === 'cancel_accepted') + 1;
  const recovered = settledIn(recover(facts.slice(0, until)));
  expect(recovered).toMatchObject({ nodes: [{ node: turn }, {}] });
  expect(JSON.stringify(recovered)).not.toContain('times');
});
