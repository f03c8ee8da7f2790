// The visible fields of a record: named fields of known events, each value from a closed set, a number or an id.
import { expect, test } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { connectionMachine } from '../../machines/connection.ts';
import { sessionMachine } from '../../machines/session.ts';
import { speechMachine } from '../../machines/speech.ts';
import { subAgentMachine } from '../../machines/sub-agent.ts';
import { toolCallMachine } from '../../machines/tool-call.ts';
import { turnMachine } from '../../machines/turn.ts';
import { contextFields, describedEvents, eventFields } from '../../src/inspector/machine-fields.ts';
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

const charts: readonly AnyStateMachine[] = [
  sessionMachine,
  turnMachine,
  toolCallMachine,
  subAgentMachine,
  speechMachine,
  connectionMachine,
];

test.each(charts.map((chart) => [chart.id, chart] as const))('each event of the chart %s is described', (_, chart) => {
  const types = (chart.events as readonly string[]).filter((type) => !type.startsWith('xstate.'));
  expect(types).toContain('CANCEL');
  expect(types.filter((type) => !describedEvents.has(type))).toEqual([]);
});

test('of a frame to a connection its session, its target and lengths are visible; of HELLO nothing is', () => {
  expect(eventFields({ type: 'HELLO', token: 'secret' }, { data: 'texts' }, null)).toEqual({});
  expect(eventFields({ type: 'SAY', ref: 'r', session: 'room', text: 'words', as: 'ann' }, lengths, null)).toEqual({
    session: 'room',
    textChars: 5,
    as: 'ann',
  });
  expect(
    eventFields(
      { type: 'CANCEL', ref: 'r', session: 'room', target: 'mine', reason: 'words', force: true },
      lengths,
      null,
    ),
  ).toEqual({ session: 'room', target: 'mine', reasonChars: 5, force: true });
  expect(eventFields({ type: 'READ', session: 'room', resource: 'words', prompt: 'words' }, lengths, null)).toEqual({
    session: 'room',
  });
  const transcript = { type: 'TRANSCRIPT', session: 'room', as: 'ann', text: 'words', final: true, confidence: 0.5 };
  expect(eventFields(transcript, lengths, null)).toEqual({
    session: 'room',
    as: 'ann',
    textChars: 5,
    final: true,
    confidence: 0.5,
  });
});

test('of an event to the machine of speech the turn and the speaker are visible', () => {
  const bargeIn = { type: 'BARGE_IN', id: 'b', by: { id: 'ann' }, durationMs: 50, spoken: { turn: 't', owner: 'bob' } };
  expect(eventFields(bargeIn, lengths, null)).toEqual({ by: 'ann', durationMs: 50, turn: 't' });
  expect(eventFields({ type: 'CANCEL', turn: 't', by: 'ann', isSpoken: true }, lengths, null)).toEqual({
    turn: 't',
    by: 'ann',
  });
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
    node: 'n',
    kind: 'failed',
    effect: 'unknown',
    code: 'tool_failed',
    ms: 5,
    forced: true,
    outputChars: 4,
    messageChars: 0,
  });
  expect(eventFields({ type: 'NODE_CRASHED', node: { id: 'n' } }, lengths, null)).toEqual({});
});

test('each node has its own cause of a plan', () => {
  const { plan } = cancelOf(['a', 'b'], 'deadline');
  plan.stop.get('b');
  const event = { type: 'CANCEL', plan: { ...plan, refused: [{ node: 'c', reason: 'not_owner' }], detached: ['d'] } };
  expect(eventFields(event, lengths, 'a')).toEqual({
    source: 'deadline',
    by: 'A',
    target: 'T',
    stop: ['a', 'b'],
    pending: [],
    refused: ['c'],
    detached: ['d'],
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
