// The reader of chat completions, with the differences between endpoints.
import { describe, expect, test } from 'vitest';
import { CompletionReader } from '../../../src/adapters/models/chat/completion-reader.ts';
import { families } from '../../../src/adapters/models/chat/families.ts';
import { responseLimits } from '../../../src/adapters/models/response-limits.ts';

const delta = (fields: unknown, more: object = {}) => ({
  choices: [{ index: 0, delta: fields, finish_reason: null, ...more }],
});
const fragment = (fields: object, text?: string, name?: string) =>
  delta({ tool_calls: [{ ...fields, function: { ...(name !== undefined && { name }), arguments: text } }] });
const finish = (reason: string) => delta({}, { finish_reason: reason });

function read(...chunks: unknown[]) {
  let text = '';
  const reader = new CompletionReader({ messages: [], tools: [] }, families.unknown, {
    signal: new AbortController().signal,
    onText(piece) {
      text += piece;
    },
  });
  for (const chunk of chunks) reader.addEvent(chunk);
  return { reader, text, calls: reader.wholeCalls().map((call) => `${call.callId} ${call.name} ${call.arguments}`) };
}

describe('text', () => {
  test('of the first choice alone', () => {
    const chunk = {
      choices: [
        { index: 1, delta: { content: 'other' } },
        { index: 0, delta: { content: 'mine' } },
      ],
    };
    expect(read(chunk, { choices: [{ index: 1, delta: { content: 'other' }, finish_reason: 'stop' }] })).toMatchObject({
      text: 'mine',
      reader: { isFinished: false },
    });
  });

  test('in halves of a character', () => {
    expect(read(delta({ content: '\ud83d' }), delta({ content: '\ude42' })).text).toBe('🙂');
  });

  test('a refusal is text', () => {
    expect(read(delta({ content: null, refusal: 'I will not.' })).text).toBe('I will not.');
  });

  test('what is not shown counts as generated [history.usage]', () => {
    const { reader, text } = read(delta({ reasoning_content: 'hmm' }), delta({ reasoning: 'hmm' }));
    expect(text).toBe('');
    expect(reader.usage()).toEqual({ kind: 'estimated', input: 1, output: 2 });
  });
});

describe('calls', () => {
  const first = [
    fragment({ index: 0, id: 'a' }, '', 'look'),
    fragment({ index: 0 }, '{"x":'),
    fragment({ index: 0 }, '1}'),
  ];

  test('an open call is not whole, until a later one has started [ladder.turn.generating]', () => {
    expect(read(...first).calls).toEqual([]);
    expect(read(...first, fragment({ index: 1, id: 'b' }, '', 'shell')).calls).toEqual(['a look {"x":1}']);
  });

  test('the finish makes all of them whole', () => {
    const { calls } = read(...first, fragment({ index: 1, id: 'b' }, '{}', 'shell'), finish('tool_calls'));
    expect(calls).toEqual(['a look {"x":1}', 'b shell {}']);
  });

  test('whose fragments come mixed are whole at the finish alone', () => {
    const mixed = [...first, fragment({ index: 1, id: 'b' }, '{', 'shell'), fragment({ index: 0 }, ' ')];
    expect(read(...mixed).calls).toEqual([]);
    expect(read(...mixed, fragment({ index: 1 }, '}'), finish('tool_calls')).calls).toEqual([
      'a look {"x":1} ',
      'b shell {}',
    ]);
  });

  test('an empty finish is none', () => {
    const { calls, reader } = read(...first, finish(''));
    expect(calls).toEqual([]);
    expect(reader.isFinished).toBe(false);
  });

  test('id and name repeated with every fragment', () => {
    const repeated = ['{"x', '":1}'].map((text) => fragment({ index: 0, id: 'a' }, text, 'look'));
    expect(read(...repeated, finish('tool_calls')).calls).toEqual(['a look {"x":1}']);
  });

  test('all of them with the index 0, distinguished by their ids', () => {
    const { calls } = read(
      fragment({ index: 0, id: 'a' }, '{}', 'look'),
      fragment({ index: 0, id: 'b' }, '{"y":', 'shell'),
      fragment({ index: 0 }, '2}'),
      finish('tool_calls'),
    );
    expect(calls).toEqual(['a look {}', 'b shell {"y":2}']);
  });

  test('without an index', () => {
    const { calls } = read(
      fragment({ id: 'a' }, '{"y":', 'look'),
      fragment({}, '2}'),
      fragment({ id: 'b' }, '{}', 'shell'),
      finish('tool_calls'),
    );
    expect(calls).toEqual(['a look {"y":2}', 'b shell {}']);
  });

  test('without an id get one, and the same id twice stays twice', () => {
    const { calls } = read(
      fragment({ index: 0 }, '{}', 'look'),
      fragment({ index: 1, id: '' }, '{}', 'look'),
      fragment({ index: 2, id: 'a' }, '{}', 'look'),
      fragment({ index: 3, id: 'a' }, '{}', 'look'),
      finish('tool_calls'),
    );
    expect(calls).toEqual(['call_0 look {}', 'call_1 look {}', 'a look {}', 'a look {}']);
  });
});

