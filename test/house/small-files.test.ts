// A small file that one other file uses, and that nothing else names, stands where it is used.
import { expect, test } from 'vitest';
import { importsOf } from './imports.ts';
import { read, sourcesBelow } from './tree.ts';

const leastLines = 40;

/** The files that stand alone all the same: the beginning of a path, and why. */
const accepted: Readonly<Record<string, string>> = {
  'machines/steer.ts': 'a decision of its own, as each pure function of the machines',
  'src/adapters/tools/isolate/load-module.ts': 'the only import with a computed name',
  'src/client/view/fold-inputs.ts': 'the frames of inputs, as there is a file for turns and one for calls',
  'src/core/session/': 'a part of a session with a life of its own, which parts.ts puts together',
  'src/core/workers/': 'the worker of a phase, and each phase has a file',
  'src/doors/': 'what every door shares, or the form of a protocol',
  'src/embed/': 'what an entry point of the package gives: an entry point has names only',
  'src/gateway/connection-deadline.ts': 'a part of a connection with a life of its own',
  'src/gateway/http/': 'a group of routes, or what belongs to all of them',
};

/** The small files of a tree that one other file of it imports statically, and no file in any other way. */
function loneFiles(sources: ReadonlyMap<string, string>): string[] {
  const imports = [...sources].flatMap(([from, source]) => importsOf(from, source).map((one) => ({ ...one, from })));
  const importsOfPath = Map.groupBy(imports, ({ path }) => path);
  return [...sources].flatMap(([path, source]) => {
    const isSmall = source.trimEnd().split('\n').length < leastLines;
    const found = importsOfPath.get(path) ?? [];
    const [first, ...others] = new Set(found.map(({ from }) => from));
    const isUsedHere = first !== undefined && others.length === 0 && isSource(first);
    // an import without names loads the file when it is needed, or starts it as a worker
    return isSource(path) && isSmall && isUsedHere && found.every(({ names }) => names !== null) ? [path] : [];
  });
}

const isSource = (path: string): boolean => /^(machines|src)\//.test(path);

test('no small file stands apart from the one file that uses it', () => {
  const paths = sourcesBelow(['machines', 'src', 'test', 'scripts', 'bench', 'docs/examples']);
  const found = loneFiles(new Map(paths.map((path) => [path, read(path)])));
  const prefixes = Object.keys(accepted);
  expect(found.filter((path) => !prefixes.some((prefix) => path.startsWith(prefix)))).toEqual([]);
  expect(prefixes.filter((prefix) => !found.some((path) => path.startsWith(prefix)))).toEqual([]);
});

test('it sees a file with one importer, and none with a test, a second importer or an import of its own', () => {
  const sources = new Map([
    [
      'src/a.ts',
      "import { b } from './b.ts';\nimport { c } from './c.ts';\nimport { d } from './d.ts';\nimport('./e.ts');",
    ],
    ['src/b.ts', 'export const b = 1;'],
    ['src/c.ts', "export const c = 1;\nimport { d } from './d.ts';"],
    ['src/d.ts', 'export const d = 1;'],
    ['src/e.ts', 'export const e = 1;'],
    ['test/c.test.ts', "import { c } from '../src/c.ts';"],
    ['src/f.ts', `import { g } from './g.ts';${'\n'.repeat(leastLines)}f();`],
    ['src/g.ts', `export const g = 1;${'\n'.repeat(leastLines)}f();`],
  ]);
  expect(loneFiles(sources)).toEqual(['src/b.ts']);
});
