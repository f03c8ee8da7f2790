// Every file keeps the rules of the house.
import { beforeAll, describe, expect, test } from 'vitest';
import { rules } from './rules.ts';
import { read, sourcesBelow } from './tree.ts';

/** The files that break a rule, by its id, each with what breaks it. */
const found = new Map(rules.map(({ id }) => [id, [] as string[]] as const));
let files: readonly string[] = [];

// file by file: a file is parsed once for all rules
beforeAll(() => {
  files = sourcesBelow([...new Set(rules.flatMap(({ folders }) => folders))]);
  for (const path of files) {
    const source = read(path);
    for (const { id, folders, breaches } of rules) {
      if (!folders.some((folder) => path.startsWith(`${folder}/`))) continue;
      const broken = breaches(path, source);
      if (broken.length > 0) found.get(id)?.push(`${path}: ${broken.join('; ')}`);
    }
  }
}, 300_000);

test.each(rules)('$name', ({ id, folders }) => {
  expect(found.get(id)).toEqual([]);
  for (const folder of folders)
    expect(
      files.some((path) => path.startsWith(`${folder}/`)),
      folder,
    ).toBe(true);
});

describe('each rule sees what breaks it', () => {
  const breaches = (id: string, source: string) => rules.find((rule) => rule.id === id)?.breaches('src/x.ts', source);
  const long = 'x();\n'.repeat(70);

  test('a long function, of whatever kind', () => {
    expect(breaches('long-function', `function a() {\n${long}}\nconst b = () => {\n${long}};`)).toEqual([
      'line 1: 72 lines',
      'line 73: 72 lines',
    ]);
    expect(breaches('long-function', `class A {\n  #m() {\n${long}  }\n}`)).toEqual(['line 2: 72 lines']);
    expect(
      breaches('long-function', `describe('x', () => {\n${long}});\nconst table = {\n${'a: 1,\n'.repeat(99)}};`),
    ).toEqual([]);
  });

  test('but not a suite of tests', () => {
    const suite = `function contract() {\n  describe('x', () => {\n${long}  });\n}`;
    expect(breaches('long-function', suite)).toEqual([]);
    expect(breaches('long-function', suite.replace('describe', 'other'))).toHaveLength(2);
  });

  test('a spread that folds lines', () => {
    expect(breaches('folded-line', 'const a = { b, ...{ c, d }, e };\nf([1, ...[2, 3]]);')).toEqual([
      'line 1: ...{',
      'line 2: ...[',
    ]);
    const needed =
      'f({ ...(a && { b }), ...c, ...[d, e].map(g), ...[...h], ...([j] as const).map(k), ...({ l } satisfies M).l });\nfunction i(...[a, b]: J) {}';
    expect(breaches('folded-line', needed)).toEqual([]);
    expect(breaches('folded-line', 'f([...([1, 2] as const), ...({ a })]);')).toEqual(['line 1: ...[', 'line 1: ...{']);
  });

  test('an exported function without a docblock', () => {
    const source =
      'export function a() {}\n/** Says b. */\nexport function b() {}\nexport const c = async () => {};\nconst d = () => {};\nexport const e = 1;';
    expect(breaches('docblock', source)).toEqual(['line 1: a', 'line 4: c']);
  });

  test('a docblock that begins with an exception', () => {
    const source = '/** Null: it has none. */\nlet a;\n/**\n * Empty while it is not known.\n */\nlet b;';
    expect(breaches('exception-first', source)).toHaveLength(2);
    for (const start of [
      'Of a turn: why.',
      'Left out: none.',
      'Default: 3.',
      '0: no limit.',
      'Without tokens there is none.',
    ])
      expect(breaches('exception-first', `/** ${start} */\nlet a;`)).toHaveLength(1);
    expect(
      breaches(
        'exception-first',
        '/** The name; null: it has none. */\n/** Notifies of it. Default: never. */\nlet a;',
      ),
    ).toEqual([]);
  });

  test('a docblock of a function that asks', () => {
    const asking =
      '/** What it has. */\nexport async function a() {}\n  /** How long it took. */\n  const b = (c) => c;';
    expect(breaches('question-first', asking)).toHaveLength(2);
    const saying = '/** How long it may take. */\nconst a = 1;\n/** Returns what it has. */\nfunction b() {}';
    expect(breaches('question-first', saying)).toEqual([]);
  });

  test('a first line that asks', () => {
    for (const line of ['// What it is.', '// How it goes.', '/** Whose it is. */'])
      expect(breaches('first-line', `${line}\nx();`)).toEqual([line]);
    expect(breaches('first-line', '// Whatever is left.\n// What else.\nx();')).toEqual([]);
  });

  test('a bare verb as a name', () => {
    const source =
      'interface A { take(): void; leave: () => void; end: number }\nclass B { #tell() {} end() {} }\nconst look = () => {};\nconst c = { give: () => {}, takeOne() {} };';
    expect(breaches('bare-verb', source)).toEqual([
      'line 1: take',
      'line 1: leave',
      'line 2: #tell',
      'line 2: end',
      'line 3: look',
      'line 4: give',
    ]);
  });

  test('`leave` is a name where it is the verb of the protocol', () => {
    expect(breaches('bare-verb', 'class A { join() {} leave() {} take() {} }')).toEqual(['line 1: take']);
    expect(breaches('bare-verb', 'class A { leave() {} }')).toEqual(['line 1: leave']);
  });

  test('a text that is printed as it is', () => {
    const source = "console.log(name);\nprocess.stdout.write(text);\n// console.log\nconst a = 'console.log(1)';";
    expect(breaches('raw-print', source)).toEqual(['line 1: console', 'line 2: write']);
    expect(breaches('raw-print', 'process.stdout.write(usage);')).toEqual([]);
  });

  test('a cast that nothing explains', () => {
    expect(breaches('cast', 'x();\nconst a = b as string;\nf(a as unknown as C);')).toEqual([
      'line 2: as string',
      'line 3: as C',
      'line 3: as unknown',
    ]);
    expect(breaches('cast', '// b was checked\nconst a = b as string;\nf(a as C); // a is one')).toEqual([]);
    expect(breaches('cast', 'const a = [1] as const;\nsetup({ types: { context: {} as A } });')).toEqual([]);
  });
});
