// Finds the tests that are nearest to a place of the core: those that import its file, those with its name, those beside it, and those with its words.
import { importsOf } from '../../../test/house/imports.ts';
import { read, sourcesBelow } from '../../../test/house/tree.ts';

const maxTests = 14;
/** A word that more tests have says nothing. */
const maxTestsOfWord = 14;
/** Tests of what every file of the core takes part in. */
const always = ['test/core/session/cancel.test.ts', 'test/core/session/lanes.test.ts', 'test/machines/session.test.ts'];

/** Tests of programs, browsers and other people's servers take too long. */
const isSlow =
  /^test\/(adapters|bad-input|bench|browser|embed|hostile|house|journeys|package|page|prove|standing|wire)\//;

/** Tests that neither import a file nor have its name or words. */
const others: Readonly<Record<string, string>> = {
  'src/core/session/turn-status.ts': 'test/core/session/long-calls.test.ts',
};

/** The words of a file's name, without a plural. */
const wordsOf = (file: string): readonly string[] =>
  (file.split('/').at(-1) ?? '')
    .replace(/(\.test)?\.ts$/, '')
    .split('-')
    .map((word) => word.replace(/s$/, ''));

/** The longer names in a piece of code. */
const namesIn = (code: string): readonly string[] => [...new Set(code.match(/[A-Za-z_]{6,}/g) ?? [])];

/** Returns a function from a file and a piece of its code to its nearest tests, the nearest first. */
export function findNearestTests(): (file: string, code?: string) => readonly string[] {
  const tests = sourcesBelow(['test']).filter((file) => file.endsWith('.test.ts') && !isSlow.test(file));
  const imports = new Map(tests.map((file) => [file, importsOf(file, read(file)).map(({ path }) => path)]));
  const texts = new Map(tests.map((file) => [file, read(file)]));
  const testsWith = (name: string): readonly string[] => tests.filter((test) => texts.get(test)?.includes(name));
  return (file, code = '') => {
    const words = wordsOf(file);
    const named = namesIn(code)
      .map(testsWith)
      .filter(({ length }) => length <= maxTestsOfWord)
      .flat();
    const folder = file.replace(/^src\//, '').replace(/[^/]*$/, '');
    const rate = (test: string): number => {
      const shared = wordsOf(test).filter((word) => words.includes(word)).length;
      const isBeside = test.startsWith(`test/${folder}`);
      return (
        (imports.get(test)?.includes(file) ? 8 : 0) + shared * 2 + (isBeside ? 1 : 0) + (named.includes(test) ? 3 : 0)
      );
    };
    const near = tests.filter((test) => rate(test) >= 2).sort((a, b) => rate(b) - rate(a));
    return [...new Set([...near.slice(0, maxTests), ...(others[file] ? [others[file]] : []), ...always])];
  };
}
