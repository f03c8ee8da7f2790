// The age of each node of the live tree: the time since its start, and how much of that it has waited, by a clock that does not step.
import { expect, test } from 'vitest';
import { callsOnce, type Harness, startHarness, toolOf } from '../../support/harness.ts';

const hour = 3_600_000;

const agesOf = async ({ session }: Harness) =>
  Object.fromEntries(
    (await session.nodes()).map(({ kind, name, ageMs, waitedMs }) => [name ?? kind, [ageMs, waitedMs]]),
  );

test.each([-hour, hour])('with a step of %d ms each is as old as the time that has passed [clock.ages]', async (ms) => {
  const harness = await startHarness({ respond: callsOnce(['wait', { ms: 60_000 }]) });
  await harness.say('words');
  await harness.clock.advance(1_000);
  harness.clock.step(ms);
  await harness.clock.advance(2_000);
  const { turn, wait } = await agesOf(harness);
  expect([turn?.[1], wait?.[1]]).toEqual([undefined, undefined]);
  expect(turn?.[0]).toBe(3_000);
  expect(wait?.[0]).toBeGreaterThan(2_900);
});

test('a call that has not started has no age; the time in which it asks counts as waited, for the turn above it alone [clock.ages]', async () => {
  const risky = { ...toolOf('risky', () => new Promise(() => {})), approval: () => ({ text: 'Run it?' }) };
  const harness = await startHarness({ tools: [risky], respond: callsOnce(['risky']) });
  await harness.say('words');
  await harness.clock.advance(4_000);
  const asking = await agesOf(harness);
  expect(asking['risky']).toEqual([undefined, undefined]);
  const askedAfter = 4_000 - (asking['turn']?.[1] ?? 0);
  void harness.session.answer(harness.alice, { target: harness.callNamed('risky'), answer: 'approved' });
  await harness.clock.advance(3_000);
  const { turn, risky: runs } = await agesOf(harness);
  expect(turn).toEqual([7_000, 4_000 - askedAfter]);
  expect(runs?.[0]).toBeGreaterThan(2_900);
  expect(runs?.[1]).toBeUndefined();
});

test('the time in which a call asks while it runs counts as waited, for it and for the turn; two questions at once count once [clock.ages]', async () => {
  const asks = toolOf('asks', async (_, { requestApproval }) => {
    await requestApproval({ text: 'Go on?' });
    return await new Promise<string>(() => {});
  });
  const harness = await startHarness({ tools: [asks], respond: callsOnce(['asks'], ['asks']) });
  await harness.say('words');
  await harness.clock.advance(5_000);
  const open = await agesOf(harness);
  const waited = open['asks']?.[1] ?? 0;
  expect(waited).toBeGreaterThan(4_900);
  expect(open['turn']).toEqual([5_000, waited]);
  const calls = harness.recorder.of('tool_call');
  for (const { node } of calls) void harness.session.answer(harness.alice, { target: node, answer: 'approved' });
  await harness.clock.advance(2_000);
  expect(await agesOf(harness)).toEqual({
    turn: [7_000, waited],
    asks: [open['asks']?.[0] === undefined ? null : open['asks'][0] + 2_000, waited],
  });
});

test('a call that runs on after its turn keeps its age; one that is over has none [clock.ages]', async () => {
  const harness = await startHarness({ respond: callsOnce(['note'], ['ignores_signal', { ms: 60_000 }]) });
  const turn = await harness.say('words');
  await harness.clock.advance(1_000);
  expect(Object.keys(await agesOf(harness))).toEqual(['turn', 'ignores_signal']);
  await harness.cancel({ target: turn });
  await harness.clock.advance(2_000);
  expect((await agesOf(harness))['ignores_signal']).toEqual([undefined, undefined]); // abandoned: its result stands
});
