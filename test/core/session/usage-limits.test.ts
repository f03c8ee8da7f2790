// Limits of what a turn, a session and a speaker in a day may spend: each is a CANCEL with cause `deadline` and a reason of its own.
import { expect, test } from 'vitest';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import { SpeakerLedger } from '../../../src/core/session/speaker-ledger.ts';
import { createVirtualClock } from '../../../src/core/sources/virtual.ts';
import {
  callerOf,
  callsResponse,
  type HarnessOptions,
  startHarness,
  textResponse,
  toolOf,
} from '../../support/harness.ts';
import { modelEndOf, noon } from '../../support/spent-today.ts';

const usage = { input: 900, output: 100 };
const fine = { ...textResponse('fine'), usage };

/** A model that calls a tool in every response: 1 000 tokens each. */
const working = () => ({ ...callsResponse(['wait', { ms: 10 }]), usage });

async function run(options: HarnessOptions, turns: readonly string[] = ['ann']) {
  const harness = await startHarness(options);
  for (const speaker of turns) {
    await harness.session.say(callerOf(speaker), { text: 'work' });
    await harness.clock.advance(1_000);
  }
  const causes = harness.recorder.of('cancel_accepted').map(({ source, by, reason }) => ({ source, by, reason }));
  return { harness, causes, outcomes: harness.recorder.of('turn_ended').map(({ outcome }) => outcome) };
}

test('a turn that has used its tokens is stopped before its next model call [cancel.sources]', async () => {
  const { harness, causes, outcomes } = await run({ respond: working, limits: { turnTokens: 3_000 } });
  expect(harness.provider.requests).toHaveLength(3);
  expect(outcomes).toEqual(['timed_out']);
  expect(causes).toEqual([
    { source: 'deadline', by: null, reason: 'the turn has used 3000 tokens, and limits.turnTokens is 3000' },
  ]);
  expect(harness.recorder.of('cancel_settled')).toHaveLength(1);
});

test('a turn whose responses reach their longest length after a call is stopped, too', async () => {
  const { harness, outcomes } = await run({
    respond: () => ({ ...working(), finish: 'length' }),
    limits: { turnTokens: 3_000 },
  });
  expect(harness.provider.requests).toHaveLength(3);
  expect(outcomes).toEqual(['timed_out']);
  expect(harness.recorder.of('cancel_accepted')).toHaveLength(1);
});

test('a last response that was cut off at its longest length completes its turn', async () => {
  const { outcomes } = await run({ respond: () => ({ ...fine, finish: 'length' }), limits: { turnTokens: 1_000 } });
  expect(outcomes).toEqual(['completed']);
});

test('what its sub-agents use counts', async () => {
  const { causes } = await run({
    limits: { turnTokens: 3_000 },
    agents: { scout: { description: 'looks', instructions: 'Look.' } },
    respond: (_, n) => (n === 0 ? { ...callsResponse(['spawn_agent', { task: 'look' }]), usage } : working()),
  });
  expect(causes).toHaveLength(1);
});

/** A model that hands each of its turns to a tool which reports what it has used: 1 000 tokens and 1.50 dollars each time. */
const spending: HarnessOptions = {
  tools: [
    toolOf('agent', async () => ({
      kind: 'completed',
      output: 'done',
      usage: { kind: 'exact', input: 900, output: 100, cost: 1.5 },
    })),
  ],
  respond: () => ({ ...callsResponse(['agent', {}]), usage: { input: 0, output: 0 } }),
};

test('what a tool reports counts into its turn, and into every limit', async () => {
  const tokens = await run({ ...spending, limits: { turnTokens: 2_000 } });
  expect(tokens.harness.provider.requests).toHaveLength(2);
  expect(tokens.causes[0]?.reason).toBe('the turn has used 2000 tokens, and limits.turnTokens is 2000');
  expect(tokens.harness.recorder.of('turn_ended')[0]?.usage).toEqual({
    kind: 'exact',
    input: 1_800,
    output: 200,
    cost: 3,
  });
  const money = await run({ ...spending, limits: { turnCents: 150 } });
  expect(money.causes[0]?.reason).toBe('the turn has cost 1.50 US dollars, and limits.turnCents is 150');
});

test('what a tool has reported counts after a restart', async () => {
  const log = createMemoryLog();
  const limits = { sessionTokens: 2_000 };
  const first = await run({ ...spending, log, limits });
  expect(first.causes).toHaveLength(1);
  await first.harness.runtime.close();
  const second = await run({ ...spending, log, life: 2, limits });
  expect(second.outcomes.at(-1)).toBe('timed_out');
  expect(second.harness.provider.requests).toEqual([]);
});

