// The scripted endpoint rejects the messages that a provider rejects.
import { expect, test } from 'vitest';
import { findRejection } from '../../../src/programs/scripted/pairing.ts';
import type { WireMessage } from '../../../src/programs/scripted/reply.ts';

const user: WireMessage = { role: 'user', content: 'Look.' };
const said: WireMessage = { role: 'assistant', content: 'Yes.' };
const called = (...ids: string[]): WireMessage => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } })),
});
const result = (id: string): WireMessage => ({ role: 'tool', tool_call_id: id, content: 'a wall' });

test.each<[string, WireMessage[]]>([
  ['nothing', []],
  ['words', [user, said, user]],
  ['a pair', [user, called('a'), result('a'), user]],
  ['results in another order', [user, called('a', 'b'), result('b'), result('a')]],
  ['the same id in two rounds', [user, called('a'), result('a'), called('a'), result('a')]],
])('accepted: %s', (_, messages) => {
  expect(findRejection(messages)).toBeNull();
});

const unanswered = /must be followed by tool messages responding to each 'tool_call_id'.*: b$/;
test.each<[string, WireMessage[], RegExp]>([
  ['no result at the end', [user, called('b')], unanswered],
  ['no result before the next words', [user, called('b'), user, result('b')], unanswered],
  ['one result of two', [user, called('a', 'b'), result('a'), said], unanswered],
  ['a result without a call', [user, result('a')], /must be a response to a preceeding message with 'tool_calls'/],
  ['a result after other words', [user, called('a'), result('a'), said, result('a')], /preceeding message/],
  ['a result of another call', [user, called('a'), result('x')], /'tool_call_id' of 'x' not found/],
  [
    'two results of one call',
    [user, called('a'), result('a'), result('a')],
    /Duplicate value for 'tool_call_id' of 'a'/,
  ],
  ['two calls with one id', [user, called('a', 'a'), result('a'), result('a')], /Duplicate value/],
  ['an empty list of calls', [user, { ...said, tool_calls: [] }], /empty array/],
  ['words that are null', [{ role: 'assistant', content: null }], /expected a string, got null/],
  [
    'an invalid name',
    [{ ...called('a'), tool_calls: [{ id: 'a', function: { name: 'a b', arguments: '' } }] }],
    /pattern/,
  ],
  ['an unknown role', [{ role: 'robot', content: '' }], /'robot'/],
])('refused: %s', (_, messages, message) => {
  expect(findRejection(messages)?.message).toMatch(message);
});
