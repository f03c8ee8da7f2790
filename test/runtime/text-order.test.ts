// A client may open a block when it hears of its model call: no text comes before that.
import { expect, test } from 'vitest';
import { asks, createWorld, memberOf, says } from '../support/world.ts';

test('text comes behind the facts that it belongs to, whatever the store takes for them [ws.protocol]', async () => {
  const world = await createWorld({
    respond: (_, n) =>
      n === 0 ? { steps: [...says('first ', 'words').steps, ...asks(['note']).steps] } : says('more'),
  });
  const order: string[] = [];
  const hears = () => {};
  await world.session.join(
    memberOf('bob'),
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
  await world.say('words');
  await world.clock.advance(1_000);
  const place = (what: string) => order.indexOf(what);
  expect(place('turn_opened')).toBeLessThan(place('started 0'));
  expect(place('started 0')).toBeLessThan(place('text 0 first '));
  expect(place('started 1')).toBeLessThan(place('text 1 more'));
});
