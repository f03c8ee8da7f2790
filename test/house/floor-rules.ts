// Decides by the table of floors whether a file may import another.
import { deniedNode, floors, fromSources, hidden, type Row } from './floors.ts';

/** Whether a row is that of a file. */
export const isFile = (at: string): boolean => at.endsWith('.ts');
/** Whether a path is a row's, or below it. */
export const covers = (at: string, path: string): boolean => path === at || path.startsWith(`${at}/`);
/** Returns the folder of a row's files. */
export const folderOf = (row: Row): string => (isFile(row.at) ? row.at.slice(0, row.at.lastIndexOf('/')) : row.at);

/** Returns the row of a file: the nearest one above it. */
export function rowOf(path: string, rows: readonly Row[] = floors): Row | undefined {
  return rows.filter((row) => covers(row.at, path)).sort((a, b) => b.at.length - a.at.length)[0];
}

/** An import: of a file of the checkout, a package or a part of Node; `names` where they are listed. */
export interface Wanted {
  readonly target: string;
  readonly names: readonly string[] | null;
}

/** Returns why a file with this row may not import that; null: it may. */
export function refusal(row: Row, importer: string, { target, names }: Wanted): string | null {
  if (target.startsWith('node:')) {
    const allowed = row.at === 'src/core/sources/system.ts' ? undefined : deniedNode[target];
    if (allowed && !names?.every((name) => allowed.includes(name))) return fromSources;
    return row.node ? null : `${row.at} may not import parts of Node.`;
  }
  if (!target.startsWith('src/') && !target.startsWith('machines/')) {
    return row.packages.some((name) => covers(name, target)) ? null : `${row.at} may not import the package ${target}.`;
  }
  for (const { files, from, message } of hidden) {
    const one = files.find((file) => covers(file, target));
    if (one && !covers(one, importer) && !from.includes(row.at)) return message;
  }
  if (covers(folderOf(row), target) || row.may.some((at) => covers(at, target))) return null;
  return `${row.at} may not import ${target}.`;
}
