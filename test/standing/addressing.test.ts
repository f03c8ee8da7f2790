// Words that are directed at the bot: by its name, by a bridge, by a reply.
import { expect, test } from 'vitest';
import { addressingOf, callsByName } from '../../src/core/session/addressing.ts';

const names = ['belay', 'ベレイ'];

test.each([
  'belay, stop',
  'hey belay, stop',
  'Hey Belay stop!',
  '@belay stop',
  'stop, belay',
  'STOP BELAY!!',
  'ok, belay: stop',
  'ｂｅｌａｙ stop',
  'belay',
  'ベレイ、 stop',
  'stop ベレイ。',
])('%s calls it by its name [owner.guard.words]', (text) => {
  expect(callsByName(text, names)).toBe(true);
});

test.each([
  'stop',
  'oh stop',
  'belaying is fun',
  'I told belay to stop yesterday',
  'overbelay',
  'do not stop belaying',
  '',
  '   ',
  '!!!',
  'the belays stop',
])('"%s" does not [owner.guard.words]', (text) => {
  expect(callsByName(text, names)).toBe(false);
});

test('the strongest evidence counts, and nothing is known without any [owner.guard.words]', () => {
  expect(addressingOf('stop', {}, names)).toBeUndefined();
  expect(addressingOf('stop', { addressed: 0.3 }, names)).toBe(0.3);
  expect(addressingOf('stop', { addressed: 0.3, replyToBot: true }, names)).toBe(1);
  expect(addressingOf('belay, stop', { addressed: 0 }, names)).toBe(1);
});

test('a long row of marks takes no longer than its length allows [owner.guard.words]', () => {
  expect(callsByName(`${'!'.repeat(200_000)}a${' '.repeat(200_000)}`, names)).toBe(false);
});
