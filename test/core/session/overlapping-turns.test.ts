// Turns that overlap: what has run beside others is in the requests after it, also if the session has slept in between.
import { expect, test } from 'vitest';
import type { NodeId } from '../../../machines/vocabulary.ts';
import { createRecorder } from '../../../src/testing/recorder.ts';
import { callerOf, callsResponse, type Harness, startHarness, textResponse, toolOf } from '../../support/harness.ts';
import { lastMessages, png, reference } from './images.ts';

const bob = callerOf('bob');
const join = (harness: Harness, id: string) =>
  harness.session.join(callerOf(id), createRecorder(harness.clock.now).listener, 0);
const lastRequest = (harness: Harness) => JSON.stringify(lastMessages(harness));

/** Says something, and lets its turn end. */
async function converse(harness: Harness, words: string, member = bob): Promise<NodeId> {
  const turn = await harness.say(words, member);
  await harness.clock.advance(200);
  return turn;
}

/** A room in which the words "deploy" open a turn that calls a tool for 5 s; every other turn ends after 10 ms. */
async function openRoom(options: Parameters<typeof startHarness>[0] = {}): Promise<Harness> {
  const harness = await startHarness({
    respond: ({ messages }) =>
      messages.at(-1)?.content.endsWith('deploy') ? callsResponse(['wait', { ms: 5_000 }]) : textResponse('fine'),
    ...options,
  });
  await join(harness, 'bob');
  return harness;
}

test('the first turn of a room, which ran while two others started and ended, is in the next request [history.overlap]', async () => {
  const harness = await openRoom();
  const first = await harness.say('deploy');
  await converse(harness, 'hello');
  await converse(harness, 'are you there?');
  await harness.cancel({ target: first });
  await harness.clock.advance(1_000);
  await converse(harness, 'and now?');
  expect(lastRequest(harness)).toMatch(/alice: deploy.*"name":"wait".*May have had effects: wait/);
});

test('with turns of one speaker in parallel, the first of them is in the next request [history.overlap]', async () => {
  const harness = await openRoom({ session: () => ({ whileRunning: 'parallel' }) });
  await harness.say('deploy');
  await converse(harness, 'hello', harness.alice);
  await converse(harness, 'are you there?', harness.alice);
  await harness.clock.advance(6_000);
  await converse(harness, 'and now?', harness.alice);
  expect(lastRequest(harness)).toMatch(/deploy.*"name":"wait"/);
});

test('a turn that has just ended is within the limits, however many were opened after it [history.overlap]', async () => {
  const harness = await openRoom({ limits: { contextTurns: 4 } });
  const first = await harness.say('deploy');
  for (let i = 0; i < 20; i++) await converse(harness, `hello ${i}`);
  await harness.cancel({ target: first });
  await harness.clock.advance(1_000);
  await converse(harness, 'and now?');
  expect(lastRequest(harness)).toMatch(/alice: deploy.*May have had effects: wait/);
  const resumed = harness.session.resume(harness.alice, { turn: first });
  await harness.clock.advance(1_000);
  expect(await resumed).toMatchObject({ type: 'turn_opened' });
  expect(lastRequest(harness)).toMatch(/asked to take up again the turn .* in which alice said/);
});

test.each([1, 2, 3, 4, 5, 6])(
  'the limits leave out the turns that ended first, not those that were opened first: after %d others [history.overlap]',
  async (others) => {
    const harness = await openRoom({ limits: { contextTurns: 4 } });
    const first = await harness.say('deploy');
    for (let i = 0; i < others; i++) await converse(harness, `hello ${i}`);
    await harness.cancel({ target: first });
    await harness.clock.advance(1_000);
    await converse(harness, 'and now?');
    expect(lastRequest(harness)).toMatch(/alice: deploy.*May have had effects: wait/);
  },
);

test('an acknowledgement names the turn that was stopped, however many were opened after it [history.overlap] [recover.model]', async () => {
  const harness = await openRoom({ limits: { contextTurns: 4 }, acknowledge: 'on' });
  const first = await harness.say('deploy');
  for (let i = 0; i < 20; i++) await converse(harness, `hello ${i}`);
  await harness.cancel({ target: first });
  await harness.clock.advance(1_000);
  expect(lastRequest(harness)).toMatch(/alice had said \\"deploy\\".*May have had effects: wait/);
});

