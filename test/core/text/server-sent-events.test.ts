// The parser of server-sent events: whatever way the bytes are cut, the events are the same.
import { expect, test } from 'vitest';
import { ServerSentEvents } from '../../../src/core/text/server-sent-events.ts';
import { fc } from '../../support/property.ts';

function eventsOf(pieces: readonly Buffer[], isLast: (data: string) => boolean = () => false): [string, string][] {
  const events: [string, string][] = [];
  const parser = new ServerSentEvents({
    onEvent(data, type) {
      events.push([type, data]);
      return isLast(data);
    },
  });
  for (const piece of pieces) parser.push(piece);
  parser.finish();
  return events;
}

const eventsOfText = (text: string) => eventsOf([Buffer.from(text)]);

test.each([
  ['data: a\n\n', [['message', 'a']]],
  [
    'data:a\r\n\r\ndata:  b \r\n\r\n',
    [
      ['message', 'a'],
      ['message', ' b '],
    ],
  ],
  ['data: a\ndata: b\ndata\n\n', [['message', 'a\nb\n']]],
  [
    'event: error\ndata: {}\n\ndata: a\n\n',
    [
      ['error', '{}'],
      ['message', 'a'],
    ],
  ],
  ['error: {"code":500}\n\n', [['error', '{"code":500}']]],
  ['\ufeffdata: a\n\n', [['message', 'a']]],
  [': waiting\n\n: waiting\nid: 7\nretry: 100\nother\ndata: a\n\n', [['message', 'a']]],
  ['data:\n\nevent: empty\n\n\n\n', []],
  [
    'data: a\n\ndata: b\n',
    [
      ['message', 'a'],
      ['message', 'b'],
    ],
  ],
  ['data: a\n\ndata: b', [['message', 'a']]],
  ['<html>\ndatabase: a\n\n', []],
])('%j', (text, events) => {
  expect(eventsOfText(text)).toEqual(events);
});

test('cut anywhere, also inside a character, the events are the same', () => {
  const line = fc.constantFrom('data: Grüße, 世界 🙂', 'data:', 'event: type', ': comment', '', '', 'id: 1');
  const text = fc
    .array(line, { maxLength: 20 })
    .chain((lines) => fc.constantFrom('\n', '\r\n').map((end) => lines.map((each) => each + end).join('')));
  fc.assert(
    fc.property(text, fc.array(fc.nat(400), { maxLength: 12 }), (whole, cuts) => {
      const bytes = Buffer.from(whole);
      const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
      const pieces = places.slice(1).map((to, i) => bytes.subarray(places[i], to));
      expect(eventsOf(pieces)).toEqual(eventsOf([bytes]));
    }),
  );
});

test('a long line that comes byte by byte is read', () => {
  const long = 'x'.repeat(2_000);
  expect(eventsOf([...Buffer.from(`data: ${long}\n\n`)].map((byte) => Buffer.of(byte)))).toEqual([['message', long]]);
});

test('after the last event nothing of the same piece is passed on', () => {
  expect(eventsOf([Buffer.from('data: a\n\ndata: b\n\n')], () => true)).toEqual([['message', 'a']]);
});