test('a session over its limit makes no model call any more, also after a restart', async () => {
  const log = createMemoryLog();
  const limits = { sessionTokens: 2_000 };
  const first = await run({ log, limits, respond: () => fine }, ['ann', 'ben', 'ann']);
  expect(first.outcomes).toEqual(['completed', 'completed', 'timed_out']);
  expect(first.harness.provider.requests).toHaveLength(2);
  await first.harness.runtime.close();
  const second = await run({ log, life: 2, limits, respond: () => fine });
  expect(second.outcomes.at(-1)).toBe('timed_out'); // after those of its earlier life
  expect(second.harness.provider.requests).toEqual([]);
});

const hour = 3_600_000;
const day = 24 * hour;

test('money counts where prices are configured', async () => {
  const prices = { script: { input: 1_000, output: 2_000 } }; // dollars for a million tokens: 1.10 for each call
  const { harness, causes } = await run({ respond: working, prices, limits: { turnCents: 200 } });
  expect(harness.recorder.of('model_ended')[0]?.usage.cost).toBeCloseTo(1.1);
  expect(causes[0]?.reason).toBe('the turn has cost 2.20 US dollars, and limits.turnCents is 200');
});

test('the limit of a speaker stops that speaker alone, in every session, until the day is over', async () => {
  const limits = { speakerDayTokens: 1_000 };
  const { harness, outcomes } = await run({ limits, respond: () => fine }, ['ann', 'ann', 'ben']);
  expect(outcomes).toEqual(['completed', 'timed_out', 'completed']);
  await harness.clock.advance(86_400_000);
  await harness.session.say(callerOf('ann'), { text: 'a new day' });
  await harness.clock.advance(1_000);
  expect(harness.recorder.of('turn_ended').at(-1)?.outcome).toBe('completed');
});

test('facts that were read before the store failed are counted once', async () => {
  let reads = 0;
  const log = {
    ...createMemoryLog(),
    readNewest: async (before: number | null) => {
      reads += 1;
      if (reads === 2) throw new Error('the store fails');
      return before === null ? { bodies: [modelEndOf('ann', noon - 1_000)], next: 7 } : { bodies: [], next: null };
    },
  };
  const ledger = new SpeakerLedger(log, createVirtualClock(noon));
  await expect(ledger.load()).rejects.toThrow('the store fails');
  await ledger.load();
  expect(ledger.spentBy('ann').tokens).toBe(1_000);
});

test('what was stored at a time later than now, before the clock was set back, counts as of today [clock.steps]', async () => {
  const newest = [modelEndOf('ann', noon + day), modelEndOf('ann', noon + 1_000)];
  const log = { ...createMemoryLog(), readNewest: async () => ({ bodies: newest, next: null }) };
  const ledger = new SpeakerLedger(log, createVirtualClock(noon));
  await ledger.load();
  expect(ledger.spentBy('ann').tokens).toBe(2_000);
});

test('what this host has run itself is counted once, also when the clock was set back before the store was read [clock.steps]', async () => {
  const clock = createVirtualClock(noon);
  const log = {
    ...createMemoryLog(),
    readNewest: async () => ({ bodies: [modelEndOf('ann', noon + day)], next: null }),
  };
  const ledger = new SpeakerLedger(log, clock);
  clock.step(day);
  ledger.add('ann', { kind: 'exact', ...usage });
  clock.step(-day);
  await ledger.load();
  expect(ledger.spentBy('ann').tokens).toBe(1_000);
});

test.each([-day, -hour, hour, day])(
  'a step of %d ms and back gives a speaker nothing of the day again [clock.steps]',
  async (ms) => {
    const clock = createVirtualClock(noon + day / 2 - 1_000);
    const ledger = new SpeakerLedger(createMemoryLog(), clock);
    ledger.add('ann', { kind: 'exact', ...usage });
    clock.step(ms);
    ledger.add('ann', { kind: 'exact', ...usage });
    expect(ledger.spentBy('ann').tokens).toBe(ms < 0 ? 2_000 : 1_000); // forward it is the next day
    clock.step(-ms);
    expect(ledger.spentBy('ann').tokens).toBe(ms === -day ? 1_000 : 2_000); // of yesterday, as the log has it
  },
);

test('what tools reported today counts for the speaker of the call; the sum of a sub-agent, whose model calls count, does not', async () => {
  const called = (node: string, kind: string) => ({
    type: 'tool_call',
    turn: 't',
    node,
    kind,
    callId: node,
    name: 'agent',
    arguments: '{}',
    owner: 'ann',
    index: 0,
    at: noon - 2_000,
  });
  const ended = (node: string) => ({
    type: 'tool_result',
    turn: 't',
    node,
    outcome: 'completed',
    effect: 'done',
    at: noon - 1_000,
    usage: { kind: 'exact', ...usage },
  });
  const newest = [ended('c2'), ended('c1'), called('c2', 'sub-agent'), called('c1', 'tool-call'), ended('c0')];
  const log = { ...createMemoryLog(), readNewest: async () => ({ bodies: newest, next: null }) };
  const ledger = new SpeakerLedger(log, createVirtualClock(noon));
  await ledger.load();
  expect(ledger.spentBy('ann').tokens).toBe(1_000);
});
