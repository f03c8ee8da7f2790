// Work of a turn itself that does not end after a stop: its model call, its context, its summary. It is named, with the end that it has later.
import { expect, test } from 'vitest';
import type { Script } from '../../../src/adapters/models/scripted.ts';
import type { ModelRequest } from '../../../src/core/contracts/provider.ts';
import { startHarness, textResponse } from '../../support/harness.ts';

/** A response that ends after 5 s, whatever its signal does. */
const deaf = (): Script => ({ steps: [{ text: 'on ' }, { waitMs: 5_000 }, { text: 'and on' }], ignoresSignal: true });

test('a provider that ignores its signal: `model_ended` says so, the receipt names it, and its end is reported [cancel.bounded] [cancel.settled]', async () => {
  const harness = await startHarness({ respond: deaf });
  const turn = await harness.say('words');
  await harness.clock.advance(50);
  await harness.cancel({ target: turn });
  await harness.clock.advance(249);
  expect(harness.settledReceipts()).toEqual([]);
  await harness.clock.advance(10);
  expect(harness.recorder.of('model_ended')).toMatchObject([
    { outcome: 'abandoned', text: 'on ', cutOff: true, usage: { kind: 'unknown' } },
  ]);
  expect(harness.endOf(turn)).toMatchObject({ outcome: 'cancelled', code: 'model_abandoned' });
  expect(harness.settledReceipts()[0]?.nodes).toMatchObject([
    { node: turn, outcome: 'cancelled', code: 'model_abandoned' },
  ]);
  expect(harness.recorder.of('abandoned_ended')).toEqual([]);
  await harness.clock.advance(5_000);
  expect(harness.recorder.of('abandoned_ended')).toMatchObject([{ node: turn }]);
  expect(harness.recorder.texts.map(({ text }) => text).join('')).toBe('on ');
});

test("a sub-agent's: the result of its call names it too [cancel.bounded]", async () => {
  const harness = await startHarness({
    agents: { helper: { description: 'helps', instructions: 'Help.' } },
    respond: (_, n) =>
      n === 0
        ? { steps: [{ call: { callId: 'p', name: 'spawn_agent', arguments: JSON.stringify({ task: 'x' }) } }] }
        : deaf(),
  });
  const turn = await harness.say('words');
  await harness.clock.advance(50);
  await harness.cancel({ target: turn });
  await harness.clock.advance(300);
  expect(harness.recorder.of('tool_result')).toMatchObject([{ outcome: 'cancelled', code: 'model_abandoned' }]);
  expect(harness.endOf(turn)).toMatchObject({ outcome: 'cancelled' });
});

test('a context builder that ignores its signal [cancel.bounded]', async () => {
  const harness = await startHarness({
    buildContext: ({ messages }) =>
      new Promise((resolve) => void harness.clock.after(5_000, () => resolve([...messages]))),
  });
  const turn = await harness.say('words');
  await harness.clock.advance(50);
  await harness.cancel({ target: turn });
  await harness.clock.advance(260);
  expect(harness.settledReceipts()[0]?.nodes).toMatchObject([{ node: turn, code: 'context_abandoned' }]);
  await harness.clock.advance(5_000);
  expect(harness.recorder.of('abandoned_ended')).toMatchObject([{ node: turn }]);
  expect(harness.recorder.of('model_started')).toEqual([]);
});

test('a context builder that resolves with something else: the turn fails, and nothing is said to be abandoned [cancel.bounded]', async () => {
  for (const built of [null, undefined, 'words', {}]) {
    const harness = await startHarness({ buildContext: async () => built as never });
    const turn = await harness.say('words');
    await harness.clock.advance(10);
    expect(harness.endOf(turn)).toMatchObject({ outcome: 'failed', code: 'context_failed' });
    expect(harness.recorder.of('model_started')).toEqual([]);
  }
  const onAbort = await startHarness({
    buildContext: ({ signal }) => new Promise((done) => signal.addEventListener('abort', () => done(null as never))),
  });
  const stopped = await onAbort.say('words');
  await onAbort.cancel({ target: stopped });
  await onAbort.clock.advance(10);
  expect(onAbort.endOf(stopped)).toMatchObject({ outcome: 'cancelled' });
  expect(onAbort.endOf(stopped)?.code).toBeUndefined();
});

test('a summary whose provider ignores its signal [cancel.bounded] [history.bounded]', async () => {
  const isSummary = ({ tools }: ModelRequest) => tools.length === 0;
  const harness = await startHarness({
    limits: { compactAboveBytes: 2_000 },
    respond: (request) => (isSummary(request) ? deaf() : textResponse('word '.repeat(300))),
  });
  for (let i = 0; i < 3; i++) {
    await harness.say(`words ${i}`);
    await harness.clock.advance(100);
  }
  const turn = harness.recorder.of('turn_opened').at(-1)?.turn ?? '';
  await harness.cancel({ target: 'session' });
  await harness.clock.advance(300);
  expect(harness.recorder.of('turn_ended').find(({ code }) => code === 'model_abandoned')).toMatchObject({
    outcome: 'cancelled',
    usage: { kind: 'unknown' },
  });
  expect(turn).not.toBe('');
});

test('one that ends in time is not named [cancel.settled]', async () => {
  const harness = await startHarness({ respond: () => ({ steps: [{ text: 'on ' }, { hang: true }] }) });
  const turn = await harness.say('words');
  await harness.clock.advance(50);
  await harness.cancel({ target: turn });
  await harness.clock.advance(300);
  expect(harness.endOf(turn)).not.toHaveProperty('code');
  expect(harness.recorder.of('model_ended')).toMatchObject([{ outcome: 'cancelled' }]);
});
