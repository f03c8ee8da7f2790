// One wording for the issues of a schema: the field, what it must be, the limit, and nothing that may be a secret.
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { nearestWord } from '../../../src/core/text/nearest-word.ts';
import { describeIssue, issueLine, issueLines } from '../../../src/core/text/schema-issue.ts';

const schema = z.strictObject({
  name: z.string().max(5).optional(),
  count: z.int().min(1).max(9).optional(),
  list: z.array(z.enum(['a', 'b'])).optional(),
  word: z.string().min(3, 'Three letters at least, please').optional(),
  key: z.string().startsWith('k', 'must begin with k').optional(),
});
const lineOf = (value: unknown) =>
  issueLine(describeIssue(schema, value, schema.safeParse(value).error?.issues ?? []), 'root');

describe('describeIssue', () => {
  test.each([
    [{ name: 'secret' }, 'root.name: must have at most 5 characters'],
    [{ name: 7 }, 'root.name: must be a text, not a number'],
    [{ count: 0 }, 'root.count: must be at least 1, not 0'],
    [{ count: 1.5 }, 'root.count: must be a whole number, not 1.5'],
    [{ count: 'x'.repeat(99) }, `root.count: must be a whole number, not "${'x'.repeat(40)}…"`],
    [{ list: ['a', 'c'] }, 'root.list[1]: must be a or b, not "c"'],
    [{ conut: 1 }, 'root.conut: there is no such field. Did you mean count?'],
    [{ other: 1 }, 'root.other: there is no such field. There are name, count, list, word, key.'],
    [[], 'root: must be an object, not a list'],
    [{ word: 'hi' }, 'root.word: Three letters at least, please'],
    [{ key: 'x' }, 'root.key: must begin with k'],
  ])('%j: %s', (value, line) => {
    expect(lineOf(value)).toBe(line);
  });

  test('names the limit that was passed', () => {
    const value = { count: 10 };
    expect(describeIssue(schema, value, schema.safeParse(value).error?.issues ?? [])).toMatchObject({ limit: 9 });
  });

  test('lists several issues, and counts those that it leaves out', () => {
    const value = { name: 1, count: 0, word: 'x' };
    const issues = schema.safeParse(value).error?.issues ?? [];
    expect(issueLines(schema, value, issues, 2)).toEqual([
      'name: must be a text, not a number',
      'count: must be at least 1, not 0',
      'and 1 more',
    ]);
  });
});

test('a long word is no slip: it is not compared', () => {
  expect(nearestWord('recieve', ['receive', 'send'])).toBe('receive');
  expect(nearestWord('x'.repeat(1_000_000), ['x'])).toBeNull();
});
