// The two clocks have types that the compiler keeps apart: a program that mixes them does not compile.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { typeErrorsOf } from '../../scripts/core-alone.ts';
import { scaled } from '../support/time-scale.ts';
import { root } from './tree.ts';

const head = [
  "import { monotonicTime, msBetween } from '../../src/core/sources/monotonic-time.ts';",
  "import type { Clock, MonotonicTime } from '../../src/core/sources/sources.ts';",
  'declare const clock: Clock;',
].join(' ');

/** Compiles a program that has a `Clock` called `clock`, one statement a line. Returns the lines that are no program. */
async function wrongLines(statements: readonly string[]): Promise<readonly string[]> {
  mkdirSync(join(root, '.belay'), { recursive: true });
  const folder = mkdtempSync(join(root, '.belay/clocks-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'program.ts'), [head, ...statements, ''].join('\n'));
  const compilerOptions = { noUnusedLocals: false };
  const config = { extends: '../../tsconfig.json', compilerOptions, include: ['program.ts'], exclude: [] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const errors = await typeErrorsOf(folder, 'tsconfig.json');
  const lines = errors.flatMap((error) => /^program\.ts\((\d+),/.exec(error)?.[1] ?? []).map(Number);
  return [...new Set(lines)].map((line) => statements[line - 2] ?? head);
}

const mixed = [
  'const a = clock.now() - clock.elapsed();',
  'const b = clock.elapsed() - clock.now();',
  'const c = clock.elapsed() - clock.elapsed();', // its difference is one of numbers only in a function
  'const d = clock.elapsed() + 1_000;',
  'const e = clock.now() < clock.elapsed();',
  'const f = clock.elapsed() >= clock.now();',
  'const g = clock.elapsed() < 1_000;',
  'const h = clock.now() === clock.elapsed();',
  'const i: number = clock.elapsed();',
  'const j: MonotonicTime = clock.now();',
  'const k = msBetween(clock.now(), clock.elapsed());',
  'const l = Math.max(clock.now(), clock.elapsed());',
  'const m = new Date(clock.elapsed());',
  'const n: Clock = { ...clock, elapsed: () => clock.now() };',
  'const o: Clock = { ...clock, now: () => clock.elapsed() };',
];

const separate = [
  'const p: number = msBetween(clock.elapsed(), clock.elapsed());',
  'const q = clock.elapsed() < clock.elapsed();',
  'const r: number = clock.now() - clock.now();',
  'const s: Clock = { ...clock, elapsed: () => monotonicTime(5) };',
];

test(
  'a time of day and a moment of the other clock are neither subtracted, nor compared, nor assigned [http.api.limits.clock]',
  async () => {
    expect(await wrongLines([...mixed, ...separate])).toEqual(mixed);
  },
  scaled(60_000),
);
