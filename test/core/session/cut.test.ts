// The cut: what holds from the tick of an acceptance on.
import { describe, expect, test, vi } from 'vitest';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import { TextStream } from '../../../src/core/live/text-stream.ts';
import { callsOnce, callsResponse, type Harness, startHarness, textResponse, toolOf } from '../../support/harness.ts';
import { holdAppend } from '../../support/held-log.ts';
import { eachMicrotask, roundsPerStep } from '../../support/stepping-clock.ts';

const shownText = ({ recorder }: Harness) => recorder.texts.map(({ text }) => text).join('');

test.each([
  { name: 'approval', tool: { ...toolOf('asking', async () => 'done'), approval: () => ({ text: 'May I?' }) } },
  { name: 'question', tool: toolOf('asking', (_, { ask }) => ask({ text: 'Which?' })) },
])(
  'the acceptance has its sequence number before the abort: an open $name is withdrawn after it [cancel.accepted]',
  async ({ tool }) => {
    const harness = await startHarness({ tools: [tool], respond: callsOnce(['asking']) });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    await harness.cancel({ target: turn });
    await harness.clock.advance(1_000);
    const accepted = harness.index(({ type }) => type === 'cancel_accepted');
    const withdrawn = harness.index((fact) => 'question' in fact && 'answer' in fact && fact.answer === 'withdrawn');
    expect(accepted).toBeGreaterThan(-1);
    expect(withdrawn).toBeGreaterThan(accepted);
  },
);

describe('the text of a stopped turn', () => {
  const endless = { ...textResponse(...Array.from({ length: 20 }, (_, i) => `${i} `)), ignoresSignal: true };

  test('that was held until the commit of its start is never shown, and is kept [cancel.accepted] [history.partial]', async () => {
    const hold = holdAppend((types) => types.includes('model_started'));
    const harness = await startHarness({
      log: hold.wrap(createMemoryLog()),
      respond: () => textResponse('one ', 'two '),
    });
    void harness.session.say(harness.alice, { text: 'words' });
    await hold.reached;
    await harness.clock.advance(15);
    void harness.session.cancel(harness.alice, { target: 'mine' });
    await harness.clock.advance(20);
    hold.release();
    await harness.clock.advance(1_000);
    expect(harness.recorder.of('model_ended')).toMatchObject([{ text: 'one ', cutOff: true }]);
    expect(shownText(harness)).toBe('');
  });

  test('ends at the cut, though the provider goes on and completes [cancel.accepted] [history.partial]', async () => {
    const harness = await startHarness({ respond: () => endless });
    const turn = await harness.say('words');
    await harness.clock.advance(35);
    await harness.cancel({ target: turn });
    await harness.clock.advance(2_000);
    expect(shownText(harness)).toBe('0 1 2 ');
    expect(harness.recorder.of('model_ended')).toMatchObject([{ text: '0 1 2 ', cutOff: true }]);
    expect(harness.endOf(turn)?.outcome).toBe('cancelled');
  });

  test('ends at the cut also without the mute of the text stream: no piece is passed on [cancel.accepted]', async () => {
    const mute = vi.spyOn(TextStream.prototype, 'nodeChanged').mockImplementation(() => {});
    const harness = await startHarness({ respond: () => endless });
    const turn = await harness.say('words');
    await harness.clock.advance(35);
    await harness.cancel({ target: turn });
    await harness.clock.advance(2_000);
    expect(mute).toHaveBeenCalled();
    expect(shownText(harness)).toBe('0 1 2 ');
    mute.mockRestore();
  });
});

test('a detached agent that was cut before the session has opened its turn never starts [cancel.fence] [cancel.latch] [agent.tree]', async () => {
  let cutBeforeOpened = 0;
  for (let at = 0; at < roundsPerStep; at++) {
    const harness = await startHarness({
      agents: { helper: { description: 'helps', instructions: 'Help.' } },
      respond: (_, n) =>
        n === 0 ? callsResponse(['spawn_agent', { task: 'beside', detached: true }]) : textResponse('done'),
    });
    void harness.session.say(harness.alice, { text: 'words' });
    let step = 0;
    await eachMicrotask(roundsPerStep, () => {
      if (step++ === at) void harness.session.cancel(harness.alice, { target: 'session' });
    });
    await harness.clock.advance(2_000);
    const place = (type: string, turn: string) =>
      harness.index((fact) => fact.type === type && 'turn' in fact && fact.turn === turn);
    const accepted = harness.index(({ type }) => type === 'cancel_accepted');
    const stopped = new Set(harness.recorder.of('cancel_accepted').flatMap(({ stopping }) => stopping));
    for (const { turn } of harness.recorder.of('turn_opened').filter(({ kind }) => kind === 'agent')) {
      if (!stopped.has(turn)) continue;
      if (place('turn_started', turn) > -1 && place('turn_started', turn) < accepted) continue;
      cutBeforeOpened++;
      expect(place('turn_started', turn), `cancelled at microtask ${at}`).toBe(-1);
      expect(harness.endOf(turn), `cancelled at microtask ${at}`).toMatchObject({
        outcome: 'cancelled',
        effect: 'not_started',
      });
    }
  }
  expect(cutBeforeOpened).toBeGreaterThan(0);
});
