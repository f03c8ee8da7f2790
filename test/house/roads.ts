// The tables of roads in docs/architecture.md: what is called one after the other for a CANCEL and for a SAY, and the files beside both.
import { read } from './tree.ts';

export type RoadName = 'CANCEL' | 'SAY';
export const roadNames: readonly RoadName[] = ['CANCEL', 'SAY'];

/** A step of a road: a function that is called. */
export interface RoadRow {
  readonly file: string;
  /** The function; a method as `Class.method`. */
  readonly defines: string;
  /** The end of an earlier row's path, without `.ts`; undefined in the first row. */
  readonly from: string | undefined;
  /** The type, event, action or worker by whose name it is reached; undefined: one of the two files imports values of the other. */
  readonly by: string | undefined;
}

export const architecture = read('docs/architecture.md');

const sectionOf = (page: string, heading: string) => page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';

/** Reads the table of a road. */
export function roadIn(page: string, name: RoadName): RoadRow[] {
  const rows = /^\| `(\S+\.ts)` \| `(\S+)` \| .+ \| (?:`(\S+)`(?: by `(\S+)`)?)? ?\|$/gm;
  return [...sectionOf(page, `The road of a ${name}`).matchAll(rows)].map(([, file = '', defines = '', from, by]) => ({
    file,
    defines,
    from,
    by,
  }));
}

/** Reads the files beside the roads: they are executed at many places, or lead nowhere. */
export function filesBesideRoads(page: string): string[] {
  const rows = sectionOf(page, 'Beside both roads').match(/^\| .*\|$/gm) ?? [];
  return rows.flatMap((row) => [...row.matchAll(/`(\S+\.ts)`/g)].map(([, file = '']) => file));
}
