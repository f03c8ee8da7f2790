// docs/configuration.md lists every setting and every limit, each with its default, and no other.
import { expect, test } from 'vitest';
import { roles } from '../../machines/vocabulary.ts';
import { defaultBuiltinLimits } from '../../src/adapters/tools/builtin/builtin-limits.ts';
import { keysAt } from '../../src/core/text/schema-issue.ts';
import { defaultLimits } from '../../src/core/workers/session-limits.ts';
import { createTokenAuthenticator } from '../../src/gateway/auth/token-file.ts';
import { defaultGatewayLimits as gatewayLimits } from '../../src/gateway/gateway-limits.ts';
import { busFlags } from '../../src/programs/bus-settings.ts';
import { configFlags, usage } from '../../src/programs/config.ts';
import { configSchema } from '../../src/programs/settings.ts';
import { read, sourcesBelow } from './tree.ts';

const page = read('docs/configuration.md');
const defaults: Readonly<Record<string, unknown>> = configSchema.parse({});

interface Row {
  readonly name: string;
  readonly default: string;
}

/** The rows of the first table below that heading. */
function rowsOf(heading: string, text = page): Row[] {
  const [, section = ''] = text.split(`\n## ${heading}\n`);
  const table = /^\|.*\n(\|.*\n)+/m.exec(section.split('\n## ')[0] ?? '')?.[0] ?? '';
  const lines = table.trim().split('\n');
  const cells = lines.map((line) => line.slice(2, -2).split(' | '));
  const column = cells[0]?.indexOf('default') ?? -1;
  return cells.flatMap(([name = '', ...rest]) =>
    /^`\S+`$/.test(name) && column > 0 ? [{ name: name.slice(1, -1), default: rest[column - 1] ?? '' }] : [],
  );
}

const grouped = (value: number) => String(value).replace(/\B(?=(\d{3})+$)/g, ' ');

/** Formats a default as the page does. */
function displayOf(value: unknown): string {
  if (value === undefined) return 'left out';
  if (typeof value === 'number') return grouped(value);
  return typeof value === 'string' || typeof value === 'boolean' ? `\`${value}\`` : 'none';
}

const rowsFor = (entries: readonly (readonly [string, unknown])[]): Row[] =>
  entries.map(([name, value]) => ({ name, default: displayOf(value) }));

const sections = ['tokens', 'model', 'tools'] as const;
const titleOf = (name: string) => name.replace(/^./, (letter) => letter.toUpperCase());
const tables = { limits: defaultLimits, gateway: gatewayLimits, builtin: defaultBuiltinLimits };

test('every setting is in the page with its default, and no other', () => {
  const elsewhere = [...Object.keys(tables), 'model', 'tools'];
  const rows = keysAt(configSchema, []).map((name) =>
    elsewhere.includes(name)
      ? { name, default: `see [below](#${name})` }
      : { name, default: displayOf(defaults[name]) },
  );
  const byName = (a: Row, b: Row) => a.name.localeCompare(b.name);
  expect(rowsOf('Settings').sort(byName)).toEqual(rows.sort(byName));
});

test.each(sections)('every field of `%s` is in the page with its default, and no other', (name) => {
  const fields = defaults[name] as Readonly<Record<string, unknown>>;
  const keys = keysAt(configSchema, [name]);
  expect(keys).not.toEqual([]);
  expect(rowsOf(titleOf(name))).toEqual(rowsFor(keys.map((key) => [`${name}.${key}`, fields[key]])));
});

test.each(Object.entries(tables))(
  'every limit of `%s` is in the page with its default, and no other',
  (name, table) => {
    expect(keysAt(configSchema, [name])).toEqual(Object.keys(table));
    expect(rowsOf(titleOf(name))).toEqual(rowsFor(Object.entries(table)));
  },
);

test('every limit is read by a file other than the one that declares it', () => {
  const sources = sourcesBelow(['src']).filter((path) => !/\/(session|gateway|builtin)-limits\.ts$/.test(path));
  const words = new Set(sources.flatMap((path) => read(path).match(/\w+/g) ?? []));
  const names = Object.values(tables).flatMap((table) => Object.keys(table));
  const isComposed = (name: string) => /^(turn|session|speakerDay)(Tokens|Cents)$/.test(name); // in usage-limits.ts
  expect(names.filter((name) => !words.has(name) && !isComposed(name))).toEqual([]);
});

test('every role of a token is in the page', () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \| .+ \|$/gm)].map(([, name]) => name);
  expect(rows.filter((name) => roles.some((role) => role === name))).toEqual(roles);
});

test('the examples of the page are valid', () => {
  const [config, anthropic, prices, sessions, tokens, timeouts] = [...page.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(
    ([, text = '']) => JSON.parse(text),
  );
  expect(configSchema.parse(config)).toMatchObject(config);
  expect(configSchema.parse(anthropic)).toMatchObject(anthropic);
  expect(configSchema.parse(prices)).toMatchObject(prices);
  expect(configSchema.parse(sessions)).toMatchObject(sessions);
  expect(configSchema.parse(timeouts)).toMatchObject(timeouts);
  expect(() => createTokenAuthenticator(tokens)).not.toThrow();
});

test('every flag and every variable is in the page, and no other', () => {
  const all = (pattern: RegExp, text: string) =>
    [...new Set([...text.matchAll(pattern)].map(([found]) => found))].sort();
  const flags = Object.keys({ ...configFlags, ...busFlags }).map((flag) => `--${flag}`);
  expect(all(/(?<=`)--[a-z-]+/g, page)).toEqual([...flags, '--token'].sort()); // a chat's
  const variables = /\b(BELAY|OPENAI)_[A-Z_]+\b/g;
  expect(all(variables, page)).toEqual([...all(variables, usage), 'BELAY_TOKEN'].sort()); // a chat's
});

test('the reading of the tables sees what is missing', () => {
  const text =
    '\n## Limits\n\n| limit | unit | default | what |\n|---|---|---|---|\n| `a` | ms | 1 000 | x |\n\n## Gateway\n| `b` | 1 |\n';
  expect(rowsOf('Limits', text)).toEqual(rowsFor([['a', 1_000]]));
  expect(rowsOf('Limits', text)).not.toEqual(rowsFor([['a', 2_000]]));
  expect(rowsOf('Builtin', text)).toEqual([]);
});
