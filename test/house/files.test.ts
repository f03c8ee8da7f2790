// A file is one noun or one verb, a page or two: its name, its first line, its length.
import { describe, expect, test } from 'vitest';
import { tokensOf } from './tokens.ts';
import { read, sourcesBelow } from './tree.ts';

const files = sourcesBelow(['machines', 'src', 'test', 'bench', 'scripts', 'docs/examples']);
const question = 300;
const limit = 400;

/** The comment at the top of a file, behind its `#!` line. */
function headerOf(source: string): string {
  const [first, second] = tokensOf(source);
  const header = first?.text.startsWith('#!') ? second : first;
  if (header?.kind !== 'comment') return '';
  if (!header.text.startsWith('//')) return header.text;
  const lines = source.split('\n').slice(header.line - 1);
  const end = lines.findIndex((line) => !line.startsWith('//'));
  return lines.slice(0, end === -1 ? lines.length : end).join('\n');
}

const firstLineSays = (source: string): boolean => /^(\/\/|\/\*\*?) \S+ \S+ \S+/.test(headerOf(source));
const isTooLong = (source: string): boolean => lengthOf(source) > limit && !headerOf(source).includes('Long because');
const lengthOf = (source: string): number => source.trimEnd().split('\n').length;
const forbiddenName =
  /(^|\/)(utils?|helpers?|common|managers?|misc|types)(\/|\.[^/]*$)|[a-z]-?(utils?|helpers?|manager)\.[^/]*$/i;

describe('files', () => {
  test('the first line of each says what lives there', () => {
    expect(files.filter((path) => !firstLineSays(read(path)))).toEqual([]);
  });

  test(`none is over ${limit} lines without "Long because" in its header`, () => {
    const lengths = files.map((path) => ({ path, lines: lengthOf(read(path)) }));
    const asked = lengths.filter(({ lines }) => lines > question);
    if (asked.length > 0) {
      console.info(`over ${question} lines: ${asked.map(({ path, lines }) => `${path} (${lines})`).join(', ')}`);
    }
    expect(lengths.filter(({ path }) => isTooLong(read(path)))).toEqual([]);
  });

  test('none has a name that says nothing', () => {
    expect(files.filter((path) => forbiddenName.test(path))).toEqual([]);
  });
});

describe('the rules see what breaks them', () => {
  test('a first line without words', () => {
    expect(firstLineSays("import 'x';\n// A file that says it late.\n")).toBe(false);
    expect(firstLineSays('//\n')).toBe(false);
    expect(firstLineSays('#!/usr/bin/env node\n// What lives here.\n')).toBe(true);
    expect(firstLineSays('// What lives here.\n')).toBe(true);
  });

  test('a long file without a reason', () => {
    const long = `// What lives here.\n${'x();\n'.repeat(limit)}`;
    expect(isTooLong(long)).toBe(true);
    expect(isTooLong(long.replace('here.', 'here.\n// Long because it is one table.'))).toBe(false);
    expect(isTooLong(`${long}// Long because of a line that is no header.\n`)).toBe(true);
    expect(isTooLong(`// What lives here.\n${'x();\n'.repeat(limit - 1)}`)).toBe(false);
  });

  test('a name that says nothing', () => {
    const names = [
      'src/utils.ts',
      'src/model/helpers/x.ts',
      'src/live/types.ts',
      'src/a/session-manager.ts',
      'src/common/x.ts',
    ];
    expect(names.filter((name) => !forbiddenName.test(name))).toEqual([]);
    expect(
      ['src/live/tree.ts', 'src/runtime/typesetting.ts', 'src/x/commonplace.ts'].filter((name) =>
        forbiddenName.test(name),
      ),
    ).toEqual([]);
  });
});
