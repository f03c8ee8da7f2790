// Finds the tests that are nearest to a source of the core: those that import it, those with its name, and those beside it.
import { importsOf } from '../../test/house/imports.ts';
import { read, sourcesBelow } from '../../test/house/tree.ts';

const maxTests = 14;
/** Tests of what every file of the core takes part in. */
const always = ['test/core/session/cancel.test.ts', 'test/core/session/lanes.test.ts', 'test/machines/session.test.ts'];

/** The words of a file's name, without a plural. */
const wordsOf = (file: string): readonly string[] =>
  (file.split('/').at(-1) ?? '')
    .replace(/(\.test)?\.ts$/, '')
    .split('-')
    .map((word) => word.replace(/s$/, ''));

/** Returns a function from a source to its nearest tests, the nearest first. */
export function findNearestTests(): (file: string) => readonly string[] {
  const tests = sourcesBelow(['test/core', 'test/machines', 'test/gateway', 'test/ops']).filter((file) =>
    file.endsWith('.test.ts'),
  );
  const imports = new Map(tests.map((file) => [file, importsOf(file, read(file)).map(({ path }) => path)]));
  return (file) => {
    const words = wordsOf(file);
    const folder = file.replace(/^src\//, '').replace(/[^/]*$/, '');
    const rate = (test: string): number => {
      const shared = wordsOf(test).filter((word) => words.includes(word)).length;
      const isBeside = test.startsWith(`test/${folder}`);
      return (imports.get(test)?.includes(file) ? 8 : 0) + shared * 2 + (isBeside ? 1 : 0);
    };
    const near = tests.filter((test) => rate(test) >= 2).sort((a, b) => rate(b) - rate(a));
    return [...new Set([...near.slice(0, maxTests), ...always])];
  };
}
