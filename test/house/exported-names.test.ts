// An exported name has one meaning: one file declares it. Examples are left out, since each is a program of its own.
import { expect, test } from 'vitest';
import { exportedNames } from './syntax.ts';
import { read, sourcesBelow } from './tree.ts';

/** The names that stand twice all the same, each with the reason. */
const accepted: Readonly<Record<string, string>> = {
  JoinedSession:
    'the same relation at both ends: what a client keeps of a session, and what the gateway keeps of it for a connection',
  TurnOptions: 'public twice: the options as the runtime has them, and as the wire does',
};

/** The names that more than one of the sources declares and exports, each with its files. A re-export is no declaration; overloads are one. */
function sharedNames(sources: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> {
  const declared = [...sources].flatMap(([path, source]) =>
    [...new Set(exportedNames(source).map(({ name }) => name))].map((name) => ({ name, path })),
  );
  const paths = Map.groupBy(declared, ({ name }) => name);
  return new Map(
    [...paths].filter(([, all]) => all.length > 1).map(([name, all]) => [name, all.map(({ path }) => path)]),
  );
}

test('no name is declared and exported by two files', () => {
  const paths = sourcesBelow(['machines', 'src', 'test', 'scripts', 'bench']);
  const shared = sharedNames(new Map(paths.map((path) => [path, read(path)])));
  const lines = [...shared].filter(([name]) => !(name in accepted)).map(([name, all]) => `${name}: ${all.join(', ')}`);
  expect(lines).toEqual([]);
  expect(Object.keys(accepted).filter((name) => !shared.has(name))).toEqual([]);
});

test('it sees a function, a type and a value of the same name, and no re-export', () => {
  const sources = new Map([
    ['a.ts', 'export function x() {}\nexport interface Y {}\nexport const z = 1, w = 2;'],
    ['b.ts', "export const x = 1;\nexport type Y = 1;\nexport { z } from './a.ts';"],
    ['c.ts', "export class w {}\nexport type * from './a.ts';"],
  ]);
  expect([...sharedNames(sources)]).toEqual([
    ['x', ['a.ts', 'b.ts']],
    ['Y', ['a.ts', 'b.ts']],
    ['w', ['a.ts', 'c.ts']],
  ]);
});
