// Stop phrases that are directed at the bot: by its name, by a bridge, by a reply.
import { expect, test } from 'vitest';
import { stopPhraseIn } from '../../src/core/session/said-content.ts';

const options = { names: ['belay', 'ベレイ', 'Robo Rita'] };

const addressedOf = (text: string, more = {}) => stopPhraseIn({ text, ...more }, options)?.addressed;

const calling = [
  'belay, stop',
  'hey belay, stop',
  'Hey Belay stop!',
  '@belay stop',
  'stop, belay',
  'STOP BELAY!!',
  'ok, belay: stop',
  'ｂｅｌａｙ stop',
  'ベレイ、やめて',
  'stop ベレイ。',
  'stop belay please',
  'no belay stop',
  'so, belay, stop it now',
  'stop it belay, now please',
  'please, robo rita, stop',
  'nein belay, hör auf damit',
  'vale, belay, para ya',
  'non belay arrête stp',
  'no belay para',
  'não belay para com isso',
  'no belay fermati',
  'それ、ベレイ、やめてください',
];

test.each(calling)('%s calls it by its name [owner.guard.words]', (text) => {
  expect(addressedOf(text)).toBe(1);
  expect(addressedOf(text, { spoken: true })).toBe(1);
});

test.each(['stop', 'oh stop', 'please stop it now', 'hör auf', 'やめてください'])(
  '"%s" does not [owner.guard.words]',
  (text) => {
    const said = stopPhraseIn({ text }, options);
    expect(said).not.toBeNull();
    expect(said?.addressed).toBeUndefined();
  },
);

test.each(['belay', 'I told belay to stop yesterday', 'stop belaying', 'does belay stop', 'overbelay stop'])(
  '"%s" is no stop phrase, whoever is named [owner.guard.words]',
  (text) => {
    expect(stopPhraseIn({ text }, options)).toBeNull();
  },
);

test('a name counts in either reading of a transcript [owner.guard.words]', () => {
  expect(addressedOf('So. Belay? Never. Mind.', { spoken: true })).toBe(1);
  expect(addressedOf('Never. Mind.', { spoken: true, addressed: 0.2 })).toBe(0.2);
});

test('the strongest evidence counts, and nothing is known without any [owner.guard.words]', () => {
  expect(addressedOf('stop')).toBeUndefined();
  expect(addressedOf('stop', { addressed: 0.3 })).toBe(0.3);
  expect(addressedOf('stop', { addressed: 0.3, replyToBot: true })).toBe(1);
  expect(addressedOf('no belay stop', { addressed: 0 })).toBe(1);
});
