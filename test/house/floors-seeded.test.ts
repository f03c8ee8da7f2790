// Shows that the floors can fail: every kind of violation of each row is planted in a tree of its own, and Biome and the scanner both report it.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deniedUses } from './denied.ts';
import { folderOf, isFile, refusal } from './floor-rules.ts';
import { deniedNode, floors, hidden, type Row } from './floors.ts';
import { ComputedImport, importsOf } from './imports.ts';
import { root } from './tree.ts';

/** A file of a row, with one import or one use on each line. */
interface Seed {
  readonly row: Row;
  readonly path: string;
  readonly lines: readonly string[];
  /** From 1: the lines that must be caught, and no others. */
  readonly caught: readonly number[];
}

const hiddenFiles = hidden.flatMap(({ files }) => files.map((at) => (isFile(at) ? at : `${at}/inner.ts`)));
const targets = [
  ...new Set([
    ...floors.map(({ at }) => (isFile(at) ? at : `${at}/other.ts`)),
    ...hiddenFiles,
    ...floors.flatMap(({ packages }) => packages),
    'left-pad',
    'openai/core',
    'node:fs',
    'node:fs/promises',
    ...Object.keys(deniedNode),
  ]),
];
const wanted: readonly { target: string; names: readonly string[] }[] = [
  ...targets.map((target) => ({ target, names: ['a', 'b'] })),
  ...Object.entries(deniedNode).map(([target, allowed]) => ({ target, names: [allowed[0] ?? 'performance'] })),
];
const words = [...new Set(floors.flatMap(({ denied }) => Object.keys(denied)))];
const properties = [
  ...new Set(floors.flatMap((row) => row.properties.map(({ object, property }) => `${object ?? 'any'}.${property}`))),
];

function seedsOf(row: Row): Seed[] {
  const folders = isFile(row.at) ? [folderOf(row)] : [row.at, ...(row.inner ?? []).map((name) => `${row.at}/${name}`)];
  return folders.map((folder) => {
    const path = isFile(row.at) ? row.at : `${folder}/seed.ts`;
    const imports = wanted
      .filter(({ target }) => target !== path)
      .map(({ target, names }, index) => {
        const inTree = target.startsWith('src/') || target.startsWith('machines/');
        const relative = posix.relative(folder, target);
        const upward = relative.startsWith('.') ? relative : `./${relative}`;
        const type = index % 2 === 0 ? 'import type' : 'import';
        const line = `${type} { ${names.map((name) => `${name} as T${index}_${name}`).join(', ')} } from '${inTree ? upward : target}';`;
        return { line, bad: refusal(row, path, { target, names }) !== null };
      });
    const globals = words.map((word) => ({ line: `export const of_${word} = ${word};`, bad: word in row.denied }));
    const accesses = properties.map((access) => ({
      line: `export const of_${access.replace('.', '_')} = ${access};`,
      bad:
        row.properties.some(({ object, property }) => `${object ?? 'any'}.${property}` === access) ||
        Object.hasOwn(row.denied, access.split('.')[0] ?? ''),
    }));
    const all = [...imports, ...globals, ...accesses];
    return {
      row,
      path,
      lines: all.map(({ line }) => line),
      caught: all.flatMap(({ bad }, index) => (bad ? [index + 1] : [])),
    };
  });
}

const seeds = floors.flatMap(seedsOf);
const tree = mkdtempSync(join(tmpdir(), 'belay-floors-'));
const byBiome = new Map<string, Set<number>>();
const circles = new Set<string>();

const inTree = (path: string, text: string): void => {
  mkdirSync(dirname(join(tree, path)), { recursive: true });
  writeFileSync(join(tree, path), text);
};

beforeAll(async () => {
  for (const name of ['biome.json', 'biome.floors.jsonc', 'package.json']) cpSync(join(root, name), join(tree, name));
  for (const { path, lines } of seeds) inTree(path, `${lines.join('\n')}\n`);
  inTree('src/core/live/circle-a.ts', "import type { B } from './circle-b.ts';\nexport type A = B | 1;\n");
  inTree('src/core/live/circle-b.ts', "import type { A } from './circle-a.ts';\nexport type B = A | 2;\n");
  const rules = [
    'style/noRestrictedImports',
    'style/noRestrictedGlobals',
    'nursery/noJsRestrictedProperties',
    'suspicious/noImportCycles',
  ];
  const only = rules.map((rule) => `--only=${rule}`);
  const biome = join(root, 'node_modules/.bin/biome');
  const run = promisify(execFile)(biome, ['lint', '--reporter=json', '--max-diagnostics=none', ...only, '.'], {
    cwd: tree,
    maxBuffer: 64 * 1024 * 1024,
  });
  const { stdout } = await run.catch((failed: { stdout: string }) => failed);
  for (const { category, location } of JSON.parse(stdout).diagnostics) {
    if (category === 'lint/suspicious/noImportCycles') circles.add(location.path);
    else byBiome.set(location.path, (byBiome.get(location.path) ?? new Set()).add(location.start.line));
  }
});
afterAll(() => rmSync(tree, { recursive: true }));

const sorted = (lines: Iterable<number>): number[] => [...new Set(lines)].sort((a, b) => a - b);

describe.each(seeds)('violations planted in $path', ({ row, path, lines, caught }) => {
  const linesOf = (numbers: readonly number[]) => numbers.map((number) => lines[number - 1]);

  test('there are some, and some lines that are none', () => {
    expect(caught.length).toBeGreaterThan(0);
    expect(caught.length).toBeLessThan(lines.length);
  });

  test('Biome reports each, and nothing else', () => {
    expect(linesOf(sorted(byBiome.get(path) ?? []))).toEqual(linesOf(caught));
  });

  test('the scanner reports each, and nothing else', () => {
    const source = lines.join('\n');
    const crossings = importsOf(path, source).filter(({ path: target, specifier, names }) =>
      refusal(row, path, { target: target ?? specifier, names }),
    );
    const seen = [...crossings, ...deniedUses(row, source)].map(({ line }) => line);
    expect(linesOf(sorted(seen))).toEqual(linesOf(caught));
  });
});

test('Biome reports a circle of type imports', () => {
  expect(circles).toContain('src/core/live/circle-a.ts');
});

test('the scanner reports a date made of the clock, not one made of a number', () => {
  const source = 'new Date();\nnew Date;\nDate();\nnew Date(0);\nDate.parse(text);\nlet x: Date;\n';
  for (const row of floors.filter(({ properties }) => properties.some(({ object }) => object === 'Date'))) {
    expect(deniedUses({ ...row, denied: {} }, source).map(({ line }) => line)).toEqual([1, 2, 3]);
  }
});

test('the scanner reports what Biome does not: the type that an import() names, and a global by its long name', () => {
  const [row] = floors.filter(({ at }) => at === 'src/core/live');
  if (!row) throw new Error('src/core/live has no row');
  const [found] = importsOf('src/core/live/x.ts', "type Face = import('../session/api.ts').Runtime;");
  expect(found && refusal(row, 'src/core/live/x.ts', { target: found.path ?? '', names: null })).not.toBeNull();
  expect(deniedUses(row, 'globalThis.setTimeout(f);')).toHaveLength(1);
});

test('the scanner rejects an import whose name is computed', () => {
  expect(() => importsOf('src/core/live/x.ts', 'await import(name);')).toThrow(ComputedImport);
});
