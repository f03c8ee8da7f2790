// Each promise that is due has a test that names it, and each id that a test names is a promise.
import { describe, expect, test } from 'vitest';
import { duePromises, laterPromises } from '../promises.ts';
import { promisesNamedIn } from './titles.ts';
import { read, sourcesBelow } from './tree.ts';

const files = sourcesBelow(['test']).filter((path) => !path.startsWith('test/house/'));
const named = new Map(files.map((path) => [path, promisesNamedIn(read(path))]));
const kept = new Set([...named.values()].flat());

describe('promises', () => {
  test('each that is due is named by a test', () => {
    expect(Object.keys(duePromises).filter((id) => !kept.has(id))).toEqual([]);
  });

  test('each that a test names is one', () => {
    const unknown = [...named].flatMap(([path, ids]) =>
      ids.filter((id) => !(id in duePromises) && !(id in laterPromises)).map((id) => `${path}: ${id}`),
    );
    expect(unknown).toEqual([]);
  });

  test('none is both due and for later', () => {
    expect(Object.keys(laterPromises).filter((id) => id in duePromises)).toEqual([]);
  });

  test('a clause of a promise has a promise that it belongs to', () => {
    const all = new Set([...Object.keys(duePromises), ...Object.keys(laterPromises)]);
    const clauses = [...all].filter((id) => id.split('.').length > 2 && !id.startsWith('ladder.'));
    expect(clauses.filter((id) => !all.has(id.slice(0, id.lastIndexOf('.'))))).toEqual([]);
  });
});

describe('what names a promise', () => {
  test('the title of a test, through its modifiers', () => {
    const source = `
      test('one [a.one]', () => {}); it("two [a.two] [a.three]", run);
      describe('group [b.one]', () => test.concurrent('x [b.two]', f));
      test.each([1, (2)])('each [c.one]', f); test.each\`x\`('each [c.two]', f);
      test(\`template \${x} [d.one]\`, f);`;
    expect(promisesNamedIn(source)).toEqual(['a.one', 'a.three', 'a.two', 'b.one', 'b.two', 'c.one', 'c.two', 'd.one']);
  });

  test('a table of titles', () => {
    expect(
      promisesNamedIn("const cases = [{ title: 'x [a.one]' }]; for (const { title } of cases) test(title, f);"),
    ).toEqual(['a.one']);
  });

  test('nothing else: no comment, no other text, nothing that is skipped', () => {
    const source = `
      // test('no [a.one]')
      test('plain', () => expect(x, 'no [a.two]').toBe(1));
      test.skip('no [a.three]', f); test.todo('no [a.four]'); describe.skip('no [a.five]', f); suite.test('no [a.six]', f);`;
    expect(promisesNamedIn(source)).toEqual([]);
  });
});
