// The roads in docs/architecture.md name files that exist, define what the row says, and are reached from an earlier row. test/gateway/road-length.test.ts
// holds them to what a gateway executes.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { importsOf } from './imports.ts';
import { architecture, filesBesideRoads, type RoadRow, roadIn, roadNames } from './roads.ts';
import { definedNames, valueImports } from './syntax.ts';
import { codeTokens } from './tokens.ts';
import { read, root } from './tree.ts';

const names = (file: string): Set<string> => new Set(codeTokens(read(file)).map(({ text }) => text));

/** Whether a file imports values of another one. Types alone are no step: nothing is called over them. */
function imports(file: string, other: string): boolean {
  const source = read(file);
  const values = valueImports(source);
  return importsOf(file, source).some(({ path, specifier }) => path === other && values.has(specifier));
}

/** Returns why a row cannot be reached as it says; null: it can. */
function gap(row: RoadRow, earlier: readonly RoadRow[]): string | null {
  if (row.from === undefined) return earlier.length === 0 ? null : 'it says not from where';
  const from = earlier.filter(({ file }) => file.endsWith(`${row.from}.ts`)).at(-1)?.file;
  if (!from) return `${row.from} is no earlier row`;
  const { by } = row;
  if (by !== undefined)
    return [from, row.file].every((file) => names(file).has(by)) ? null : `${by} is not in both files`;
  return imports(from, row.file) || imports(row.file, from) ? null : `neither imports values of the other (${from})`;
}

describe.each(roadNames)('the road of a %s', (name) => {
  const road = roadIn(architecture, name);

  test('names each step once, in files that exist', () => {
    expect(road.length).toBeGreaterThan(20);
    expect(road.filter(({ file }) => !existsSync(join(root, file)))).toEqual([]);
    const steps = road.map(({ file, defines }) => `${file} ${defines}`);
    expect(steps.filter((step, index) => steps.indexOf(step) !== index)).toEqual([]);
  });

  test('each file defines what its row names', () => {
    const lost = road.filter(({ file, defines }) => !definedNames(read(file)).has(defines));
    expect(lost.map(({ file, defines }) => `${file} does not define ${defines}`)).toEqual([]);
  });

  test('each row is reached from an earlier one', () => {
    const gaps = road.flatMap((row, index) => {
      const why = gap(row, road.slice(0, index));
      return why === null ? [] : [`${row.file}: ${why}`];
    });
    expect(gaps).toEqual([]);
  });
});

test('the road of a CANCEL leads from the client to a process and back', () => {
  const files = roadIn(architecture, 'CANCEL').map(({ file }) => file);
  expect(files[0]).toMatch(/^src\/client\//);
  expect(files.at(-1)).toMatch(/^src\/client\//);
  expect(files).toEqual(expect.arrayContaining(['machines/session.ts', 'src/adapters/processes/terminate.ts']));
});

test('each file beside the roads is named once, and is in neither', () => {
  const beside = filesBesideRoads(architecture);
  const onRoad = new Set(roadNames.flatMap((name) => roadIn(architecture, name)).map(({ file }) => file));
  expect(beside.filter((file, index) => beside.indexOf(file) !== index || onRoad.has(file))).toEqual([]);
});

test('a gap is seen', () => {
  const page = [
    '\n## The road of a CANCEL\n',
    '| `machines/session.ts` | `sessionMachine` | decides |  |',
    '| `machines/cancel.ts` | `planOf` | plans | `machines/session` |',
    '| `src/core/live/tree.ts` | `cut` | cuts | `machines/cancel` |',
    '| `machines/turn.ts` | `nothing` | obeys | `machines/session` by `NO_SUCH_EVENT` |',
    '| `machines/standing.ts` | `standing` | judges | `machines/elsewhere` |',
    '| `src/core/session/root-turn-timers.ts` | `RootTurnTimers` | posts | `machines/session` |',
    '| `src/core/session/inbox.ts` | `Inbox` | queues | `core/session/root-turn-timers` |',
    '| `src/core/session/inbox.ts` | `Inbox` | queues | `core/session/root-turn-timers` by `expire` |',
  ].join('\n');
  const rows = roadIn(page, 'CANCEL');
  expect(rows.map((row, index) => gap(row, rows.slice(0, index)))).toEqual([
    null,
    null,
    expect.stringContaining('neither imports'),
    expect.stringContaining('NO_SUCH_EVENT'),
    expect.stringContaining('no earlier row'),
    expect.stringContaining('neither imports'),
    expect.stringContaining('neither imports'), // root-turn-timers.ts imports only the type
    null,
  ]);
  expect(definedNames(read('machines/turn.ts')).has('nothing')).toBe(false);
  const names = definedNames('class A { #cancel() {} close() {} }');
  expect(['cancel', '#cancel', 'A.cancel', 'A.#cancel', 'A.close'].filter((name) => names.has(name))).toEqual([
    '#cancel',
    'A.#cancel',
    'A.close',
  ]);
});
