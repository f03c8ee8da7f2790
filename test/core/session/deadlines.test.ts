// Deadlines of turns: each counts until its turn has ended, and stops nothing after that.
import { expect, test } from 'vitest';
import type { OutcomeKind } from '../../../machines/vocabulary.ts';
import { createScriptedProvider } from '../../../src/adapters/models/scripted.ts';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import { createLocalRuntime } from '../../../src/core/runtime/runtime.ts';
import { createVirtualSources } from '../../../src/core/sources/virtual.ts';
import { createRecorder } from '../../../src/testing/recorder.ts';
import { callerOf, callsOnce, type Harness, startHarness, textResponse } from '../../support/harness.ts';
import { eachMicrotask, roundsPerStep, SteppingClock } from '../../support/stepping-clock.ts';

const alice = callerOf('alice');
const responseMs = 20;

/** Plays a turn whose deadline fires so many microtasks after the last piece of its response. Resolves with how it ended. */
async function crossEnd(microtasks: number) {
  const clock = new SteppingClock();
  const { ids, random } = createVirtualSources();
  const respond = () => ({ steps: [{ waitMs: responseMs }, { text: 'a' }] });
  const runtime = await createLocalRuntime({
    acknowledge: 'off',
    log: createMemoryLog(),
    provider: createScriptedProvider({ clock, respond }),
    sources: { clock, ids, random },
    limits: { turnMs: responseMs + 1 },
  });
  const recorder = createRecorder();
  await runtime.join('s', alice, recorder.listener, null);
  const timersBefore = clock.pending;
  void runtime.say('s', alice, { text: 'words' });
  await eachMicrotask(roundsPerStep, () => {});
  expect(clock.fireNext(responseMs), 'the response').toBe(true);
  await eachMicrotask(microtasks, () => {});
  const fired = clock.fireNext(1);
  await eachMicrotask(2 * roundsPerStep, () => {});
  // the event loop polls before the end of stopped work is reported
  while (clock.fireNext(0)) await eachMicrotask(2 * roundsPerStep, () => {});
  expect(clock.pending, 'no timer of the turn is left').toBe(timersBefore);
  expect(runtime.sizes('s')['tree']).toBe(0);
  expect(recorder.of('turn_ended')).toHaveLength(1);
  return { fired, outcome: recorder.of('turn_ended')[0]?.outcome, receipts: recorder.of('cancel_settled') };
}

test('a deadline that crosses the end of its turn stops all of it, or nothing [cancel.sources] [cancel.exact]', async () => {
  const outcomes: OutcomeKind[] = [];
  let late = 0;
  for (let microtasks = 0; microtasks < roundsPerStep; microtasks++) {
    const { fired, outcome = 'failed', receipts } = await crossEnd(microtasks);
    outcomes.push(outcome);
    if (fired && outcome === 'completed') late++;
    expect(receipts, `after ${microtasks} microtasks`).toHaveLength(outcome === 'timed_out' ? 1 : 0);
  }
  const firstCompleted = outcomes.indexOf('completed');
  expect(firstCompleted, 'a deadline that comes in time stops the turn').toBeGreaterThan(0);
  expect(new Set(outcomes.slice(0, firstCompleted))).toEqual(new Set(['timed_out']));
  expect(new Set(outcomes.slice(firstCompleted))).toEqual(new Set(['completed']));
  expect(late, 'deadlines that fired while the closing was being written').toBeGreaterThan(0);
});

const callOfBob = { session: () => ({ policy: 'owner' as const }), ownerOfCall: ownerInArguments };
function ownerInArguments({ arguments: text, turnOwner }: { readonly arguments: string; readonly turnOwner: string }) {
  return text.includes('bob') ? 'bob' : turnOwner;
}

/** Cancels a turn of alice in which a call of bob's runs on. */
async function cancelBesideBob(turnMs: number, unwind: number): Promise<Harness> {
  const respond = callsOnce(['wait', { unwind, ms: 5_000 }], ['wait', { of: 'bob', ms: 2_000 }]);
  const harness = await startHarness({ ...callOfBob, respond, limits: { turnMs } });
  await harness.session.join(callerOf('bob'), createRecorder().listener, null);
  const turn = await harness.say('words');
  await harness.clock.advance(300);
  await harness.cancel({ target: turn });
  return harness;
}

test.each([
  { name: 'that is stopping', unwind: 400 },
  { name: 'that has settled', unwind: 5 },
])(
  'the deadline of a turn $name does not stop the call of another that runs on below it [owner.node] [cancel.exact]',
  async ({ unwind }) => {
    const harness = await cancelBesideBob(500, unwind);
    await harness.clock.advance(5_000);
    const [mine, his] = [harness.callNamed('wait', 0), harness.callNamed('wait', 1)];
    expect(harness.outcomes()).toEqual({ [mine]: 'cancelled', [his]: 'continues' });
    expect(harness.recorder.of('late_result')).toMatchObject([{ node: his, outcome: 'completed' }]);
    expect(harness.recorder.of('cancel_accepted')).toHaveLength(1);
  },
);

test('a turn that has settled has no deadline, also while a call of another runs on below it [cancel.clean]', async () => {
  const pending = async (turnMs: number) => {
    const harness = await cancelBesideBob(turnMs, 5);
    await harness.clock.advance(100);
    expect(await harness.session.nodes()).toHaveLength(2);
    return harness.clock.pending;
  };
  expect(await pending(60_000)).toBe(await pending(0));
});

test('a deadline that fires after the end of its turn does nothing [cancel.sources] [cancel.exact]', async () => {
  const harness = await startHarness({ respond: () => textResponse('a'), limits: { turnMs: 20 } });
  const turn = await harness.say('words');
  await harness.clock.advance(2_000);
  expect(harness.endOf(turn)?.outcome).toBe('completed');
  expect(harness.recorder.of('turn_ended')).toHaveLength(1);
  expect(harness.clock.pending, 'only the timer of the idle session is left').toBe(1);
});
