// The floors hold: the table allows every import of the sources, type imports too; Biome reads the same table.
import { describe, expect, test } from 'vitest';
import { floorsText, parseLineCommented } from './biome-floors.ts';
import { deniedUses } from './denied.ts';
import { covers, isFile, refusal, rowOf } from './floor-rules.ts';
import { floors } from './floors.ts';
import { importsOf } from './imports.ts';
import { filesBelow, read, sourcesBelow } from './tree.ts';

const sources = sourcesBelow(['machines', 'src']);
const isInCore = (path: string): boolean => covers('src/core', path) || covers('machines', path);

describe('floors', () => {
  test('every folder of the sources has a row', () => {
    expect(sources.filter((path) => !rowOf(path))).toEqual([]);
  });

  test('every folder inside a floor stands in its row', () => {
    const unlisted = sources.filter((path) => {
      const row = rowOf(path);
      const folders = row && !isFile(row.at) ? path.slice(row.at.length + 1).split('/') : [];
      return folders.length > 1 && !row?.inner?.includes(folders[0] ?? '');
    });
    expect(unlisted).toEqual([]);
  });

  test('every import is one that the table allows', () => {
    const crossings = sources.flatMap((path) => {
      const row = rowOf(path);
      if (!row) return [];
      return importsOf(path, read(path)).flatMap(({ specifier, path: target, names, line }) => {
        const why = refusal(row, path, { target: target ?? specifier, names });
        return why === null ? [] : [`${path}:${line} ${specifier}: ${why}`];
      });
    });
    expect(crossings).toEqual([]);
  });

  test('nothing in the core may import what is outside it, adapters least of all', () => {
    const outward = floors
      .filter(({ at }) => covers('src/core', at))
      .flatMap(({ at, may }) => may.filter((target) => !isInCore(target)).map((target) => `${at}: ${target}`));
    expect(outward).toEqual([]);
  });

  test('an adapter that is imported in the core is refused, also its types', () => {
    const planted = "import type { KeptSessions } from '../../adapters/acp/kept-sessions.ts';";
    const importer = 'src/core/runtime/planted.ts';
    const row = rowOf(importer);
    const [found] = importsOf(importer, planted);
    if (!row || !found?.path) throw new Error('it has a row and an import');
    expect(refusal(row, importer, { target: found.path, names: found.names })).toBe(
      'src/core/runtime may not import src/adapters/acp/kept-sessions.ts.',
    );
  });

  test('no denied word is used', () => {
    const uses = sources.flatMap((path) => {
      const row = rowOf(path);
      return row
        ? deniedUses(row, read(path)).map(({ line, word, message }) => `${path}:${line} ${word}: ${message}`)
        : [];
    });
    expect(uses).toEqual([]);
  });

  test('every relative import names a file that exists, by its full name', () => {
    const folders = ['machines', 'src', 'test', 'bench', 'scripts', 'docs/examples'];
    const all = new Set(filesBelow(''));
    const lost = sourcesBelow(folders).flatMap((path) =>
      importsOf(path, read(path))
        .filter(({ path: target }) => target !== null && !all.has(target))
        .map(({ specifier, line }) => `${path}:${line} ${specifier}`),
    );
    expect(lost).toEqual([]);
  });

  test('there are no import aliases, which no floor would see', () => {
    expect(JSON.parse(read('package.json'))).not.toHaveProperty('imports');
    expect(read('tsconfig.json')).not.toMatch(/"(paths|baseUrl|rootDirs)"/);
  });

  test('biome.floors.jsonc holds the same table (npm run floors writes it)', () => {
    expect(parseLineCommented(read('biome.floors.jsonc'))).toEqual(parseLineCommented(floorsText()));
  });

  test('biome.json extends it, and takes none of its rules back', () => {
    const config = JSON.parse(read('biome.json'));
    expect(config.extends).toEqual(['./biome.floors.jsonc']);
    expect(JSON.stringify(config)).not.toMatch(/noRestricted|noJsRestricted/);
  });
});
