// The road of a CANCEL in docs/architecture.md names files that exist, define what the row says, and are reached from an earlier row.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { importsOf } from './imports.ts';
import { definedNames, valueImports } from './syntax.ts';
import { codeTokens } from './tokens.ts';
import { read, root } from './tree.ts';

interface Row {
  readonly file: string;
  readonly defines: string;
  /** The end of an earlier row's path, without `.ts`; undefined in the first row. */
  readonly from: string | undefined;
  /** The type, event, action or worker by whose name it is reached; undefined: one of the two files imports values of the other. */
  readonly by: string | undefined;
}

/** Reads the table of the road. */
function roadIn(page: string): Row[] {
  const [, section = ''] = page.split('\n## The road of a CANCEL\n');
  return [...section.matchAll(/^\| `(\S+\.ts)` \| `(\S+)` \| .+ \| (?:`(\S+)`(?: by `(\S+)`)?)? ?\|$/gm)].map(
    ([, file = '', defines = '', from, by]) => ({ file, defines, from, by }),
  );
}

const names = (file: string): Set<string> => new Set(codeTokens(read(file)).map(({ text }) => text));

/** Whether a file imports values of another one. Types alone are no step: nothing is called over them. */
function imports(file: string, other: string): boolean {
  const source = read(file);
  const values = valueImports(source);
  return importsOf(file, source).some(({ path, specifier }) => path === other && values.has(specifier));
}

/** Returns why a row cannot be reached as it says; null: it can. */
function gap(row: Row, earlier: readonly Row[]): string | null {
  if (row.from === undefined) return earlier.length === 0 ? null : 'it says not from where';
  const from = earlier.filter(({ file }) => file.endsWith(`${row.from}.ts`)).at(-1)?.file;
  if (!from) return `${row.from} is no earlier row`;
  const { by } = row;
  if (by !== undefined)
    return [from, row.file].every((file) => names(file).has(by)) ? null : `${by} is not in both files`;
  return imports(from, row.file) || imports(row.file, from) ? null : `neither imports values of the other (${from})`;
}

const road = roadIn(read('docs/architecture.md'));

describe('the road of a CANCEL', () => {
  test('leads from the client to a process and back', () => {
    const files = road.map(({ file }) => file);
    expect(files[0]).toMatch(/^src\/client\//);
    expect(files.at(-1)).toMatch(/^src\/client\//);
    expect(files).toEqual(expect.arrayContaining(['machines/session.ts', 'src/adapters/processes/terminate.ts']));
  });

  test('names each file once, and files that exist', () => {
    const files = road.map(({ file }) => file);
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
    expect(files.filter((file, index) => files.indexOf(file) !== index)).toEqual([]);
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

test('a gap is seen', () => {
  const page = [
    '\n## The road of a CANCEL\n',
    '| `machines/session.ts` | `sessionMachine` | decides |  |',
    '| `machines/cancel.ts` | `planOf` | plans | `machines/session` |',
    '| `src/core/live/tree.ts` | `cut` | cuts | `machines/cancel` |',
    '| `machines/turn.ts` | `nothing` | obeys | `machines/session` by `NO_SUCH_EVENT` |',
    '| `machines/standing.ts` | `standing` | judges | `machines/elsewhere` |',
    '| `src/core/session/turn-deadlines.ts` | `TurnDeadlines` | posts | `machines/session` |',
    '| `src/core/session/inbox.ts` | `Inbox` | queues | `core/session/turn-deadlines` |',
    '| `src/core/session/inbox.ts` | `Inbox` | queues | `core/session/turn-deadlines` by `expire` |',
  ].join('\n');
  const rows = roadIn(page);
  expect(rows.map((row, index) => gap(row, rows.slice(0, index)))).toEqual([
    null,
    null,
    expect.stringContaining('neither imports'),
    expect.stringContaining('NO_SUCH_EVENT'),
    expect.stringContaining('no earlier row'),
    expect.stringContaining('neither imports'),
    expect.stringContaining('neither imports'), // turn-deadlines.ts imports only the type
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
