// The ends of acknowledgements: what stands in their place when the model fails or is slow, and what follows when one is stopped itself.
import { describe, expect, test } from 'vitest';
import type { Script } from '../../../src/adapters/models/scripted.ts';
import type { StopAcknowledged } from '../../../src/core/session/session-spec.ts';
import { bobCaller, type HarnessOptions, startHarness } from '../../support/harness.ts';
import {
  type AcknowledgingOptions,
  acknowledgements,
  requestsToAcknowledge,
  respondWith,
  signs,
  startAcknowledging,
  stopTurn,
} from './acknowledging.ts';

describe('in its place stands', () => {
  const failing: readonly (readonly [string, Script])[] = [
    ['is slower than its deadline', { steps: [{ hang: true }] }],
    ['fails', { steps: [{ fail: 'model_unauthorized' }] }],
    ['says nothing', { steps: [] }],
    ['says blanks', { steps: [{ text: ' \n' }] }],
  ];
  test.each(failing)('an emoji, where the model %s [recover.model]', async (_, script) => {
    const h = await startAcknowledging({ respond: respondWith(() => script), acknowledgement: { emoji: '🛑' } });
    await stopTurn(h);
    await h.clock.advance(2_500);
    expect(signs(h)).toMatchObject([
      { type: 'reaction', emoji: '🛑', to: 'alice', cancel: h.settledReceipts()[0]?.cancel },
    ]);
    expect(h.endOf(acknowledgements(h)[0]?.turn ?? '')).toBeDefined();
    await h.clock.advance(5_000);
    expect(signs(h)).toHaveLength(1);
  });

  test('nothing, where the first words come in time and the model fails then [recover.model]', async () => {
    const h = await startAcknowledging({
      respond: respondWith(() => ({ steps: [{ text: 'Fine' }, { waitMs: 4_000 }, { fail: 'model_unauthorized' }] })),
    });
    await stopTurn(h);
    await h.clock.advance(6_000);
    expect(signs(h)).toMatchObject([{ type: 'acknowledged' }]);
  });

  test('an emoji at once and no model call, where the session wants a reaction only [recover.model]', async () => {
    const h = await startAcknowledging({ spec: { acknowledge: 'reaction' } });
    await stopTurn(h);
    expect(signs(h)).toMatchObject([{ type: 'reaction' }]);
    expect(requestsToAcknowledge(h)).toEqual([]);
  });

  test('a sound, in a voice session [recover.model]', async () => {
    const h = await startAcknowledging({ spec: { kind: 'voice', acknowledge: 'reaction' } });
    await stopTurn(h);
    expect(signs(h)).toMatchObject([{ type: 'earcon', sound: 'stopped' }]);
  });

  test('a sound and no late words, in a voice session whose model hangs [recover.model]', async () => {
    const h = await startAcknowledging({
      spec: { kind: 'voice' },
      respond: respondWith(() => ({ steps: [{ hang: true }] })),
    });
    await stopTurn(h);
    expect(signs(h)).toEqual([]);
    await h.clock.advance(2_500);
    expect(signs(h)).toMatchObject([{ type: 'earcon', sound: 'stopped' }]);
    await h.clock.advance(60_000);
    expect(signs(h)).toHaveLength(1);
  });
});

describe('the stop of an acknowledgement', () => {
  const phases: readonly (readonly [string, AcknowledgingOptions])[] = [
    ['generating, without a word', { respond: respondWith(() => ({ steps: [{ hang: true }] })) }],
    ['generating, with some words', { respond: respondWith(() => ({ steps: [{ text: 'Fine' }, { hang: true }] })) }],
    [
      'preparing',
      {
        buildContext: async ({ acknowledges, messages, signal }) => {
          if (acknowledges !== undefined)
            await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
          return messages;
        },
      },
    ],
    [
      'in a session that may not be interrupted',
      { spec: { interruptible: false, shieldMs: 1_000 }, respond: respondWith(() => ({ steps: [{ hang: true }] })) },
    ],
  ];
  test.each(phases)(
    '%s: there are receipts, no second acknowledgement and no reaction [ladder.acknowledgement]',
    async (_, options) => {
      const h = await startAcknowledging({ limits: { acknowledgeEveryMs: 0, acknowledgeMs: 60_000 }, ...options });
      await stopTurn(h);
      await h.clock.advance(1_000);
      const [opened] = acknowledgements(h);
      const before = signs(h).length;
      expect(await h.cancel({ target: opened?.turn ?? '' }, bobCaller)).toMatchObject({ type: 'cancel_accepted' });
      await h.clock.advance(5_000);
      expect(h.settledReceipts().at(-1)).toMatchObject({ nodes: [{ node: opened?.turn, outcome: 'cancelled' }] });
      expect(acknowledgements(h)).toHaveLength(1);
      expect(signs(h)).toHaveLength(before);
    },
  );

  test('by a stop phrase is a CANCEL of it, and no new turn [ladder.acknowledgement] [cancel.sources.phrase]', async () => {
    const h = await startAcknowledging({ respond: respondWith(() => ({ steps: [{ hang: true }] })) });
    await stopTurn(h);
    const reply = h.session.say(h.alice, { text: 'ok stop' });
    await h.clock.advance(100);
    expect(await reply).toMatchObject({ type: 'stop_phrase' });
    expect(h.endOf(acknowledgements(h)[0]?.turn ?? '')).toMatchObject({ outcome: 'cancelled' });
    expect(signs(h)).toEqual([]);
  });
});

test('observers are notified once for each receipt that is acknowledged, with how and when [recover.model] [ops.hooks]', async () => {
  const seen: StopAcknowledged[] = [];
  const h = await startAcknowledging({ observers: [{ acknowledged: (stop) => void seen.push(stop) }] });
  await stopTurn(h, bobCaller);
  const cancel = h.settledReceipts()[0]?.cancel;
  expect(seen).toEqual([
    { session: 's', cancel, to: 'bob', how: 'text', ms: expect.any(Number), seq: expect.any(Number) },
  ]);
  expect(seen[0]?.ms).toBeGreaterThan(0);
});

test('a clock that is set back an hour delays no acknowledgement for an hour [recover.model]', async () => {
  const h = await startAcknowledging({ limits: { acknowledgeEveryMs: 10_000 } });
  await stopTurn(h);
  h.clock.step(-3_600_000);
  await h.clock.advance(15_000);
  await stopTurn(h);
  expect(acknowledgements(h)).toHaveLength(2);
});

test('nothing is kept of acknowledgements that are over [cancel.clean]', async () => {
  const h = await startAcknowledging({ limits: { acknowledgeEveryMs: 0 } });
  await stopTurn(h);
  await h.clock.advance(3_000);
  const before = h.runtime.sizes('s');
  for (let n = 0; n < 10; n++) await stopTurn(h);
  await h.clock.advance(3_000);
  expect(acknowledgements(h)).toHaveLength(11);
  expect(h.runtime.sizes('s')).toEqual(before);
});

test.each([
  [{ acknowledge: 'loud' }, 'acknowledge must be on, reaction, off, and is "loud"'],
  [{ acknowledgement: { emoji: 'ok' } }, 'acknowledgement.emoji must be one emoji, and is "ok"'],
  [
    { acknowledgement: { maxOutputTokens: 0 } },
    'acknowledgement.maxOutputTokens must be a whole number of at least 1, and is 0',
  ],
])('%j is refused', async (options, message) => {
  await expect(startHarness(options as HarnessOptions)).rejects.toThrow(message);
});
