// The conversation that the scripted endpoint plays by itself.
import { expect, test } from 'vitest';
import type { WireMessage, WireRequest, WireTool } from '../../../src/cli/scripted/reply.ts';
import { tour, tourPace } from '../../../src/cli/scripted/tour.ts';

const tool = (name: string, ...properties: string[]): WireTool => ({
  function: { name, parameters: { properties: Object.fromEntries(properties.map((each) => [each, {}])) } },
});
const tools = [
  tool('list_files', 'path'),
  tool('shell', 'command'),
  tool('spawn_agent', 'task', 'agent'),
  tool('read_file', 'path'),
];
const user = (content: string): WireMessage => ({ role: 'user', content });
const play = (messages: readonly WireMessage[], declared = tools) => tour({ messages, tools: declared } as WireRequest);
const seconds = (text = '') => text.length / tourPace.chunkChars / tourPace.chunksPerSecond;

/** What the model's answer looks like in the next request, with `results` for its calls. */
function continued(messages: readonly WireMessage[], results: readonly string[]): WireMessage[] {
  const { text = '', calls = [] } = play(messages);
  return [
    ...messages,
    {
      role: 'assistant',
      content: text,
      ...(calls.length > 0 && {
        tool_calls: calls.map(({ name, arguments: args }, i) => ({
          id: `c${i}`,
          type: 'function',
          function: { name, arguments: JSON.stringify(args) },
        })),
      }),
    },
    ...results.map((content, i) => ({ role: 'tool', tool_call_id: `c${i}`, content })),
  ];
}

const cancelled = JSON.stringify({ status: 'cancelled', cancelled: true, effect: 'unknown' });
const unstarted = JSON.stringify({ status: 'interrupted_before_start', cancelled: true, effect: 'not_started' });
const start = [user('Please research this and run the build.')];

test('every turn begins by saying that it is scripted', () => {
  for (const words of ['hello', 'what is the weather?', 'research this and run the build']) {
    expect(play([user(words)]).text).toMatch(/^\(scripted model\) /);
  }
});

test('research and build: a sentence, three parallel calls, and an answer from their results', () => {
  const { text, calls } = play(start);
  expect(seconds(text)).toBeGreaterThan(1);
  expect(calls?.map((call) => call.name)).toEqual(['list_files', 'shell', 'spawn_agent']);
  const answer = play(continued(start, ['notes.md', 'build finished', 'My report.']));
  expect(answer.calls).toEqual([]);
  expect(answer.text).toContain('shell answered "build finished"');
});

test('the agent that it delegates to calls tools of its own, then reports', () => {
  const task = play(start).calls?.find((call) => call.name === 'spawn_agent')?.arguments as { task: string };
  const agent = [{ role: 'system', content: 'You are an agent.' }, user(task.task)];
  expect(play(agent).calls?.map((call) => call.name)).toEqual(['read_file', 'list_files']);
  const report = play(continued(agent, ['# Notes', 'todo.txt']));
  expect(report.calls).toEqual([]);
  expect(seconds(report.text)).toBeGreaterThan(4);
});

test('only what the request declares is called', () => {
  expect(play(start, []).calls).toEqual([]);
  expect(play(start, [tool('shell', 'command')]).calls?.map((call) => call.name)).toEqual(['shell']);
  expect(play(start, [tool('list_files')]).calls).toEqual([{ name: 'list_files', arguments: {} }]);
});

test('after an interruption it says from the history what was left undone', () => {
  const stopped = continued(start, ['how to cancel a build', cancelled, unstarted]);
  const { text, calls } = play([...stopped, user('What happened?')]);
  expect(calls).toEqual([]);
  expect(text).toContain('list_files had come to an end');
  expect(text).toContain('shell and spawn_agent did not finish');
  expect(text).toContain('Please research this and run the build.');
});

test.each<WireMessage[]>([
  [{ role: 'assistant', content: 'You said' }, { role: 'system', content: 'Interrupted by ann.' }, user('And?')],
  [{ role: 'assistant', content: 'You said [cut off: cancelled by ann]' }, user('And?')],
  [{ role: 'assistant', content: 'You said' }, user('[The last turn was interrupted.] And?')],
])('after its own words were cut off it says so, wherever the note stands', (...messages) => {
  expect(play([user('Tell me.'), ...messages]).text).toContain('only my own words were cut off');
});

test('words that merely speak of stopping are no interruption', () => {
  const talked = continued([user('What is the weather?')], []);
  expect(play([...talked, user('And tomorrow?')]).text).toContain('You said "And tomorrow?"');
});

test('of a call that was stopped alone it speaks in the same turn', () => {
  const { text } = play(continued(start, ['notes.md', cancelled, 'My report.']));
  expect(text).toContain('shell was stopped (cancelled). spawn_agent answered "My report."');
});

test('an interruption is spoken of once', () => {
  const stopped = continued(start, ['notes.md', cancelled, cancelled]);
  const later = continued([...stopped, user('What happened?')], []);
  expect(play([...later, user('Go on.')]).text).not.toContain('was stopped, so');
});

test('anything else is an answer that is long enough to be stopped', () => {
  expect(seconds(play([user('What is the weather?')]).text)).toBeGreaterThan(5);
});
