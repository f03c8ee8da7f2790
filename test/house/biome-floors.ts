// Translates the table of floors into Biome's overrides: one whole override for each row, because two overrides over one file do not merge.
import { folderOf, isFile } from './floor-rules.ts';
import { deniedNode, floors, fromSources, hidden, type Row } from './floors.ts';

/** The room that a path lies in: `src/core` of `src/core/live/tree.ts`; `src` of what lies in none. */
const roomOf = (at: string): string =>
  at
    .split('/')
    .slice(0, at.split('/').length > 2 ? 2 : 1)
    .join('/');

/** The imports of a file of the row: `**` stands for the way up. A file of the same room is named without the room, from its folder or from one inside. */
function globsOf(at: string, row: Row): string[] {
  const room = roomOf(at);
  const end = isFile(at) ? '' : '/**';
  if (room !== roomOf(row.at)) return [`**/${at.replace(/^src\//, '')}${end}`];
  return ['../', '../../', '../../../'].map((up) => `${up}${at.slice(room.length + 1)}${end}`);
}

/** Returns the patterns by which a file names another one of its own folder, or of the folder around it. */
function inOwnFolder(name: string, nested: boolean): string[] {
  const glob = isFile(name) ? name : `${name}/**`;
  return nested ? [`./${glob}`, `../${glob}`] : [`./${glob}`];
}

/** Everything is refused, then what the row allows is taken out again, then what is hidden is put back: the last match counts. */
function groupOf(row: Row): string[] {
  const own = folderOf(row);
  const inner = row.inner ?? [];
  const refused = hidden.filter(({ from }) => !from.includes(row.at)).flatMap(({ files }) => files);
  return [
    '**',
    '!./**',
    // a folder's own files, seen from inside; an index is for those outside (and from the folder itself this one is src/index.ts)
    ...(inner.length > 0 ? ['!../*.ts', '!../*.tsx', '../index.ts', ...inner.map((name) => `!**/${name}/**`)] : []),
    ...row.may.flatMap((at) => globsOf(at, row).map((glob) => `!${glob}`)),
    ...row.packages.flatMap((name) => [`!${name}`, `!${name}/**`]),
    ...(row.node ? ['!node:*', '!node:*/**'] : []),
    ...refused.filter((at) => row.may.some((may) => at.startsWith(`${may}/`))).flatMap((at) => globsOf(at, row)),
    ...refused
      .filter((at) => at.startsWith(`${own}/`))
      .flatMap((at) => inOwnFolder(at.slice(own.length + 1), inner.length > 0)),
  ];
}

/** Parts of Node that hold clocks, timers and chance, with what may be had of them. */
function pathsOf(row: Row): Record<string, { readonly message: string; readonly allowImportNames: readonly string[] }> {
  if (!row.node || row.at === 'src/core/sources/system.ts') return {};
  return Object.fromEntries(
    Object.entries(deniedNode).map(([part, allowImportNames]) => [part, { message: fromSources, allowImportNames }]),
  );
}

function overrideOf(row: Row) {
  const apart = floors
    .filter(({ at }) => at !== row.at && at.startsWith(`${row.at}/`))
    .map(({ at }) => `!${at}${isFile(at) ? '' : '/**'}`);
  const includes = isFile(row.at) ? [row.at] : [`${row.at}/**`, ...apart];
  const message = `Not from ${row.at}: see test/house/floors.ts.`;
  const noRestrictedImports = {
    level: 'error',
    options: { paths: pathsOf(row), patterns: [{ group: groupOf(row), message }] },
  };
  const noRestrictedGlobals = { level: 'error', options: { deniedGlobals: row.denied } };
  const noJsRestrictedProperties = { level: 'error', options: { entries: row.properties } };
  return {
    includes,
    linter: {
      rules: {
        style: { noRestrictedImports, noRestrictedGlobals },
        ...(row.properties.length > 0 ? { nursery: { noJsRestrictedProperties } } : {}),
      },
    },
  };
}

/** First line of biome.floors.jsonc. */
const notice = '// Generated from test/house/floors.ts by `npm run floors`: change the table, not this file.';

/** Returns the text of biome.floors.jsonc, before Biome formats it. */
export const floorsText = (): string => `${notice}\n${JSON.stringify({ overrides: floors.map(overrideOf) })}\n`;

/** Reads the JSON of a configuration whose comments take whole lines. */
export const parseLineCommented = (text: string): unknown => JSON.parse(text.replaceAll(/^\s*\/\/.*$/gm, ''));
