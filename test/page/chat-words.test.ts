// Words and numbers of the chat: titles, durations and their colors, tokens and cost, entities, fields of a question.
import { expect, test } from 'vitest';
import { titleOf } from '../../src/client/view/call-title.ts';
import { paceOf } from '../../src/client/view/pace.ts';
import { costText, tokensText, usageText } from '../../src/client/view/usage-text.ts';
import { decodeEntities } from '../../src/core/text/decode-entities.ts';
import { durationText, runningText } from '../../src/core/words/durations.ts';
import { askedFields, valuesOf } from '../../src/page/chat-view/asked-fields.ts';

const node = { id: 'call_1', kind: 'tool-call', name: 'shell' } as never; // a title reads the name only

test.each([
  ['{"command":"npm  test\\n --all"}', 'npm test --all'],
  ['{"cwd":"../pages","command":"make"}', '../pages: make'],
  ['{"limit":3,"query":"belay"}', 'belay'],
  ['{"limit":3}', '3'],
  ['{"command":"npm te', '{"command":"npm te'],
  ['{}', ''],
  [null, ''],
])('the title of a call with the arguments %s has the detail "%s"', (text, detail) => {
  expect(titleOf({ node, arguments: text })).toEqual({ name: 'shell', detail });
});

test('a long detail is one line of 80 characters', () => {
  const { detail } = titleOf({ node, arguments: JSON.stringify({ command: 'x'.repeat(200) }) });
  expect(detail).toHaveLength(80);
  expect(detail.endsWith('…')).toBe(true);
});

test('the seconds of a call are green under 10 s, amber to 30 s, red past it', () => {
  expect([0, 9_999, 10_000, 30_000, 30_001].map(paceOf)).toEqual(['fast', 'fast', 'slow', 'slow', 'long']);
});

test('durations', () => {
  expect([0, 59_900, 65_000, 3_900_000].map(runningText)).toEqual(['0 s', '59 s', '1 min 05 s', '1 h 5 min']);
  expect([48, 3_140, 65_000].map(durationText)).toEqual(['48 ms', '3.1 s', '1 min 05 s']);
});

test('tokens and cost', () => {
  expect([940, 1_240, 2_300_000].map(tokensText)).toEqual(['940', '1.2k', '2.3M']);
  expect([0, 0.0041, 1.5].map(costText)).toEqual(['$0', '$0.0041', '$1.50']);
  expect(usageText({ kind: 'exact', input: 310, output: 24, cost: 0.004 })).toBe('310 tokens in, 24 out, $0.0040');
  expect(usageText({ kind: 'unknown', input: null, output: null })).toBe('');
});

test('entities that are known become characters, once', () => {
  expect(decodeEntities('a &lt;b&gt; &amp;lt; &#169; &#xA9; &nope; &#0;')).toBe('a <b> &lt; © © &nope; &#0;');
});

test('the fields of a question, and what is typed into them', () => {
  const fields = askedFields({
    type: 'object',
    required: ['host'],
    properties: {
      host: { type: 'string', title: 'Host' },
      port: { type: 'integer', default: 80 },
      secure: { type: 'boolean' },
      tags: { type: 'array' },
      mode: { type: 'string', enum: ['a', 'b'] },
    },
  });
  expect(fields.map(({ name, kind, isRequired }) => [name, kind, isRequired])).toEqual([
    ['host', 'text', true],
    ['port', 'number', false],
    ['secure', 'boolean', false],
    ['tags', 'list', false],
    ['mode', 'text', false],
  ]);
  expect(valuesOf(fields, { host: 'db-2', secure: 'yes', tags: 'x, y' })).toEqual({
    host: 'db-2',
    port: 80,
    secure: true,
    tags: ['x', 'y'],
  });
});
