// A receipt depends on the log alone: what a live session has written is what recovery makes of the facts before it.
import { describe, expect, test } from 'vitest';
import type { Fact, RecordedFact } from '../../../machines/facts.ts';
import type { OutcomeKind } from '../../../machines/vocabulary.ts';
import { readEnd } from '../../../src/core/receipt/receipt.ts';
import {
  callerOf,
  callsOnce,
  callsResponse,
  type Harness,
  startHarness,
  textResponse,
  toolOf,
} from '../../support/harness.ts';
import { receiptPairs } from '../../support/recovered-receipts.ts';

const bob = callerOf('bob');
const agents = { helper: { description: 'helps', instructions: 'Help.' } };

/** Calls whose arguments name a speaker belong to that speaker. */
const ownedCalls = {
  session: () => ({ policy: 'owner' as const }),
  ownerOfCall: ({ arguments: text, turnOwner }: { readonly arguments: string; readonly turnOwner: string }) =>
    text.includes('bob') ? 'bob' : turnOwner,
};

const asks = toolOf('asks', async (_, { ask }) => ask({ text: 'which?' }));
/** Its process is killed when the grace is skipped. */
const killed = toolOf(
  'killed',
  (_, { skipGrace }) =>
    new Promise((resolve) => {
      skipGrace.addEventListener('abort', () => resolve({ kind: 'stopped', output: '', forced: true }));
    }),
  { cancel: 'killable' },
);
const breaks = toolOf(
  'breaks',
  (_, { signal }) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve({ kind: 'failed', code: 'command_failed', output: '' }));
    }),
);
const commits = toolOf(
  'commits',
  async (_, { shield, clock }) => {
    await shield(() => new Promise<void>((done) => void clock.after(400, done)));
    return { kind: 'completed', output: 'written' };
  },
  { cancel: 'shielded', shieldMaxMs: 1_000 },
);

interface Case {
  readonly name: string;
  readonly start: () => Promise<Harness>;
  /** Stops something, at least once. `turn`: the running turn of alice. */
  readonly stop: (harness: Harness, turn: string) => Promise<void>;
  /** How the nodes of the receipts have ended. */
  readonly outcomes: readonly OutcomeKind[];
}

const cancelTurn = async (harness: Harness, target: string) => void (await harness.cancel({ target }));

const cases: readonly Case[] = [
  {
    name: 'calls that run, one that waits for its key, and a sub-agent',
    start: () =>
      startHarness({
        agents,
        respond: (_, n) =>
          n === 0
            ? callsResponse(['wait', { unwind: 30 }], ['keyed'], ['keyed'], ['spawn_agent', { task: 'one' }])
            : callsResponse(['wait', { unwind: 200 }]),
      }),
    stop: cancelTurn,
    outcomes: Array.from({ length: 7 }, () => 'cancelled' as const),
  },
  {
    name: 'a call that ignores its signal, stopped again after that',
    start: () => startHarness({ respond: callsOnce(['ignores_signal', { ms: 4_000 }], ['wait', { ms: 9_000 }]) }),
    async stop(harness, turn) {
      await harness.cancel({ target: harness.callNamed('ignores_signal') });
      await harness.clock.advance(1_700);
      await harness.cancel({ target: turn });
    },
    outcomes: ['abandoned', 'cancelled', 'cancelled'],
  },
  {
    name: 'a turn with a call of another, which runs on until that one stops it',
    start: () => startHarness({ ...ownedCalls, respond: callsOnce(['wait'], ['wait', { of: 'bob', ms: 3_000 }]) }),
    async stop(harness, turn) {
      await harness.cancel({ target: turn });
      await harness.clock.advance(500);
      await harness.cancel({ target: harness.callNamed('wait', 1) }, bob);
    },
    outcomes: ['cancelled', 'cancelled', 'cancelled'],
  },
  {
    name: 'a question that is open, and a call that is killed',
    start: () => startHarness({ tools: [asks, killed], respond: callsOnce(['asks'], ['killed']) }),
    stop: async (harness, target) => void (await harness.cancel({ target, force: true })),
    outcomes: ['cancelled', 'cancelled', 'cancelled'],
  },
  {
    name: 'a call that completes in its shield',
    start: () => startHarness({ tools: [commits], respond: callsOnce(['commits']) }),
    stop: cancelTurn,
    outcomes: ['cancelled', 'completed'],
  },
  {
    name: 'a deadline, and words that wait for a model call',
    start: () => startHarness({ respond: callsOnce(['wait', { ms: 5_000 }]), limits: { turnMs: 900 } }),
    async stop(harness) {
      void harness.session.say(harness.alice, { text: 'and this', steer: { target: undefined } });
      await harness.clock.advance(10);
    },
    outcomes: ['timed_out', 'timed_out', 'cancelled'],
  },
  {
    name: 'a detached agent, and a turn that waits in its lane',
    start: () =>
      startHarness({
        agents,
        respond: ({ messages }, n) => {
          if (n === 0) return callsResponse(['spawn_agent', { task: 'beside', detached: true }], ['wait']);
          return messages.at(-1)?.content === 'beside' ? callsResponse(['wait']) : textResponse('done');
        },
      }),
    async stop(harness) {
      void harness.session.say(harness.alice, { text: 'and then' });
      await harness.clock.advance(100);
      await harness.cancel({ target: 'session' });
    },
    outcomes: ['cancelled', 'cancelled', 'cancelled', 'cancelled', 'cancelled'],
  },
  {
    name: 'a stop that waits for a call which another one stops meanwhile',
    start: () => startHarness({ respond: callsOnce(['wait', { ms: 5_000, unwind: 900 }]) }),
    async stop(harness, turn) {
      await harness.cancel({ target: harness.callNamed('wait') });
      await harness.clock.advance(300);
      await harness.cancel({ target: turn });
    },
    outcomes: ['cancelled', 'cancelled', 'cancelled'],
  },
];

