// Text to frame: every refusal has a name, and no text breaks the codec.
import { describe, expect, test } from 'vitest';
import { decodeClientFrame } from '../../src/wire/codec.ts';
import { frameErrorCodes } from '../../src/wire/errors.ts';
import { fc } from '../support/property.ts';

const problemOf = (text: string) => {
  const decoded = decodeClientFrame(text);
  return decoded.ok ? null : decoded.problem;
};
const json = JSON.stringify;
const image = { type: 'image', blob: 'a'.repeat(64), mediaType: 'image/png', bytes: 3, name: 'a.png' };

describe('decodeClientFrame', () => {
  test.each([
    { type: 'HELLO' },
    { type: 'HELLO', token: 'x' },
    { type: 'JOIN', ref: 'j', session: 'room/1' },
    { type: 'JOIN', ref: 'j', session: 'room', after: 0 },
    { type: 'JOIN', ref: 'j', session: 'room', last: 20 },
    { type: 'SAY', ref: 's', text: 'hi' },
    { type: 'SAY', ref: 's', session: 'room', text: ' hi\u{1f44b}', as: 'ann' },
    { type: 'SAY', ref: 's', text: 'see', parts: [{ type: 'text', text: 'see' }, image] },
    { type: 'CANCEL', ref: 'c', target: 'say:s', reason: '', force: true },
    { type: 'APPROVE', ref: 'a', target: 'call_1' },
    { type: 'DENY', ref: 'a', session: 'room', target: 'call_1', as: 'ann' },
    { type: 'ANSWER', ref: 'a', target: 'call_1', text: 'the second' },
    { type: 'LEAVE', ref: 'l' },
    { type: 'PING', ref: 'p' },
  ])('takes %o', (frame) => {
    expect(decodeClientFrame(json(frame))).toEqual({ ok: true, frame });
  });

  test.each([
    ['', 'not_json'],
    ['{"type":"SAY"', 'not_json'],
    ['[]', 'not_a_frame'],
    ['null', 'not_a_frame'],
    ['"HELLO"', 'not_a_frame'],
    ['{}', 'not_a_frame'],
    ['{"type":7}', 'not_a_frame'],
    ['{"__proto__":{"type":"HELLO"}}', 'not_a_frame'],
    ['{"type":"hello"}', 'unknown_type'],
    ['{"type":"constructor"}', 'unknown_type'],
    ['{"type":"__proto__"}', 'unknown_type'],
  ])('%s is refused: %s', (text, code) => {
    expect(problemOf(text)).toMatchObject({ code });
  });

  test.each([
    [{ type: 'APPROVE', target: 'call_1' }, 'missing_field', 'ref'],
    [{ type: 'SAY', ref: 's' }, 'missing_field', 'text'],
    [{ type: 'JOIN', ref: 'j' }, 'missing_field', 'session'],
    [{ type: 'HELLO', as: 'ann' }, 'unknown_field', 'as'],
    [{ type: 'CANCEL', ref: 'c', target: 't', focre: true }, 'unknown_field', 'focre'],
    [{ type: 'CANCEL', ref: 'c', target: 't', owner: 'ann' }, 'unknown_field', 'owner'],
    [{ type: 'CANCEL', ref: 'c', target: '' }, 'bad_field', 'target'],
    [{ type: 'CANCEL', ref: 'c', target: 't', force: 'yes' }, 'bad_field', 'force'],
    [{ type: 'CANCEL', ref: 'c d', target: 't' }, 'bad_field', 'ref'],
    [{ type: 'JOIN', ref: 'j', session: 'a b' }, 'bad_field', 'session'],
    [{ type: 'JOIN', ref: 'j', session: 'a', after: -1 }, 'bad_field', 'after'],
    [{ type: 'JOIN', ref: 'j', session: 'a', after: 0.5 }, 'bad_field', 'after'],
    [{ type: 'JOIN', ref: 'j', session: 'a', last: 0 }, 'bad_field', 'last'],
    [{ type: 'JOIN', ref: 'j', session: 'a', last: 1.5 }, 'bad_field', 'last'],
    [{ type: 'JOIN', ref: 'j', session: 'a', after: 0, last: 1 }, 'bad_field', 'last'],
    [{ type: 'SAY', ref: 's', text: ' \n' }, 'bad_field', 'text'],
    [{ type: 'SAY', ref: 's', text: 'half \ud83d' }, 'bad_field', 'text'],
    [{ type: 'SAY', ref: 's', text: 5 }, 'bad_field', 'text'],
    [{ type: 'APPROVE', ref: 'a' }, 'missing_field', 'target'],
    [{ type: 'APPROVE', ref: 'a', target: 'call_1', text: 'yes' }, 'unknown_field', 'text'],
    [{ type: 'ANSWER', ref: 'a', target: 'call_1' }, 'missing_field', 'text'],
    [{ type: 'ANSWER', ref: 'a', target: 'call_1', text: '' }, 'bad_field', 'text'],
    [{ type: 'PING' }, 'missing_field', 'ref'],
    [{ type: 'SAY', ref: 's', text: null }, 'bad_field', 'text'],
    [{ type: 'SAY', text: 's', options: { temprature: 1 } }, 'unknown_field', 'options.temprature'],
    [{ type: 'SAY', text: 's', options: { temperature: 'hot' } }, 'bad_field', 'options.temperature'],
    [{ type: 'SAY', text: 's', parts: [{ ...image, data: 'x' }] }, 'unknown_field', 'parts[0].data'],
    [{ type: 'SAY', text: 's', parts: [image, { type: 'text' }] }, 'missing_field', 'parts[1].text'],
    [{ type: 'CANCEL', target: 't', says: ['s', ''] }, 'bad_field', 'says[1]'],
    [{ type: 'ANSWER', ref: 'a', target: 't', values: { a: null } }, 'bad_field', 'values.a'],
  ])('%o: %s of %s, and the field is named', (frame, code, field) => {
    expect(problemOf(json(frame))).toMatchObject({ code, field });
    expect(problemOf(json(frame))?.message).toContain(field);
  });

  test('a passed limit is named with its number', () => {
    const long = json({ type: 'CANCEL', ref: 'c', target: 't', reason: 'x'.repeat(501) });
    expect(problemOf(long)).toMatchObject({ code: 'bad_field', field: 'reason', limit: 500 });
    expect(problemOf(json({ type: 'JOIN', ref: 'j', session: 'a', after: -1 }))).toMatchObject({ limit: 0 });
    const as = 'x'.repeat(129);
    expect(problemOf(json({ type: 'SAY', text: 'hi', as }))).toMatchObject({ field: 'as', limit: 128 });
  });

  test('a value of another type is past no limit', () => {
    const problem = problemOf(json({ type: 'PING', ref: [] }));
    expect(problem).toEqual({
      code: 'bad_field',
      field: 'ref',
      message: 'The field "ref" must be a text, not a list.',
    });
  });

  test('only where a number must be whole the message says so, and it names the fields that a part has', () => {
    const messageOf = (more: object) => problemOf(json({ type: 'SAY', text: 'hi', ...more }))?.message;
    expect(messageOf({ options: { temperature: 'hot' } })).toContain('must be a number, not "hot"');
    expect(messageOf({ options: { maxOutputTokens: 'all' } })).toContain('must be a whole number, not "all"');
    expect(messageOf({ parts: [{ type: 'text', text: 'x', blob: 'y' }] })).not.toContain('There are .');
  });

  test('an own key named __proto__ is an unknown field, and changes no prototype', () => {
    const text = '{"type":"SAY","ref":"s","text":"hi","__proto__":{"as":"root"}}';
    expect(problemOf(text)).toMatchObject({ code: 'unknown_field', field: '__proto__' });
    expect(({} as Record<string, unknown>)['as']).toBeUndefined();
  });

  test('the ref comes back where it can be read', () => {
    expect(decodeClientFrame('{"type":"SAY","ref":"s7"}')).toMatchObject({ ok: false, ref: 's7' });
    expect(decodeClientFrame('{"type":"NO","ref":"s7"}')).toMatchObject({ ok: false, ref: 's7' });
    expect(decodeClientFrame('{"type":"SAY","ref":7}')).not.toHaveProperty('ref');
  });

  test('a field name or type that a stranger made long is not sent back whole', () => {
    expect(problemOf(json({ type: 'X'.repeat(10_000) }))?.message.length).toBeLessThan(200);
    expect(problemOf(json({ type: 'HELLO', ['y'.repeat(10_000)]: 1 }))?.message.length).toBeLessThan(200);
  });

  // -- whatever comes

  const type = fc.constantFrom('HELLO', 'JOIN', 'SAY', 'CANCEL', 'APPROVE', 'ANSWER', 'LEAVE', 'PING', 'toString', '');
  const key = fc.oneof(
    fc.constantFrom('ref', 'session', 'text', 'target', 'as', 'after', 'force', 'token', '__proto__'),
    fc.string(),
  );
  const nearly = fc
    .tuple(type, fc.array(fc.tuple(key, fc.jsonValue())))
    .map(([name, fields]) => `{"type":${json(name)}${fields.map(([k, v]) => `,${json(k)}:${json(v)}`).join('')}}`);

  test('random JSON never throws, and every refusal has a name [ws.protocol]', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.oneof(nearly, fc.json(), fc.string()), (text) => {
        const decoded = decodeClientFrame(text);
        if (decoded.ok) return;
        seen.add(decoded.problem.code);
        expect(Object.keys(frameErrorCodes)).toContain(decoded.problem.code);
        expect(decoded.problem.message).not.toBe('');
      }),
      { numRuns: 2_000 },
    );
    expect(seen.size).toBeGreaterThan(4);
  });

  test('nesting without end is refused, not followed', () => {
    expect(problemOf('['.repeat(60_000))).toMatchObject({ code: 'not_json' });
    expect(problemOf(`{"type":"SAY","ref":"s","text":${'['.repeat(20_000)}${']'.repeat(20_000)}}`)).not.toBeNull();
  });
});
