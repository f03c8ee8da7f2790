// No file and no folder imports itself, directly or through others; a type import closes a circle like any other.
import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { circlesIn, type Graph } from './circles.ts';
import { importsOf } from './imports.ts';
import { read, sourcesBelow } from './tree.ts';

const folders = ['machines', 'src', 'test', 'bench', 'scripts', 'docs/examples'];

const graph: Graph = new Map(
  sourcesBelow(folders).map((path) => [path, importsOf(path, read(path)).flatMap(({ path: target }) => target ?? [])]),
);

/** The graph of the folders: each imports the folders of what its files import. */
function foldersOf(files: Graph): Graph {
  const folders = new Map<string, string[]>();
  for (const [path, targets] of files) {
    const folder = posix.dirname(path);
    const others = targets.map(posix.dirname).filter((other) => other !== folder);
    folders.set(folder, [...(folders.get(folder) ?? []), ...others]);
  }
  return folders;
}

test('there is no circle of imports', () => {
  expect(graph.size).toBeGreaterThan(20);
  expect(circlesIn(graph)).toEqual([]);
});

test('there is no circle between folders; one inside another counts by itself', () => {
  const product = new Map([...graph].filter(([path]) => /^(machines|src)\//.test(path)));
  expect(circlesIn(foldersOf(product))).toEqual([]);
});

test('a circle between folders is seen where no file is in one', () => {
  const files: Graph = new Map([
    ['a/one.ts', ['b/one.ts']],
    ['b/one.ts', ['b/two.ts']],
    ['b/two.ts', []],
    ['b/three.ts', ['a/two.ts']],
  ]);
  expect(circlesIn(files)).toEqual([]);
  expect(circlesIn(foldersOf(files))).toEqual([['a', 'b']]);
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
