// The mutants of a source: each changes one place, as its operator says, and types are left alone.
import { expect, test } from 'vitest';
import { allMutants, applyMutant, mutantsOf } from '../../scripts/prove/mutants/mutants.ts';
import { findNearestTests } from '../../scripts/prove/mutants/nearest-tests.ts';
import { read } from '../house/tree.ts';

const source = `
type Kind = 'a' | 'b';
const list: readonly Kind[] = ['a', 'b'];
function choose(kind: Kind, limit = 1) {
  if (kind === 'a' && limit > 0) return;
  note(kind ?? 'b');
  switch (kind) {
    case 'b':
      return limit + 1;
  }
}
`;

test('each operator changes its place', () => {
  const changes = mutantsOf('src/core/example.ts', source).map(({ operator, from, to }) => [operator, from, to]);
  expect(changes).toEqual([
    ['drop an element', "['a', 'b']", "['b']"],
    ['drop an element', "['a', 'b']", "['a']"],
    ['negate a condition', "kind === 'a' && limit > 0", "!(kind === 'a' && limit > 0)"],
    ['&& becomes ||', "kind === 'a' && limit > 0", "kind === 'a' || limit > 0"],
    ['=== becomes !==', "kind === 'a'", "kind !== 'a'"],
    ['> becomes >=', 'limit > 0', 'limit >= 0'],
    ['drop a return', 'return;', ';'],
    ['drop a statement', "note(kind ?? 'b');", ';'],
    ['drop a default', "kind ?? 'b'", 'kind'],
    ['drop a case', "case 'b':\n      return limit + 1;", ''],
    ['off by one', 'limit + 1', 'limit'],
  ]);
});

test('the guards and the targets of a chart have mutants', () => {
  const operators = mutantsOf('machines/turn.ts', read('machines/turn.ts')).map(({ operator }) => operator);
  expect(operators).toEqual(expect.arrayContaining(['swap a guard', 'change a target']));
});

test('each mutant of the core differs from its source, and has tests', () => {
  const nearestTests = findNearestTests();
  const mutants = allMutants();
  expect(mutants.length).toBeGreaterThan(1_000);
  const files = [...new Set(mutants.map(({ file }) => file))];
  expect(files.filter((file) => nearestTests(file).length === 0)).toEqual([]);
  const unchanged = mutants.filter((mutant) => applyMutant(read(mutant.file), mutant) === read(mutant.file));
  expect(unchanged).toEqual([]);
});
