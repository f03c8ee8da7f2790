// A client may open a block when it hears of its model call: no text comes before that.
import { expect, test } from 'vitest';
import { createMemoryLog } from '../../src/transcript/memory.ts';
import { callerOf, callsResponse, startHarness, textResponse } from '../support/harness.ts';
import { holdAppend } from '../support/held-log.ts';

test('text comes behind the facts that it belongs to, whatever the store takes for them [ws.protocol]', async () => {
  const hold = holdAppend((types) => types.includes('model_started'));
  const harness = await startHarness({
    log: hold.wrap(createMemoryLog()),
    respond: (_, n) =>
      n === 0
        ? { steps: [...textResponse('first ', 'words').steps, ...callsResponse(['note']).steps] }
        : textResponse('more'),
  });
  const order: string[] = [];
  const hears = () => {};
  await harness.session.join(
    callerOf('bob'),
    {
      joined: hears,
      output: hears,
      progress: hears,
      accepted: hears,
      ended: hears,
      fact: ({ fact }) => void order.push(fact.type === 'model_started' ? `started ${fact.index}` : fact.type),
      text: ({ index, text }) => void order.push(`text ${index} ${text}`),
    },
    null,
  );
  void harness.session.say(harness.alice, { text: 'words' });
  await harness.clock.advance(1_000);
  expect(order.filter((what) => what.startsWith('text'))).toEqual([]);
  hold.release();
  await harness.clock.advance(1_000);
  const place = (what: string) => order.indexOf(what);
  expect(place('turn_opened')).toBeLessThan(place('started 0'));
  expect(place('started 0')).toBeLessThan(place('text 0 first words'));
  expect(place('text 0 first words')).toBeLessThan(place('model_ended'));
  expect(place('started 1')).toBeLessThan(place('text 1 more'));
});