test('an image that was said to a running turn is there after a sleep [history.overlap] [model.parts]', async () => {
  const harness = await openRoom({ limits: { idleMs: 10_000 } });
  await harness.session.storeBlobs([png(1)]);
  await harness.say('deploy');
  const steered = harness.session.say(harness.alice, {
    text: 'like this',
    parts: [{ type: 'text', text: 'like this' }, reference(1)],
    steer: {},
  });
  await harness.clock.advance(6_000);
  expect(await steered).toMatchObject({ type: 'input_deferred' });
  for (const { connection } of [harness.alice, bob]) await harness.session.leave(connection, 'left');
  await harness.clock.advance(30_000);
  expect((await harness.log.head('s')).holder, 'the session is asleep').toBeNull();
  await converse(harness, 'and now?');
  expect(lastRequest(harness)).toContain(reference(1).blob);
  expect(Buffer.compare((await harness.session.readBlob(reference(1).blob)) ?? png(0), png(1))).toBe(0);
});

test('a turn that was resumed twice reads the first one, however few turns the limits allow [history.overlap] [recover.resume]', async () => {
  const harness = await openRoom({ limits: { contextTurns: 1 } });
  let turn = await harness.say('deploy');
  await harness.cancel({ target: turn });
  await harness.clock.advance(1_000);
  for (let i = 0; i < 7; i++) await converse(harness, `hello ${i}`);
  for (const words of ['go on, deploy', 'what have you done?']) {
    const resumed = harness.session.resume(harness.alice, { turn, text: words });
    await harness.clock.advance(100);
    turn = ((await resumed) as { readonly turn: NodeId }).turn;
    await harness.cancel({ target: turn });
    await harness.clock.advance(1_000);
  }
  expect(lastRequest(harness)).toMatch(/in which alice said \\"deploy\\"\. May have had effects: wait/);
});

test('an acknowledgement names a turn that a long shield has outlived [history.overlap] [recover.model]', async () => {
  const harness = await openRoom({
    limits: { contextTurns: 1 },
    acknowledge: 'on',
    tools: [
      toolOf(
        'commit',
        (_, { shield }) => shield(() => new Promise((resolve) => harness.clock.after(4_900, () => resolve('done')))),
        { cancel: 'shielded', shieldMaxMs: 5_000 },
      ),
    ],
    respond: ({ messages }) => {
      const said = messages.at(-1)?.content ?? '';
      if (said.endsWith('deploy')) return callsResponse(['wait', { ms: 5_000 }]);
      return said.endsWith('commit') ? callsResponse(['commit']) : textResponse('fine');
    },
  });
  await join(harness, 'carol');
  const carol = callerOf('carol');
  await harness.say('deploy');
  for (let i = 0; i < 10; i++) await converse(harness, `hello ${i}`, carol);
  await harness.say('commit', bob);
  await harness.clock.advance(100);
  await harness.cancel({ target: 'session' });
  for (let i = 0; i < 10; i++) await converse(harness, `hello ${i}`, carol);
  await harness.clock.advance(5_000);
  expect(lastRequest(harness)).toMatch(/alice had said \\"deploy\\".*May have had effects: wait/);
});

test('a detached agent of a resumed turn repeats no unknown effect silently, however many turns have ended beside it [history.overlap] [recover.resume]', async () => {
  const harness = await openRoom({
    limits: { contextTurns: 1 },
    agents: { helper: { description: 'helps', instructions: 'Help.' } },
    respond: ({ messages }) => {
      const said = messages.findLast(({ role }) => role === 'user')?.content ?? '';
      const isFirst = messages.at(-1)?.role === 'user';
      if (said.endsWith('dig')) return callsResponse(['wait', { ms: isFirst ? 3_000 : 5_000 }]);
      if (said.endsWith('deploy')) return callsResponse(['wait', { ms: 5_000 }]);
      return said.endsWith('go on') && isFirst
        ? callsResponse(['spawn_agent', { task: 'dig', detached: true }])
        : textResponse('fine');
    },
  });
  const turn = await harness.say('deploy');
  await harness.clock.advance(100);
  await harness.cancel({ target: turn });
  for (let i = 0; i < 7; i++) await converse(harness, `hello ${i}`);
  const resumed = harness.session.resume(harness.alice, { turn, text: 'go on' });
  await harness.clock.advance(100);
  expect(await resumed).toMatchObject({ type: 'turn_opened' });
  for (let i = 0; i < 12; i++) await converse(harness, `hello ${i}`);
  await harness.clock.advance(2_000);
  expect(harness.recorder.of('approval_requested')).toMatchObject([{ node: harness.callNamed('wait', 2) }]);
});
