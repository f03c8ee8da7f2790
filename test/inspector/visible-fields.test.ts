// The visible fields of a record: named fields of known events, each value from a closed set, a number or an id.
import { expect, test } from 'vitest';
import { contextFields, eventFields } from '../../src/inspector/machine-fields.ts';
import { maxIdChars, maxTextChars } from '../../src/inspector/visible-fields.ts';
import { cancelOf } from '../support/statechart.ts';

const lengths = { data: 'lengths' } as const;

test('an unknown event has no visible field, whatever it carries', () => {
  const event = { type: 'NEW_EVENT', text: 'x', node: 'turn_1', kind: 'completed', reason: 'x', by: { id: 'a' } };
  expect(eventFields(event, lengths, 'turn_1')).toEqual({});
  expect(eventFields({ ...event, type: 'toString' }, lengths, null)).toEqual({});
  expect(eventFields({ ...event, type: 'xstate.init', input: event }, lengths, null)).toEqual({});
  expect(eventFields({ ...event, type: 'xstate.error.actor.call_1', error: new Error('x') }, lengths, null)).toEqual(
    {},
  );
});

test('a field has a value only where that is of its set', () => {
  const outcome = {
    kind: 'my words',
    effect: ['my words'],
    code: 'my words',
    ms: 'my words',
    forced: 'my words',
    output: { my: 'words' },
  };
  expect(eventFields({ type: 'OUTCOME', node: 'n', outcome }, lengths, null)).toEqual({ node: 'n' });
  const good = {
    kind: 'failed',
    effect: 'unknown',
    code: 'tool_failed',
    ms: 5,
    forced: true,
    output: 'four',
    message: '',
  };
  expect(eventFields({ type: 'OUTCOME', node: 'n', outcome: good }, lengths, null)).toEqual({
    ...{ node: 'n', kind: 'failed', effect: 'unknown', code: 'tool_failed', ms: 5, forced: true },
    ...{ outputChars: 4, messageChars: 0 },
  });
  expect(eventFields({ type: 'NODE_CRASHED', node: { id: 'n' } }, lengths, null)).toEqual({});
});

test('each node has its own cause of a plan', () => {
  const { plan } = cancelOf(['a', 'b'], 'deadline');
  plan.stop.get('b');
  const event = { type: 'CANCEL', plan: { ...plan, refused: [{ node: 'c', reason: 'not_owner' }], detached: ['d'] } };
  expect(eventFields(event, lengths, 'a')).toEqual({
    ...{ source: 'deadline', by: 'A', target: 'T', stop: ['a', 'b'], pending: [], refused: ['c'], detached: ['d'] },
  });
  expect(eventFields(event, lengths, 'c'), 'no cause: it runs on').not.toHaveProperty('source');
});

test('the name of a call is visible when it is one that was offered', () => {
  const call = { name: 'shell', owner: 'a', arguments: '{}' };
  expect(contextFields({ call }, lengths)).toEqual({ name: 'shell', owner: 'a', argumentsChars: 2 });
  const unknown = { ...call, name: 'my words', problem: { code: 'unknown_tool', message: 'my words' } };
  expect(contextFields({ call: unknown }, lengths)).toEqual({ owner: 'a', argumentsChars: 2 });
});

test('ids and texts are cut to their limits', () => {
  const long = 'x'.repeat(100_000);
  expect(eventFields({ type: 'TURN_GONE', node: long }, lengths, null)).toEqual({ node: 'x'.repeat(maxIdChars) });
  expect(contextFields({ input: { text: long } }, { data: 'texts' })).toEqual({
    textChars: 100_000,
    text: 'x'.repeat(maxTextChars),
  });
});
