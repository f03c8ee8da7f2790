// Each file has a name that says something, a first line of words, and a base name that it shares with at most one other.
import { describe, expect, test } from 'vitest';
import { headerOf } from './file-header.ts';
import { read, sourcesBelow } from './tree.ts';

const files = sourcesBelow(['machines', 'src', 'test', 'bench', 'scripts', 'docs/examples']);

const firstLineSays = (source: string): boolean => /^(\/\/|\/\*\*?) \S+ \S+ \S+/.test(headerOf(source));
const forbiddenName =
  /(^|\/)(utils?|helpers?|common|managers?|misc|types)(\/|\.[^/]*$)|[a-z]-?(utils?|helpers?|manager)\.[^/]*$/i;

/** The base names that more than two of the paths have; each folder may have an index. */
function repeated(paths: readonly string[]): string[] {
  const names = paths.map((path) => path.slice(path.lastIndexOf('/') + 1)).filter((name) => name !== 'index.ts');
  return [...new Set(names.filter((name) => names.filter((other) => other === name).length > 2))];
}

describe('files', () => {
  test('the first line of each says what lives there', () => {
    expect(files.filter((path) => !firstLineSays(read(path)))).toEqual([]);
  });

  test('none has a name that says nothing', () => {
    expect(files.filter((path) => forbiddenName.test(path))).toEqual([]);
  });

  test('a base name stands at most twice in machines and src', () => {
    expect(repeated(files.filter((path) => /^(machines|src)\//.test(path)))).toEqual([]);
  });
});

describe('the rules see what breaks them', () => {
  test('a first line without words', () => {
    expect(firstLineSays("import 'x';\n// A file that says it late.\n")).toBe(false);
    expect(firstLineSays('//\n')).toBe(false);
    expect(firstLineSays('#!/usr/bin/env node\n// What lives here.\n')).toBe(true);
    expect(firstLineSays('// What lives here.\n')).toBe(true);
  });

  test('a base name that stands three times', () => {
    expect(
      repeated(['src/a/limits.ts', 'src/b/limits.ts', 'src/c/limits.ts', 'src/c/wire.ts', 'src/d/wire.ts']),
    ).toEqual(['limits.ts']);
  });

  test('a name that says nothing', () => {
    const names = [
      'src/utils.ts',
      'src/adapters/models/helpers/x.ts',
      'src/core/live/types.ts',
      'src/a/session-manager.ts',
      'src/common/x.ts',
    ];
    expect(names.filter((name) => !forbiddenName.test(name))).toEqual([]);
    expect(
      ['src/core/live/tree.ts', 'src/core/runtime/typesetting.ts', 'src/x/commonplace.ts'].filter((name) =>
        forbiddenName.test(name),
      ),
    ).toEqual([]);
  });
});
