// The proof: a part of its sweep is green, each planted bug makes it red, and what was red is red again by its replay.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { allBugs } from '../../scripts/prove/bugs/plant-bug.ts';
import { plants } from '../../scripts/prove/bugs/plants.ts';
import { CellTotals } from '../../scripts/prove/coverage/cell-totals.ts';
import { cellEvents, impossible, phases } from '../../scripts/prove/coverage/cells.ts';
import { lawNames } from '../../scripts/prove/laws/judge.ts';
import type { ProofReport } from '../../scripts/prove/report.ts';
import { playRun } from '../../scripts/prove/runs/play.ts';
import { scenarios } from '../../scripts/prove/scenarios/index.ts';
import { watchPlatform } from '../../scripts/prove/world/platform-guard.ts';
import { importsOf } from '../house/imports.ts';
import { read, sourcesBelow } from '../house/tree.ts';
import { startChild } from '../support/child.ts';
import { isProved } from '../support/proved.ts';
import { scaled } from '../support/time-scale.ts';

const limitMs = scaled(120_000);

/** Runs `npm run prove` with these arguments. Resolves with its exit code and its output. */
async function runProof(...args: readonly string[]) {
  const child = startChild('scripts/prove/main.ts', { args });
  const code = await child.ended(limitMs);
  return { code, output: child.stdout() + child.stderr() };
}

