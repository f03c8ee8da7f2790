// The file in which a host records the processes that it has started and not seen dead: for the case that it is killed before it can stop them.
//
// 1. One file for each host process, in a folder of its user. It is replaced as a whole, and removed as soon as nothing runs.
// 2. It names the system that its pids belong to: in a container, or on another machine that shares the folder, they mean other processes.
import { readFileSync, readlinkSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { fieldsOf } from '../../core/collections/fields.ts';
import type { ProcessInfo } from './process-table.ts';

/** Processes that were started under one marker. */
export interface Mark {
  readonly marker: string;
  /** The group that the first of them leads; null: not known yet. */
  readonly group: number | null;
  readonly startTime: string | null;
  /** The kind of its owner. Left out: a call, which a store may record too. `host`: an MCP server, which no store records while it is idle. */
  readonly belongsTo?: 'host' | undefined;
}

export interface HostRecord {
  readonly host: Pick<ProcessInfo, 'pid' | 'startTime'>;
  readonly system: string;
  /** Whether a store on disk records the calls, too: then the next start on that store ends the processes of calls. */
  readonly hasStore: boolean;
  readonly marks: readonly Mark[];
}

/** Marks of one record; a host that runs more processes at once records the newest. */
export const maxMarks = 1_000;

/** Returns the folder of the records: `belay/hosts` in XDG_STATE_HOME, or in `~/.local/state`. */
export function recordsFolder(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  const { XDG_STATE_HOME: state = '' } = environment;
  return join(isAbsolute(state) ? state : join(homedir(), '.local', 'state'), 'belay', 'hosts');
}

/** Returns the file that replaces a record when it is written. */
export const newRecordOf = (file: string): string => `${file}.new`;

let system: string | undefined;
/** Identifies the boot and the pid namespace, where the system says. */
export function thisSystem(): string {
  system ??= readSystem();
  return system;
}

function readSystem(): string {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname(); // not Linux
  }
}

/** Parses a record. Null: it is none. */
export function parseHostRecord(text: string): HostRecord | null {
  try {
    const { host, system: of, hasStore, marks } = fieldsOf(JSON.parse(text));
    const { pid, startTime } = fieldsOf(host);
    if (!isPid(pid) || typeof startTime !== 'string' || typeof of !== 'string' || !Array.isArray(marks)) return null;
    const parsed = marks.slice(0, maxMarks).flatMap((mark) => parseMark(mark) ?? []);
    return { host: { pid, startTime }, system: of, hasStore: hasStore === true, marks: parsed };
  } catch {
    return null;
  }
}

const isPid = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 1;

function parseMark(value: unknown): Mark | null {
  const { marker, group, startTime, belongsTo } = fieldsOf(value);
  if (typeof marker !== 'string' || marker === '') return null;
  const owned = { marker, ...(belongsTo === 'host' && { belongsTo: 'host' as const }) };
  return isPid(group) && typeof startTime === 'string'
    ? { ...owned, group, startTime }
    : { ...owned, group: null, startTime: null };
}
