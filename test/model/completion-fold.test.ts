// The fold over chunks, with the differences between endpoints.
import { describe, expect, test } from 'vitest';
import { CompletionFold } from '../../src/model/completion-fold.ts';
import { responseLimits } from '../../src/model/response-limits.ts';

const delta = (fields: unknown, more: object = {}) => ({
  choices: [{ index: 0, delta: fields, finish_reason: null, ...more }],
});
const fragment = (fields: object, text?: string, name?: string) =>
  delta({ tool_calls: [{ ...fields, function: { ...(name !== undefined && { name }), arguments: text } }] });
const finish = (reason: string) => delta({}, { finish_reason: reason });

function folded(...chunks: unknown[]) {
  const fold = new CompletionFold();
  const text = chunks.map((chunk) => fold.addChunk(chunk)).join('');
  return { fold, text, calls: fold.wholeCalls().map((call) => `${call.callId} ${call.name} ${call.arguments}`) };
}

describe('text', () => {
  test('of the first choice alone', () => {
    const chunk = {
      choices: [
        { index: 1, delta: { content: 'other' } },
        { index: 0, delta: { content: 'mine' } },
      ],
    };
    expect(
      folded(chunk, { choices: [{ index: 1, delta: { content: 'other' }, finish_reason: 'stop' }] }),
    ).toMatchObject({
      text: 'mine',
      fold: { finish: null },
    });
  });

  test('in halves of a character', () => {
    expect(folded(delta({ content: '\ud83d' }), delta({ content: '\ude42' })).text).toBe('🙂');
  });

  test('a refusal is text', () => {
    expect(folded(delta({ content: null, refusal: 'I will not.' })).text).toBe('I will not.');
  });

  test('what is not shown counts as generated [history.usage]', () => {
    const { fold, text } = folded(delta({ reasoning_content: 'hmm' }), delta({ reasoning: 'hmm' }));
    expect(text).toBe('');
    expect(fold.chars).toBe(6);
  });
});

describe('calls', () => {
  const first = [
    fragment({ index: 0, id: 'a' }, '', 'look'),
    fragment({ index: 0 }, '{"x":'),
    fragment({ index: 0 }, '1}'),
  ];

  test('an open call is not whole, until a later one has started [ladder.turn.generating]', () => {
    expect(folded(...first).calls).toEqual([]);
    expect(folded(...first, fragment({ index: 1, id: 'b' }, '', 'shell')).calls).toEqual(['a look {"x":1}']);
  });

  test('the finish makes all of them whole', () => {
    const { calls } = folded(...first, fragment({ index: 1, id: 'b' }, '{}', 'shell'), finish('tool_calls'));
    expect(calls).toEqual(['a look {"x":1}', 'b shell {}']);
  });

  test('whose fragments come mixed are whole at the finish alone', () => {
    const mixed = [...first, fragment({ index: 1, id: 'b' }, '{', 'shell'), fragment({ index: 0 }, ' ')];
    expect(folded(...mixed).calls).toEqual([]);
    expect(folded(...mixed, fragment({ index: 1 }, '}'), finish('tool_calls')).calls).toEqual([
      'a look {"x":1} ',
      'b shell {}',
    ]);
  });

  test('an empty finish is none', () => {
    const { calls, fold } = folded(...first, finish(''));
    expect(calls).toEqual([]);
    expect(fold.finish).toBeNull();
  });

  test('id and name repeated with every fragment', () => {
    const repeated = ['{"x', '":1}'].map((text) => fragment({ index: 0, id: 'a' }, text, 'look'));
    expect(folded(...repeated, finish('tool_calls')).calls).toEqual(['a look {"x":1}']);
  });

  test('all of them with the index 0, distinguished by their ids', () => {
    const { calls } = folded(
      fragment({ index: 0, id: 'a' }, '{}', 'look'),
      fragment({ index: 0, id: 'b' }, '{"y":', 'shell'),
      fragment({ index: 0 }, '2}'),
      finish('tool_calls'),
    );
    expect(calls).toEqual(['a look {}', 'b shell {"y":2}']);
  });

  test('without an index', () => {
    const { calls } = folded(
      fragment({ id: 'a' }, '{"y":', 'look'),
      fragment({}, '2}'),
      fragment({ id: 'b' }, '{}', 'shell'),
      finish('tool_calls'),
    );
    expect(calls).toEqual(['a look {"y":2}', 'b shell {}']);
  });

  test('without an id get one, and the same id twice stays twice', () => {
    const { calls } = folded(
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
    expect(folded(usage(0, 0)).fold.usage).toBeNull();
    expect(folded(usage(3, 1), usage(3, 2), usage(0, 0)).fold.usage).toEqual({ kind: 'exact', input: 3, output: 2 });
  });
});

describe('a value that is no chunk', () => {
  test.each([null, 7, 'x', [], {}, { choices: 'many' }, { error: null }])('%j is skipped', (chunk) => {
    expect(folded(chunk)).toMatchObject({ text: '', fold: { hasStarted: false, finish: null } });
  });

  test.each([
    { choices: [] },
    { choices: [null] },
    { choices: [{ delta: null }] },
    { choices: [{ delta: { content: 5, tool_calls: {} } }] },
    { choices: [{ delta: { tool_calls: [null, { function: 'f' }] } }] },
  ])('%j breaks nothing', (chunk) => {
    expect(folded(chunk)).toMatchObject({ text: '', fold: { hasStarted: true, finish: null } });
  });
});

describe('limits [history.bounded]', () => {
  const rejected = (...chunks: unknown[]) => expect(() => folded(...chunks)).toThrow(/over the limit max/);
  test('of text', () => rejected(delta({ content: 'x'.repeat(responseLimits.maxTextChars) }), delta({ content: 'y' })));
  test('of arguments', () => rejected(fragment({ index: 0 }, 'x'.repeat(responseLimits.maxArgumentsChars + 1))));
  test('of calls', () =>
    rejected(...Array.from({ length: responseLimits.maxCalls + 1 }, (_, index) => fragment({ index }, '{}', 'f'))));
});
