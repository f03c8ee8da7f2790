// The conversation that the scripted endpoint plays without rules.
import { expect, test } from 'vitest';
import { note } from '../../../src/core/transcript/notes.ts';
import {
  matchesRequest,
  type Pace,
  type WireMessage,
  type WireRequest,
  type WireTool,
} from '../../../src/programs/scripted/reply.ts';
import { tour, tourPace } from '../../../src/programs/scripted/tour.ts';
import { tourFiles } from '../../../src/programs/scripted/tour-files.ts';

const tool = (name: string, ...properties: string[]): WireTool => ({
  function: { name, parameters: { properties: Object.fromEntries(properties.map((each) => [each, {}])) } },
});
const tools = [
  tool('list_files', 'path'),
  tool('shell', 'command', 'cwd'),
  tool('run_code', 'language', 'code', 'cwd'),
  tool('spawn_agent', 'task', 'agent'),
  tool('read_file', 'path'),
];
const user = (content: string): WireMessage => ({ role: 'user', content });
const play = (messages: readonly WireMessage[], declared = tools) => tour({ messages, tools: declared } as WireRequest);
const seconds = (text = '', { chunkChars = 1, chunksPerSecond = 1 }: Pace = tourPace) =>
  text.length / chunkChars / chunksPerSecond;

/** Returns the messages of the next request: the model's response, with `results` for its calls. */
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

test('every reply starts with the note that it is scripted', () => {
  for (const words of ['hello', 'what is the weather?', 'research this and run the build']) {
    expect(play([user(words)]).text).toMatch(/^\(scripted model\) /);
  }
});

test('"research and build" has a sentence, three tools and a sub-agent at once, and a reply from their results', () => {
  const { text, calls } = play(start);
  expect(seconds(text)).toBeGreaterThan(1);
  expect(calls?.map((call) => call.name)).toEqual(['shell', 'run_code', 'shell', 'spawn_agent']);
  // commands in one folder wait for each other: these have a folder each
  const folders = calls?.slice(0, 3).map((call) => (call.arguments as { cwd?: string }).cwd ?? '../project');
  expect(folders?.map((cwd) => cwd.replace('../', ''))).toEqual(Object.keys(tourFiles));
  const answer = play(continued(start, ['build finished', 'case 60 passed', 'pages finished', 'My report.']));
  expect(answer.calls).toEqual([]);
  expect(answer.text).toContain('shell answered "build finished"');
});

test('the sub-agent calls tools of its own, then reports', () => {
  const task = play(start).calls?.find((call) => call.name === 'spawn_agent')?.arguments as { task: string };
  const agent = [{ role: 'system', content: 'You are an agent.' }, user(task.task)];
  expect(play(agent).calls?.map((call) => call.name)).toEqual(['read_file', 'list_files']);
  const report = play(continued(agent, ['# Notes', 'todo.txt']));
  expect(report.calls).toEqual([]);
  expect(seconds(report.text, report.pace), 'time to stop it').toBeGreaterThan(25);
});

test('only tools that the request declares are called', () => {
  expect(play(start, []).calls).toEqual([]);
  expect(play(start, [tool('run_code', 'code')]).calls?.map((call) => call.name)).toEqual(['run_code']);
  expect(play(start, [tool('spawn_agent')]).calls).toEqual([{ name: 'spawn_agent', arguments: {} }]);
});

const stopped =
  'the turn above was stopped by ann ("enough"), before it was finished. Did not run: spawn_agent (call_3).';

test('after an interruption the reply names the unfinished calls, from the note and the results', () => {
  const history = continued(start, [cancelled, 'case 60 passed', cancelled, unstarted]);
  const { text, calls } = play([...history, user(`${note(stopped)}\n\nWhat happened?`)]);
  expect(calls).toEqual([]);
  expect(text).toContain('it was stopped by ann ("enough"), before it was finished.');
  expect(text).toContain('run_code had completed');
  expect(text).toContain('shell and shell were cut off while they ran and may have had effects');
  expect(text).toContain('spawn_agent did not run');
  expect(text).toContain('Please research this and run the build.');
});

test('after an acknowledged stop the script answers the words, and tells of the stop only who asks for it [recover.model]', () => {
  const history = [
    ...continued(start, [cancelled, 'case 60 passed', cancelled, unstarted]),
    user(`${note(stopped)}\n\n${note('the words below told ann that the stop was understood')}`),
    { role: 'assistant', content: '(scripted model) All right, ann, I have stopped.' },
  ];
  expect(play([...history, user('show me a table please')]).text).toMatch(
    /^\(scripted model\) You said "show me a table please"/,
  );
  expect(play([...history, user('hello')]).text).toMatch(/^\(scripted model\) Hello!/);
  for (const words of ['what did you leave undone?', 'what is left?', 'go on'])
    expect(play([...history, user(words)]).text).toContain('My last turn did not finish: it was stopped by ann');
  expect(play([...history, ...start]).text).toMatch(/^\(scripted model\) I start what I have tools for/);
});

