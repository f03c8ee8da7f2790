// Ends the processes that hosts of this user have left which were killed: as their records name them.
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DeadHostsOptions } from '../../core/contracts/processes.ts';
import { isProvenDead } from './host-process.ts';
import { type HostRecord, type Mark, newRecordOf, parseHostRecord, recordsFolder, thisSystem } from './host-record.ts';
import { markerName } from './process-table.ts';
import { terminateLeftovers } from './terminate-leftovers.ts';

/** For so long the calls of a host with a store on disk are left to the next start on that store, which records their end. */
const storeMs = 600_000;
/** A record that cannot be judged here (another machine's, another container's) is removed after that. */
const staleMs = 30 * 24 * 3_600_000;
/** Records that are read at one start. */
const maxRecords = 1_000;
const maxRecordBytes = 1_048_576;

/**
 * Ends what dead hosts have left, and removes their records. Resolves as soon as all has ended, or after the grace and `waitMs`, with how many processes have
 * ended. Never rejects, and never touches a process of a host that is or may be alive.
 */
export async function terminateLeftoversOfDeadHosts(options: DeadHostsOptions): Promise<number> {
  const { clock, termGraceMs, waitMs, only, warn } = options;
  const dead = findDeadHosts(clock.now(), only);
  if (dead.length === 0) return 0;
  let endedProcesses = 0;
  const { promise: timeIsUp, resolve } = Promise.withResolvers<'late'>();
  const disarm = clock.after(termGraceMs + waitMs, () => resolve('late'));
  const ended = dead.map(async ({ path, record, left }) => {
    const leftovers = await terminateLeftovers(leftoversOf(left), { clock, termGraceMs });
    for (const leftover of leftovers) endedProcesses += leftover.ended;
    if (left.length < record.marks.length) return;
    // the host may have been killed while it replaced its record
    for (const file of [path, newRecordOf(path)]) rmSync(file, { force: true });
  });
  const end = await Promise.race([Promise.all(ended), timeIsUp]);
  disarm();
  if (end === 'late') {
    const pids = dead.map(({ record }) => record.host.pid).join(', ');
    warn(`Processes of a dead host (pid ${pids}) may still be alive ${termGraceMs + waitMs} ms after TERM.`);
  }
  return endedProcesses;
}

/** A host that was started by such a process must not end its own parents. */
const leftoversOf = (marks: readonly Mark[]) =>
  marks.flatMap(({ marker, group, startTime }) =>
    marker === process.env[markerName] ? [] : [{ node: marker, group, startTime }],
  );

interface FoundRecord {
  readonly path: string;
  readonly record: HostRecord;
  /** Those of its marks that this start ends. */
  readonly left: readonly Mark[];
}

function findDeadHosts(now: number, only: DeadHostsOptions['only']): readonly FoundRecord[] {
  const folder = recordsFolder();
  return listOrNone(folder).flatMap((name) => {
    const path = join(folder, name);
    try {
      const { mtimeMs, size } = statSync(path);
      const record = size > maxRecordBytes ? null : parseHostRecord(readFileSync(path, 'utf8'));
      const ageMs = now - mtimeMs;
      if (record === null || record.system !== thisSystem()) {
        if (ageMs > staleMs) rmSync(path, { force: true });
        return [];
      }
      const { host, system, marks } = record;
      if (!isProvenDead({ ...host, system })) return [];
      const isLeftToItsStore = record.hasStore && ageMs < storeMs;
      const left = only === 'host' || isLeftToItsStore ? marks.filter(({ belongsTo }) => belongsTo === 'host') : marks;
      return [{ path, record, left }];
    } catch {
      return []; // another start has removed it
    }
  });
}

function listOrNone(folder: string): readonly string[] {
  try {
    return readdirSync(folder).slice(0, maxRecords);
  } catch {
    return []; // no host has recorded anything
  }
}
