// Text is published after the `model_started` of its block, so that a client can open the block first.
import { expect, test } from 'vitest';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import { callerOf, callsResponse, startHarness, textResponse } from '../../support/harness.ts';
import { holdAppend } from '../../support/held-log.ts';

test('text is published after the facts that it belongs to, however long their commit takes [ws.protocol]', async () => {
  const hold = holdAppend((types) => types.includes('model_started'));
  const harness = await startHarness({
    log: hold.wrap(createMemoryLog()),
    respond: (_, n) =>
      n === 0
        ? { steps: [...textResponse('first ', 'words').steps, ...callsResponse(['note']).steps] }
        : textResponse('more'),
  });
  const order: string[] = [];
  const ignore = () => {};
  await harness.session.join(
    callerOf('bob'),
    {
      joined: ignore,
      output: ignore,
      progress: ignore,
      accepted: ignore,
      ended: ignore,
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
  const indexOf = (what: string) => order.indexOf(what);
  expect(indexOf('turn_opened')).toBeLessThan(indexOf('started 0'));
  expect(indexOf('started 0')).toBeLessThan(indexOf('text 0 first words'));
  expect(indexOf('text 0 first words')).toBeLessThan(indexOf('model_ended'));
  expect(indexOf('started 1')).toBeLessThan(indexOf('text 1 more'));
});