test('asked for an acknowledgement, the script says what was stopped, from the words that it is given [recover.model]', () => {
  const asked = note(
    'ann has just stopped work of yours ("enough"). ann had said "build\\nit.". It was stopped by ann, before it was finished. ' +
      'Completed: read_file (call_1). May have had effects: shell (call_2), run_code (call_3). Tell ann now.',
  );
  expect(play([user(asked)])).toMatchObject({
    text: '(scripted model) All right, ann, I have stopped what I did on "build it.". Done by then: read_file. Stopped half way: shell, run_code.',
  });
});

test('asked to take a turn up again, the script says which turn, and what it is told about it [recover.model]', () => {
  const asked = note(
    'ann has asked to take up again the turn turn_1. The turn turn_1, in which ann said "run the build". ' +
      'Completed: read_file (call_1) of spawn_agent (call_3) with "{\\"path\\":\\"notes.md\\"}". May have had effects: shell (call_2). Go on from what completed.',
  );
  const { text, calls } = play([user(asked)]);
  expect(text).toContain('(scripted model) I am asked to take up "run the build" again.');
  expect(text).toContain('Completed before the end: read_file. May have had effects: shell.');
  expect(text).not.toContain('Note by the runtime');
  expect(calls?.map((call) => call.name)).toEqual(['shell', 'run_code', 'shell', 'spawn_agent']);
  const withWords = play([user(`${asked}\n\nbut leave the pages alone`)]);
  expect(withWords.text).toContain(
    'I am asked to take up "run the build" again, with the words "but leave the pages alone".',
  );
  expect(withWords.calls?.map((call) => call.name)).toEqual(['shell', 'run_code', 'shell', 'spawn_agent']);
});

const crashed = note(
  'the turn above ended early (failed: The process that ran this ended before it settled.). Do not take any of it up again unasked: ' +
    'whether to try again, to go another way or to leave it is for the speakers to say.',
);
const lost = (effect: string) => JSON.stringify({ status: 'failed', effect, message: 'It ended.', code: 'crash' });

test('after a crash the reply names what was left undone, whatever is said; the same words start it again, and say so, too [recover.model]', () => {
  const history = continued(start, [lost('unknown'), 'case 60 passed', lost('not_started'), lost('unknown')]);
  for (const words of ['What happened?', 'hello', 'Paint the fence.']) {
    const { text, calls } = play([...history, user(`${crashed}\n\n${words}`)]);
    expect(calls).toEqual([]);
    expect(text).toContain('it ended early (failed: The process that ran this ended before it settled).');
    expect(text).toContain('run_code had completed');
    expect(text).toContain('shell and spawn_agent were cut off while they ran and may have had effects');
    expect(text).toContain('shell did not run');
    expect(text).toContain('Please research this and run the build.');
  }
  const again = play([...history, user(`${crashed}\n\nresearch this and run the build`)]);
  expect(again.text).toContain('shell and spawn_agent were cut off while they ran');
  expect(again.calls).toHaveLength(4);
});

test('after a crash before the first word the reply reads the words that stand in one message with the note [recover.model]', () => {
  const { text, calls } = play([user(`research this and run the build\n\n${crashed}\n\nwhat happened?`)]);
  expect(text).toContain('You had said "research this and run the build".');
  expect(text).toContain('No tool had been called');
  expect(calls).toEqual([]);
});

test('the reply says that the words before a crash were cut off', () => {
  const history = [...start, { role: 'assistant', content: '(scripted model) I start… [cut off here]' }];
  expect(play([...history, user(`${crashed}\n\nAnd now?`)]).text).toContain('my words were cut off');
});

test('after an acknowledgement the reply finds the interruption before it', () => {
  const acknowledged = note('the words below told ann that the stop was understood');
  const history = [...start, user(`${note(stopped)}\n\n${acknowledged}`), { role: 'assistant', content: 'All right.' }];
  expect(play([...history, user('What happened?')]).text).toContain('it was stopped by ann ("enough")');
});

test('after an interruption before the first word the reply says so too', () => {
  const { text } = play([user('Tell me.'), user(`${note(stopped)}\n\nAnd?`)]);
  expect(text).toContain('You had said "Tell me."');
  expect(text).toContain('No tool had been called');
});

test('the words of the user are separated from the notes before them', () => {
  const notes = `${note('ann has said "hello", which is being answered by itself')}\n\n${note('more')}\n\n`;
  expect(play([user(`${notes}What is the weather?`)]).text).toContain('You said "What is the weather?"');
  expect(matchesRequest({ user: 'hello' }, { messages: [user(`${notes}What?`)] })).toBe(false);
  expect(matchesRequest({ user: 'What?' }, { messages: [user(`${notes}What?`)] })).toBe(true);
});

test('the reply of the same turn names a call that was stopped alone', () => {
  const { text } = play(continued(start, ['build finished', 'passed', cancelled, 'My report.']));
  expect(text).toContain('shell was stopped (cancelled). spawn_agent answered "My report."');
});

test('an interruption is mentioned once', () => {
  const history = continued(start, ['build finished', cancelled, cancelled, cancelled]);
  const later = continued([...history, user(`${note(stopped)}\n\nWhat happened?`)], []);
  expect(play([...later, user('Go on.')]).text).toContain('You said "Go on."');
});

test('every other question gets a reply that is long enough to be stopped', () => {
  expect(seconds(play([user('What is the weather?')]).text)).toBeGreaterThan(5);
});