const reportFile = () => {
  const folder = mkdtempSync(join(tmpdir(), 'belay-prove-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'prove.json');
};

const readReport = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as ProofReport; // as `npm run prove` writes it

test.runIf(!isProved('prove'))(
  'a CANCEL at every sixtieth step of every scenario, crashes and pairs break no law [cancel.reach] [cancel.fence]',
  {
    timeout: limitMs,
  },
  async () => {
    const file = reportFile();
    const sweeps = ['cancels', 'crashes', 'pairs'].flatMap((kind) => ['--sweep', kind]);
    const { code, output } = await runProof('--every', '60', '--seeds', '1', '--report', file, ...sweeps);
    expect(output).not.toContain('BROKEN');
    expect(code).toBe(0);
    const { scenarios: all, pairs, states } = readReport(file);
    const scenarios = all.filter(({ name }) => !name.includes('busy room')); // those are swept by cells
    expect(scenarios.filter(({ injections }) => injections < 2).map(({ name }) => name)).toEqual([]);
    expect(pairs.length, 'pairs of a phase with a source, a target or a crash').toBeGreaterThan(120);
    expect(scenarios.filter(({ crashes, paired }) => crashes < 1 || paired < 1).map(({ name }) => name)).toEqual([]);
    expect(
      pairs.filter(([pair]) => pair.includes(' × crash ')).length,
      'phases with a kind of a crash',
    ).toBeGreaterThan(15);
    expect(states, 'states that were visited').toBeGreaterThan(150);
  },
);

test('the report of a sweep does not depend on the number of processes', { timeout: limitMs }, async () => {
  const reportOf = async (processes: string) => {
    const file = reportFile();
    const swept = ['images', 'deletion of a session', 'words that steer'].flatMap((name) => ['--scenario', name]);
    const { code, output } = await runProof(...swept, '--every', '20', '--processes', processes, '--report', file);
    expect(code, output).toBe(0);
    return { ...readReport(file), seconds: 0 };
  };
  expect(await reportOf('3')).toEqual(await reportOf('1'));
});

test('a cell that is declared impossible and is visited is red [cancel.phases]', { timeout: limitMs }, async () => {
  const file = reportFile();
  const plant = 'a cell that is visited is declared impossible';
  const args = [
    '--plant',
    plant,
    '--scenario',
    'plain response',
    '--sweep',
    'cancels',
    '--seeds',
    '1',
    '--report',
    file,
  ];
  const { code, output } = await runProof(...args);
  expect(code, output).toBe(1);
  expect(output).toContain('BROKEN  a cell that is declared impossible is not visited: session open × phrase');
});

test('at most one cell in ten is declared impossible, each in a phase that there is', () => {
  const { cells, impossible: count } = new CellTotals([]).report();
  expect(count).toBeGreaterThan(0);
  expect(count * 10).toBeLessThanOrEqual(cells);
  expect(impossible.flatMap((one) => one.phases).filter((phase) => !phases.includes(phase))).toEqual([]);
});

/** One of each kind. The others: `npm run prove -- --plants`. */
const planted = [
  'a receipt settles with its first node',
  'everybody owns everything',
  'a stop has no budget',
  'a replay leaves out its first fact',
  'a crash is the cause of what was stopped before it',
  'facts are committed before they are durable',
];

test.each(plants.filter(({ name }) => planted.includes(name)))(
  'it sees that $name, and replays it',
  {
    timeout: limitMs,
  },
  async ({ name, scenario, sweep = 'cancels' }) => {
    const file = reportFile();
    // a part of the steps has a crash: under seed 1 none that the bug needs
    const seed = sweep === 'crashes' ? '2' : '1';
    const options = ['--scenario', scenario, '--sweep', sweep, '--seed', seed, '--seeds', '1', '--report', file];
    const { code, output } = await runProof('--plant', name, ...options);
    expect(code, output).toBe(1);
    const [found] = readReport(file).scenarios.flatMap(({ violations }) => violations);
    if (!found) throw new Error(`The report has no violation: ${output}`);
    const { choices, injections } = found.replay;
    expect(Object.keys(choices).length + injections.length, 'decisions after it has shrunk').toBeLessThan(30);
    const replay = JSON.stringify(found.replay);
    const again = await runProof('--plant', name, '--replay', replay);
    expect(again.output).toContain(`BROKEN  ${found.law}: ${found.what}`);
    const without = await runProof('--replay', replay);
    expect(without.code, without.output).toBe(0);
  },
);

test('a run with a crash and a CANCEL before and after it is exact when it is played again', {
  timeout: limitMs,
}, async () => {
  const injections = [
    { step: 40, source: 'owner', target: 'session' },
    { step: 47, source: 'crash', target: 'late', microtask: 5 },
    { step: 58, source: 'crash', target: 'power' },
    { step: 70, source: 'moderator', target: 'session' },
  ];
  const replay = JSON.stringify({ scenario: 'nested agents', seed: 2, choices: { 12: 1, 44: 2, 60: 1 }, injections });
  const first = await runProof('--replay', replay);
  expect(first.code, first.output).toBe(0);
  expect(first.output).toContain('session_recovered');
  expect(await runProof('--replay', replay)).toEqual(first);
});

test.each([5, 6])(
  'a CANCEL in microtask %d of a step comes after the step has begun',
  { timeout: limitMs },
  async (microtask) => {
    const scenario = scenarios.find(({ name }) => name === 'parallel tools');
    if (!scenario) throw new Error('The scenario is not there.');
    const typesWith = async (step: number, injected: number) => {
      const injection = { step, source: 'owner', target: 'session', microtask: injected } as const;
      const { evidence, digest } = await playRun({ scenario, seed: 1, injections: [injection] });
      return [digest, ...evidence.log.map(({ type }) => type)];
    };
    const steps = Array.from({ length: 20 }, (_, i) => 20 + 2 * i);
    const others: number[] = [];
    // before the step: it is the same in most of them, as nothing of the step touches it
    for (const step of steps)
      if (String(await typesWith(step, microtask)) !== String(await typesWith(step, 0))) others.push(step);
    expect(others).not.toEqual([]);
  },
);

test('the README says how much is played', () => {
  const numbers = /plays (\d+) scenarios .* with (\d+) events in each of the (\d+) phases .* by (\d+) laws/;
  const said = numbers.exec(read('README.md'))?.slice(1).map(Number);
  expect(said).toEqual([scenarios.length, cellEvents.length, phases.length, lawNames.length]);
});

test('the place of each bug is there once', () => {
  const places = allBugs.map(({ name, file, from }) => [name, read(file).split(from).length - 1]);
  expect(places.filter(([, count]) => count !== 1)).toEqual([]);
});

test('a resource of the platform is found, with its stack', async () => {
  const { resources } = await watchPlatform(async () => clearTimeout(setTimeout(() => {}, 0)));
  expect(
    resources.filter((stack) => stack.startsWith('Error: Timeout') && stack.includes('prove.test.ts')),
  ).toHaveLength(1);
});

test('the laws share no code with the runtime', () => {
  const isLaw = (path: string) => path.startsWith('scripts/prove/laws/') || path === 'test/support/message-pairing.ts';
  const laws = [...sourcesBelow(['scripts/prove/laws']), 'test/support/message-pairing.ts'];
  const wrong = laws.flatMap((path) => {
    const source = read(path).replaceAll(/^import type [^;]*;$/gm, '');
    return importsOf(path, source).flatMap(({ specifier, path: target }) =>
      specifier.startsWith('node:') || (target !== null && isLaw(target)) ? [] : [`${path}: ${specifier}`],
    );
  });
  expect(wrong).toEqual([]);
});
