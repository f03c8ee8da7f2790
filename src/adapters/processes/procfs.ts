// Process table of Linux, from /proc. One read takes some 15 µs; a promise for each would take more.
import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate as nextTick } from 'node:timers/promises';
import { type Listing, markerName, type ProcessInfo, type ProcessTable, type ProcessVisitor } from './process-table.ts';

/** Processes that are read before the event loop continues: well under a millisecond. */
const sliceLength = 32;
/** How often a listing continues with new processes, as long as something was gone before it could be read. */
const maxRounds = 8;

/** The oldest first, until the numbers start again. */
function readPids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}

/** The index of `env_start` after the name, in proc_pid_stat(5); `env_end` is next. */
const environmentStart = 47;

/** Read once. Start times count from the boot: without its id, those of two boots could be taken for each other. */
let bootId: string | undefined;

/** proc_pid_stat(5). The name stands in parentheses and may contain anything, so the fields are counted from its end. */
const statFieldsOf = (stat: string) => stat.slice(stat.lastIndexOf(')') + 2).split(' ');

/** `gone`: it has ended. `hidden`: another user's process, on a system that hides these: none of ours. */
type Absence = 'gone' | 'hidden';

const absences = new Map<unknown, Absence>([
  ['ENOENT', 'gone'],
  ['ESRCH', 'gone'],
  ['EACCES', 'hidden'],
  ['EPERM', 'hidden'],
]);

/** Why there is nothing to read in the folder of a process; undefined: the system does not say. */
const absenceIn = (error: unknown): Absence | undefined =>
  error instanceof Error && 'code' in error ? absences.get(error.code) : undefined;

/** Throws if the system does not say. */
function readStat(pid: number): ProcessInfo | Absence {
  try {
    const fields = statFieldsOf(readFileSync(`/proc/${pid}/stat`, 'latin1'));
    const [state, parent, group] = fields;
    const threads = Number(fields[17]);
    const ticks = fields[19];
    if (state === undefined || ticks === undefined || state === 'X') return 'gone';
    bootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    return {
      pid,
      parent: Number(parent),
      group: Number(group),
      startTime: `${bootId}/${ticks}`,
      state: state === 'Z' && threads <= 1 ? 'zombie' : 'alive', // the first thread may end before the others
    };
  } catch (error) {
    const absence = absenceIn(error);
    if (absence) return absence;
    throw error;
  }
}

function read(pid: number): ProcessInfo | null {
  const found = readStat(pid);
  return typeof found === 'string' ? null : found;
}

/** Best effort. */
function readMany(pids: readonly number[]): ProcessInfo[] {
  return pids.flatMap((pid) => {
    try {
      return read(pid) ?? [];
    } catch {
      return [];
    }
  });
}

/** Best effort. */
function readPidsOrNone(): number[] {
  try {
    return readPids();
  } catch {
    return [];
  }
}

function childPids(pid: number): number[] {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads
      .flatMap((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1').split(' '))
      .filter(Boolean)
      .map(Number);
  } catch {
    return []; // gone, or a kernel without CONFIG_PROC_CHILDREN
  }
}

/** In their order: a shell gets its signal before its child does, or it would run its next command. Null: the system does not say now. */
function newPids(seen: ReadonlySet<number>): number[] | null {
  try {
    return readPids().filter((pid) => !seen.has(pid));
  } catch (error) {
    if (absenceIn(error) === 'gone') throw error; // there is no /proc at all
    return null;
  }
}

/**
 * A process that has died since the pids were listed may have forked another that is not among them. So the listing continues with the
 * new pids, until it has read all of a round alive: then it has missed nothing.
 */
async function listAll(visit: ProcessVisitor): Promise<Listing> {
  const processes: ProcessInfo[] = [];
  const seen = new Set<number>();
  let steady = false;
  for (let round = 0; round < maxRounds && !steady; round++) {
    const pids = newPids(seen);
    steady = pids !== null;
    for (const [at, pid] of pids?.entries() ?? []) {
      if (at > 0 && at % sliceLength === 0) await nextTick();
      let found: ProcessInfo | Absence;
      try {
        found = readStat(pid);
      } catch {
        steady = false; // it may be there: the next round reads it again
        continue;
      }
      seen.add(pid);
      if (typeof found !== 'string') {
        processes.push(found);
        visit(found);
      }
      steady &&= found === 'hidden' || (typeof found !== 'string' && found.state === 'alive');
    }
  }
  return { processes, steady };
}

/** A process may have an empty environment for good. In the middle of an exec, and after its end, it has none at all. */
function hasEmptyEnvironment(folder: string): boolean {
  const fields = statFieldsOf(readFileSync(`${folder}/stat`, 'latin1'));
  const [start, end] = [fields[environmentStart], fields[environmentStart + 1]];
  return start === end && end !== '0';
}

/** Reads the environment. `folder`: a process's, or one of its threads'. Null: it has none now. Throws if the system does not say. */
function environmentIn(folder: string): string | null {
  try {
    const environment = readFileSync(`${folder}/environ`, 'latin1');
    return environment !== '' || hasEmptyEnvironment(folder) ? environment : null;
  } catch (error) {
    if (absenceIn(error) === 'gone') return null;
    throw error;
  }
}

/** A process shows the environment of its first thread: none, when that has ended while others live. Then another thread shows it. */
function environmentOf(pid: number): string | null {
  const environment = environmentIn(`/proc/${pid}`);
  if (environment !== null) return environment;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const found = environmentIn(`/proc/${pid}/task/${thread}`);
    if (found !== null) return found;
  }
  return null;
}

/** Makes one listing of all that are requested in one tick. It starts in the next tick, so it sees what was there at each request. */
function shareListing(
  listAll: (visit: ProcessVisitor) => Promise<Listing>,
): (visit?: ProcessVisitor) => Promise<Listing> {
  let due: { readonly visits: ProcessVisitor[]; readonly listing: Promise<Listing> } | null = null;
  return (visit) => {
    if (!due) {
      const visits: ProcessVisitor[] = [];
      const listing = nextTick().then(() => {
        due = null;
        return listAll((process) => {
          for (const visit of visits) visit(process);
        });
      });
      due = { visits, listing };
    }
    if (visit) due.visits.push(visit);
    return due.listing;
  };
}

export const procfs: ProcessTable = {
  firstPollMs: 1, // most are dead in a moment
  pollMs: 10,
  read,
  group: (group) => readMany(readPidsOrNone()).filter((process) => process.group === group),
  children: (pid) => readMany(childPids(pid)).filter(({ parent }) => parent === pid),

  list: shareListing(listAll),

  startedSince(process, startTime) {
    const [ownBoot, ownTicks] = process.startTime.split('/');
    const [thatBoot, thatTicks] = startTime.split('/');
    return ownBoot === thatBoot && Number(ownTicks) >= Number(thatTicks);
  },

  bears({ pid, group }, marker) {
    if (group === 0) return 'no'; // a thread of the kernel
    try {
      const environment = environmentOf(pid);
      if (environment === null) return 'unclear';
      return `\0${environment}`.includes(`\0${markerName}=${marker}\0`) ? 'yes' : 'no';
    } catch (error) {
      return absenceIn(error) === 'hidden' ? 'no' : 'unclear'; // another user's is none of ours
    }
  },
};