test.each(cases)('$name: recovery writes the same receipts [cancel.settled] [store.durable]', async (one) => {
  const harness = await one.start();
  await harness.session.join(bob, { ...harness.recorder.listener, fact() {} }, null);
  const turn = await harness.say('words');
  await harness.clock.advance(100);
  await one.stop(harness, turn);
  await harness.clock.advance(10_000);
  const log = (await harness.log.read('s', 0)).map(({ body }) => body as RecordedFact);
  const pairs = receiptPairs(log);
  const outcomes = pairs.flatMap(({ written }) => written.nodes.map(({ outcome }) => outcome));
  expect(outcomes.toSorted()).toEqual(one.outcomes.toSorted());
  for (const { written, recovered } of pairs) expect(recovered).toEqual(written);
});

describe('the receipt of a call that had run on after its turn', () => {
  test.each([
    { name: 'killed', end: { outcome: 'cancelled', effect: 'unknown', forced: true } },
    { name: 'breaks', end: { outcome: 'failed', effect: 'unknown', code: 'command_failed' } },
  ])('has what became of `$name`: $end [cancel.settled]', async ({ name, end }) => {
    const respond = callsOnce([name, { of: 'bob' }]);
    const harness = await startHarness({ ...ownedCalls, tools: [killed, breaks], respond });
    await harness.session.join(bob, { ...harness.recorder.listener, fact() {} }, null);
    const turn = await harness.say('words');
    await harness.clock.advance(100);
    await harness.cancel({ target: turn });
    await harness.clock.advance(100);
    const node = harness.callNamed(name);
    expect(harness.outcomes()[node]).toBe('continues');
    await harness.cancel({ target: node, force: true }, bob);
    await harness.clock.advance(10_000);
    const fields = { node, ...end };
    expect(harness.recorder.of('late_result')).toEqual([expect.objectContaining(fields)]);
    expect(harness.settledReceipts().at(-1)?.nodes).toMatchObject([{ ...fields, kind: 'tool-call' }]);
  });

  test('has the two fields that earlier logs recorded [cancel.settled]', () => {
    const late: Fact = { type: 'late_result', node: 'call_1', outcome: 'cancelled', effect: 'unknown' };
    expect(readEnd({ ...late, at: 7 })).toEqual({ node: 'call_1', outcome: 'cancelled', effect: 'unknown', at: 7 });
  });
});
