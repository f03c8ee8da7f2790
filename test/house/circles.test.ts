// No file imports itself, by whatever way round; a type import closes a circle like any other.
import { expect, test } from 'vitest';
import { circlesIn, type Graph } from './circles.ts';
import { importsOf } from './imports.ts';
import { read, sourcesBelow } from './tree.ts';

const folders = ['machines', 'src', 'test', 'bench', 'scripts', 'docs/examples'];

test('there is no circle of imports', () => {
  const graph: Graph = new Map(
    sourcesBelow(folders).map((path) => [
      path,
      importsOf(path, read(path)).flatMap(({ path: target }) => target ?? []),
    ]),
  );
  expect(graph.size).toBeGreaterThan(20);
  expect(circlesIn(graph)).toEqual([]);
});

test('a circle is seen, of any length, and two that touch are one', () => {
  const graph: Graph = new Map([
    ['a', ['b']],
    ['b', ['c', 'lost']],
    ['c', ['a', 'd']],
    ['d', ['c', 'e']],
    ['e', []],
    ['self', ['self']],
  ]);
  expect(circlesIn(graph)).toEqual([['a', 'b', 'c', 'd'], ['self']]);
});