describe('usage [history.usage]', () => {
  const usage = (prompt_tokens: number, completion_tokens: number) => ({
    choices: [],
    usage: { prompt_tokens, completion_tokens },
  });

  test('the last one counts, and zeros say nothing', () => {
    expect(read(usage(0, 0)).reader.usage().kind).toBe('unknown');
    expect(read(usage(3, 1), usage(3, 2), usage(0, 0), finish('stop')).reader.usage()).toEqual({
      kind: 'exact',
      input: 3,
      output: 2,
    });
  });
});

describe('a value that is no chunk', () => {
  test.each([null, 7, 'x', [], {}, { choices: 'many' }, { error: null }])('%j is skipped', (chunk) => {
    expect(read(chunk)).toMatchObject({ text: '', reader: { hasStarted: false, isFinished: false } });
  });

  test.each([
    { choices: [] },
    { choices: [null] },
    { choices: [{ delta: null }] },
    { choices: [{ delta: { content: 5, tool_calls: {} } }] },
    { choices: [{ delta: { tool_calls: [null, { function: 'f' }] } }] },
  ])('%j breaks nothing', (chunk) => {
    expect(read(chunk)).toMatchObject({ text: '', reader: { hasStarted: true, isFinished: false } });
  });
});

describe('limits [history.bounded]', () => {
  const rejected = (...chunks: unknown[]) => expect(() => read(...chunks)).toThrow(/over the limit max/);
  test('of text', () => rejected(delta({ content: 'x'.repeat(responseLimits.maxTextChars) }), delta({ content: 'y' })));
  test('of arguments', () => rejected(fragment({ index: 0 }, 'x'.repeat(responseLimits.maxArgumentsChars + 1))));
  test('of calls', () =>
    rejected(...Array.from({ length: responseLimits.maxCalls + 1 }, (_, index) => fragment({ index }, '{}', 'f'))));
});

describe('a chunk that has only text is read without a search, with the same result', () => {
  const begun = delta({ role: 'assistant', content: 'Yes' });
  const chunks: readonly [name: string, chunk: Record<string, unknown>][] = [
    ['text', delta({ content: ', I do' })],
    ['empty text', delta({ content: '' })],
    ['text beside fields that are null', delta({ content: '.', refusal: null, tool_calls: null }, { logprobs: null })],
    ['a think tag that comes late', delta({ content: '<think>' })],
    ['a refusal', delta({ content: 'a', refusal: 'No.' })],
    ['reasoning', delta({ content: 'a', reasoning_content: 'hmm' })],
    ['a call', delta({ content: 'a', tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '{}' } }] })],
    ['text of the old API', delta({ content: 'a' }, { text: 'b' })],
    ['a finish', delta({ content: 'a' }, { finish_reason: 'length' })],
    ['another choice', { choices: [{ index: 1, delta: { content: 'other' } }] }],
    ['two choices', { choices: [...delta({ content: 'a' }).choices, { index: 1, delta: { content: 'b' } }] }],
    ['usage', { ...delta({ content: 'a' }), usage: { prompt_tokens: 1, completion_tokens: 2 } }],
    ['usage in the choice', delta({ content: 'a' }, { usage: { prompt_tokens: 1, completion_tokens: 2 } })],
    ['usage of Groq', { ...delta({ content: 'a' }), x_groq: { usage: { prompt_tokens: 1, completion_tokens: 2 } } }],
    ['timings of llama.cpp', { ...delta({ content: 'a' }), timings: { prompt_n: 1, predicted_n: 2 } }],
  ];
  /** The chunk with a field that nobody knows, which makes the reader search it. */
  const searched = (chunk: Record<string, unknown>) => ({
    ...chunk,
    choices: (chunk['choices'] as readonly object[]).map((choice) => ({ ...choice, unknown: 1 })),
  });

  test.each(chunks)('%s', (_, chunk) => {
    const [direct, search] = [chunk, searched(chunk)].map((each) => {
      const { reader, text } = read(begun, each, finish('stop'));
      return { text, end: reader.completedEnd() };
    });
    expect(direct).toEqual(search);
    expect(direct?.text.startsWith('Yes')).toBe(true);
  });
});
