// A byte stream becomes lines within a limit; a server's messages are separated from other lines that it prints.
import { expect, test } from 'vitest';
import { createMessageReader, LineReader, type LongLine } from '../../../src/core/text/line-reader.ts';
import { fc } from '../../support/property.ts';

function reading(maxBytes: number) {
  const lines: string[] = [];
  let tooLong = 0;
  const reader = new LineReader({ maxBytes, onLine: (line) => void lines.push(line), onTooLong: () => void tooLong++ });
  return { reader, lines, tooLong: () => tooLong };
}

test('in whatever chunks a stream comes, its lines are the same, and no character is cut in half', () => {
  const text = fc.array(fc.string({ unit: 'binary', maxLength: 20 }).map((line) => line.replace(/[\r\n]/g, '')));
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 7 }), (expected, chunkBytes) => {
      const { reader, lines } = reading(1_000);
      const bytes = Buffer.from(expected.map((line) => `${line}\r\n`).join(''));
      for (let at = 0; at < bytes.length; at += chunkBytes) reader.push(bytes.subarray(at, at + chunkBytes));
      expect(lines).toEqual(expected.map((line) => Buffer.from(line).toString('utf8')));
    }),
  );
});

test('a line of many pieces is whole', () => {
  const { reader, lines } = reading(1_000);
  for (let i = 0; i < 600; i++) reader.push(Buffer.from('x'));
  reader.push(Buffer.from('\n'));
  expect(lines).toEqual(['x'.repeat(600)]);
});

test('a line over the limit is reported, and the next one is read', () => {
  const { reader, lines, tooLong } = reading(4);
  reader.push(Buffer.from('12345\n1234\n'));
  expect(tooLong()).toBe(1);
  expect(lines).toEqual(['1234']);
});

test('lines that are no messages are dropped, up to a limit', () => {
  const frames: string[] = [];
  const long: LongLine[] = [];
  const violations: string[] = [];
  const reader = createMessageReader({
    maxFrameBytes: 16,
    maxNoiseBytes: 8,
    onFrame: (line) => void frames.push(line),
    onLongFrame: (line) => void long.push(line),
    onViolation: (message) => void violations.push(message),
  });
  reader.push(Buffer.from('hello\n {"a":1}\nbye\n'));
  expect(frames).toEqual([' {"a":1}']);
  expect(violations).toEqual([]);
  reader.push(Buffer.from('more\n'));
  expect(violations).toEqual(['printed more than 8 bytes to stdout that are no messages']);
  reader.push(Buffer.from('{"a":"0123456789"}\n'));
  expect(long).toEqual([{ bytes: 18, start: '{"a":"0123456789"}', end: '{"a":"0123456789"}' }]);
  expect(violations).toHaveLength(1);
});

test('of a message that is too long its start and its end are kept, and it is a violation where it has no end', () => {
  const long: LongLine[] = [];
  const violations: string[] = [];
  const reader = createMessageReader({
    maxFrameBytes: 1_000,
    maxNoiseBytes: 8,
    onFrame: () => {},
    onLongFrame: (line) => void long.push(line),
    onViolation: (message) => void violations.push(message),
  });
  const text = `{"id":7,"text":"${'x'.repeat(5_000)}","last":1}`;
  for (let at = 0; at < text.length; at += 300) reader.push(Buffer.from(text.slice(at, at + 300)));
  reader.push(Buffer.from('\n'));
  expect(long).toEqual([{ bytes: text.length, start: text.slice(0, 512), end: text.slice(-512) }]);
  for (let i = 0; i < 20; i++) reader.push(Buffer.from('{'.repeat(1_000)));
  expect(violations[0]).toBe('sent a message of more than 16000 bytes');
});
