// What a record may show: named fields of known events, each value from a closed set, a number or an id.
import { expect, test } from 'vitest';
import { maxIdChars, maxTextChars, showContext, showEvent } from '../../src/inspector/visible-fields.ts';
import { cancelOf } from '../support/statechart.ts';

const lengths = { data: 'lengths' } as const;

test('an event that is not known shows nothing, whatever it carries', () => {
  const event = { type: 'NEW_EVENT', text: 'x', node: 'turn_1', kind: 'completed', reason: 'x', by: { id: 'a' } };
  expect(showEvent(event, lengths, 'turn_1')).toEqual({});
  expect(showEvent({ ...event, type: 'toString' }, lengths, null)).toEqual({});
  expect(showEvent({ ...event, type: 'xstate.init', input: event }, lengths, null)).toEqual({});
  expect(showEvent({ ...event, type: 'xstate.error.actor.call_1', error: new Error('x') }, lengths, null)).toEqual({});
});

test('a field shows only what it may hold', () => {
  const outcome = {
    kind: 'my words',
    effect: ['my words'],
    code: 'my words',
    ms: 'my words',
    forced: 'my words',
    output: { my: 'words' },
  };
  expect(showEvent({ type: 'OUTCOME', node: 'n', outcome }, lengths, null)).toEqual({ node: 'n' });
  const good = {
    kind: 'failed',
    effect: 'unknown',
    code: 'tool_failed',
    ms: 5,
    forced: true,
    output: 'four',
    message: '',
  };
  expect(showEvent({ type: 'OUTCOME', node: 'n', outcome: good }, lengths, null)).toEqual({
    ...{ node: 'n', kind: 'failed', effect: 'unknown', code: 'tool_failed', ms: 5, forced: true },
    ...{ outputChars: 4, messageChars: 0 },
  });
  expect(showEvent({ type: 'NODE_CRASHED', node: { id: 'n' } }, lengths, null)).toEqual({});
});

test('each node is shown its own cause of a plan', () => {
  const { plan } = cancelOf(['a', 'b'], 'deadline');
  plan.stop.get('b');
  const event = { type: 'CANCEL', plan: { ...plan, refused: [{ node: 'c', reason: 'not_owner' }], detached: ['d'] } };
  expect(showEvent(event, lengths, 'a')).toEqual({
    ...{ source: 'deadline', by: 'A', target: 'T', stop: ['a', 'b'], pending: [], refused: ['c'], detached: ['d'] },
  });
  expect(showEvent(event, lengths, 'c'), 'no cause: it runs on').not.toHaveProperty('source');
});

test('the name of a call is shown when it is one that was offered', () => {
  const call = { name: 'shell', owner: 'a', arguments: '{}' };
  expect(showContext({ call }, lengths)).toEqual({ name: 'shell', owner: 'a', argumentsChars: 2 });
  const unknown = { ...call, name: 'my words', problem: { code: 'unknown_tool', message: 'my words' } };
  expect(showContext({ call: unknown }, lengths)).toEqual({ owner: 'a', argumentsChars: 2 });
});

test('ids and texts are cut to their bounds', () => {
  const long = 'x'.repeat(100_000);
  expect(showEvent({ type: 'TURN_GONE', node: long }, lengths, null)).toEqual({ node: 'x'.repeat(maxIdChars) });
  expect(showContext({ text: long }, { data: 'texts' })).toEqual({
    textChars: 100_000,
    text: 'x'.repeat(maxTextChars),
  });
});
