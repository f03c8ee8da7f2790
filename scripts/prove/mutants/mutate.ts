// Runs mutants one by one, in a copy of the checkout: the nearest tests first, then a sweep. The results are kept, so that a run goes on where the last one stopped.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../../../src/core/sources/virtual.ts';
import { read, root } from '../../../test/house/tree.ts';
import { scaled, setTimeScale } from '../../../test/support/time-scale.ts';
import { equalMutants } from './equal-mutants.ts';
import { allMutants, applyMutant, type Mutant } from './mutants.ts';
import { findNearestTests } from './nearest-tests.ts';

export interface MutateOptions {
  readonly seed: number;
  /** How many are run; null: all. The order follows from the seed. */
  readonly sample: number | null;
  /** Runs those again that an earlier run has not seen. */
  readonly again: boolean;
}

/** `hangs`: the sweep does not come to its end. */
type Outcome = 'tests' | 'sweep' | 'hangs' | 'not seen';

interface Result {
  readonly outcome: Outcome;
  /** The law that it breaks, if the sweep has seen it. */
  readonly law?: string;
}

const folder = join(root, '.cache/mutants');
const tree = join(folder, 'tree');
const file = join(folder, 'results.json');
const copied = ['machines', 'src', 'test', 'scripts', 'docs', 'package.json', 'tsconfig.json', 'vitest.config.ts'];
setTimeScale(1);
/** The longest run of the tests, and of the sweep, in milliseconds: a minute on a quiet machine. */
const maxMs = scaled(30_000);
/** The least share that must be seen. */
const leastShare = 0.95;

/** The name of a mutant: it is another one when its file has changed. */
function nameOf(mutant: Mutant): string {
  const hash = createHash('sha256').update(read(mutant.file)).digest('hex').slice(0, 12);
  return `${mutant.file}:${mutant.line} ${mutant.operator} ${mutant.start}-${mutant.end} ${mutant.to.length} ${hash}`;
}

const describe = ({ file: path, line, operator, from, to }: Mutant): string => {
  const shown = (text: string) => text.replaceAll(/\s+/g, ' ').slice(0, 70);
  return `${path}:${line} ${operator}: ${shown(from)} → ${shown(to)}`;
};

/** The sentence that says why no test can distinguish the mutant from the code; undefined: none was written. */
const whyEqual = (mutant: Mutant): string | undefined =>
  equalMutants.find(
    (one) => one.file === mutant.file && one.operator === mutant.operator && mutant.from.startsWith(one.from),
  )?.why;

class Results {
  readonly #all: Record<string, Result> = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, Result>) // as `keep` has written it
    : {};

  of(mutant: Mutant): Result | undefined {
    return this.#all[nameOf(mutant)];
  }

  keep(mutant: Mutant, result: Result): void {
    this.#all[nameOf(mutant)] = result;
    writeFileSync(file, `${JSON.stringify(this.#all, null, 1)}\n`);
  }
}

/** Runs a program of the copy in a process group of its own. Resolves with its exit code and output; null: it was ended after `maxMs`. */
function runInTree(args: readonly string[]): Promise<{ code: number; output: string } | null> {
  const child = spawn(process.execPath, args, { cwd: tree, detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  const end = () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  let output = '';
  child.stdout.on('data', (piece) => {
    output += String(piece);
  });
  // it must not outlive this process
  process.on('exit', end);
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      end();
      resolve(null);
    }, maxMs);
    child.on('close', (code) => {
      clearTimeout(timer);
      process.off('exit', end);
      resolve({ code: code ?? 1, output });
    });
  });
}

async function runMutant(mutant: Mutant, tests: readonly string[]): Promise<Result> {
  const path = join(tree, mutant.file);
  const source = read(mutant.file);
  writeFileSync(path, applyMutant(source, mutant));
  try {
    const vitest = [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--bail',
      '1',
      '--maxWorkers',
      '1',
      '--reporter',
      'dot',
      ...tests,
    ];
    const tested = await runInTree(vitest);
    if (tested && tested.code !== 0) return { outcome: 'tests' };
    const swept = await runInTree(['scripts/prove/mutants/quick-sweep.ts']);
    if (!swept) return { outcome: 'hangs' };
    return swept.code === 0 ? { outcome: 'not seen' } : { outcome: 'sweep', law: swept.output.trim().slice(0, 200) };
  } finally {
    writeFileSync(path, source);
  }
}

function copyTree(): void {
  rmSync(tree, { recursive: true, force: true });
  mkdirSync(tree, { recursive: true });
  for (const name of copied) cpSync(join(root, name), join(tree, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
}

/** Returns the list in an order that follows from the seed. */
function shuffle<T>(list: readonly T[], seed: number): readonly T[] {
  const random = seededRandom(seed);
  return list
    .map((one) => [random(), one] as const)
    .sort(([a], [b]) => a - b)
    .map(([, one]) => one);
}

function printReport(mutants: readonly Mutant[], results: Results): number {
  const count = (outcome: Outcome) => mutants.filter((one) => results.of(one)?.outcome === outcome).length;
  const unseen = mutants.filter((one) => results.of(one)?.outcome === 'not seen');
  const equal = unseen.filter((one) => whyEqual(one) !== undefined);
  for (const one of equal) console.log(`equal     ${describe(one)}\n          ${whyEqual(one)}`);
  for (const one of unseen.filter((each) => !equal.includes(each))) console.log(`NOT SEEN  ${describe(one)}`);
  const seen = mutants.length - unseen.length;
  const share = seen / Math.max(1, mutants.length - equal.length);
  const by = `${count('tests')} by tests, ${count('sweep')} by the sweep, ${count('hangs')} because they hang`;
  console.log(
    `\n${mutants.length} mutants: ${seen} seen (${by}), ${unseen.length - equal.length} not seen, ${equal.length} equal: ${(share * 100).toFixed(1)} %.`,
  );
  return share;
}

/** Runs mutants, and prints the report. Resolves with the number of steps below the least share: 0 or 1. */
export async function mutate({ seed, sample, again }: MutateOptions): Promise<number> {
  const all = shuffle(allMutants(), seed);
  const chosen = all.slice(0, sample ?? all.length);
  copyTree();
  const results = new Results();
  const nearestTests = findNearestTests();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  console.log(`Seed ${seed}, ${chosen.length} of ${all.length} mutants. The results are in ${file}.`);
  const isSound = await runInTree(['scripts/prove/mutants/quick-sweep.ts']);
  if (isSound?.code !== 0) throw new Error(`The sweep without a mutant is red, or takes too long: ${isSound?.output}`);
  for (const [i, mutant] of chosen.entries()) {
    const known = results.of(mutant);
    if (known && !(again && known.outcome === 'not seen')) continue;
    const result = await runMutant(mutant, nearestTests(mutant.file, mutant.from));
    results.keep(mutant, result);
    console.log(`${i + 1}  ${result.outcome}${result.law ? ` (${result.law})` : ''}  ${describe(mutant)}`);
  }
  return printReport(chosen, results) < leastShare ? 1 : 0;
}
