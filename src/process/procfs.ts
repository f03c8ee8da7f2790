// The process table of Linux, from /proc. One read of it takes some 15 µs; a promise for each would take more.
import { readdirSync, readFileSync } from 'node:fs';
import { type Listing, markerName, type ProcessInfo, type ProcessTable, type ProcessVisitor } from './process-table.ts';

/** Processes read before the event loop gets its turn: well under a millisecond. */
const sliceLength = 32;
/** How often a listing goes on to what has come meanwhile, as long as something was gone before it could be read. */
const maxRounds = 8;

const readText = (path: string) => readFileSync(path, 'latin1');

/** The oldest first, until the numbers begin again. */
function listPids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}

/** Where `env_start` stands behind the name, in proc_pid_stat(5); `env_end` is next. */
const environmentStart = 47;

let bootId: string | undefined;
/** Start times count from the boot: without its id, those of two boots could be taken for each other. */
function boot(): string {
  bootId ??= readText('/proc/sys/kernel/random/boot_id').trim();
  return bootId;
}

/** proc_pid_stat(5). The name stands in parentheses and may contain anything, so the fields are counted from its end. */
const fieldsOf = (stat: string) => stat.slice(stat.lastIndexOf(')') + 2).split(' ');

function parse(pid: number, stat: string): ProcessInfo | null {
  const fields = fieldsOf(stat);
  const [state, parent, group] = fields;
  const threads = Number(fields[17]);
  const ticks = fields[19];
  if (state === undefined || ticks === undefined || state === 'X') return null;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    startTime: `${boot()}/${ticks}`,
    state: state === 'Z' && threads <= 1 ? 'zombie' : 'alive', // a first thread that has ended is no end of the others
  };
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? '';
const isGone = (error: unknown) => ['ENOENT', 'ESRCH'].includes(codeOf(error));
/** Another user's, on a system that hides these: none of ours. */
const isHidden = (error: unknown) => ['EACCES', 'EPERM'].includes(codeOf(error));

function read(pid: number): ProcessInfo | null {
  try {
    return parse(pid, readText(`/proc/${pid}/stat`));
  } catch (error) {
    if (isGone(error) || isHidden(error)) return null;
    throw error;
  }
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
function pidsNow(): number[] {
  try {
    return listPids();
  } catch {
    return [];
  }
}

function childPids(pid: number): number[] {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads
      .flatMap((thread) => readText(`/proc/${pid}/task/${thread}/children`).split(' '))
      .filter(Boolean)
      .map(Number);
  } catch {
    return []; // gone, or a kernel without CONFIG_PROC_CHILDREN
  }
}

/** `gone`: since the pids were listed. `unread`: it may be there. */
function meet(pid: number): ProcessInfo | 'gone' | 'hidden' | 'unread' {
  try {
    return parse(pid, readText(`/proc/${pid}/stat`)) ?? 'gone';
  } catch (error) {
    if (isGone(error)) return 'gone';
    return isHidden(error) ? 'hidden' : 'unread';
  }
}

/** In their order: a shell whose child is ended before it would go on to its next command. Null: it cannot be told now. */
function pidsWithout(met: ReadonlySet<number>): number[] | null {
  try {
    return listPids().filter((pid) => !met.has(pid));
  } catch (error) {
    if (isGone(error)) throw error; // there is no /proc at all
    return null;
  }
}

/**
 * What has died since the pids were listed may have forked what is not among them. So the listing goes on to those that have come
 * meanwhile, until it has met all of a round alive: then nothing has slipped through.
 */
async function listAll(visit: ProcessVisitor): Promise<Listing> {
  const processes: ProcessInfo[] = [];
  const met = new Set<number>();
  let steady = false;
  for (let round = 0; round < maxRounds && !steady; round++) {
    const pids = pidsWithout(met);
    steady = pids !== null;
    for (const [at, pid] of pids?.entries() ?? []) {
      if (at > 0 && at % sliceLength === 0) await nextTick();
      const found = meet(pid);
      if (found !== 'unread') met.add(pid);
      if (typeof found !== 'string') {
        processes.push(found);
        visit(found);
      }
      steady &&= found === 'hidden' || (typeof found !== 'string' && found.state === 'alive');
    }
  }
  return { processes, steady };
}

/** One that was given none has an empty environment for good: in the middle of its exec, and behind its end, it has none at all. */
function wasGivenNone(folder: string): boolean {
  const fields = fieldsOf(readText(`${folder}/stat`));
  const [start, end] = [fields[environmentStart], fields[environmentStart + 1]];
  return start === end && end !== '0';
}

/** `folder`: a process's, or one of its threads'. Null: it has none now. Throws where the system does not say. */
function environmentIn(folder: string): string | null {
  try {
    const environment = readText(`${folder}/environ`);
    return environment !== '' || wasGivenNone(folder) ? environment : null;
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

/** A process shows what its first thread has: nothing, when that has ended while others live. Then one of these tells. */
function environmentOf(pid: number): string | null {
  const environment = environmentIn(`/proc/${pid}`);
  if (environment !== null) return environment;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const found = environmentIn(`/proc/${pid}/task/${thread}`);
    if (found !== null) return found;
  }
  return null;
}

const nextTick = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** Looks that are asked for in one tick are one look. It begins in the next one, so it sees what was there when each was asked for. */
function shared(look: (visit: ProcessVisitor) => Promise<Listing>): (visit?: ProcessVisitor) => Promise<Listing> {
  let asked: { readonly visits: ProcessVisitor[]; readonly listing: Promise<Listing> } | null = null;
  const begin = () => {
    const visits: ProcessVisitor[] = [];
    const listing = nextTick().then(() => {
      asked = null;
      return look((process) => {
        for (const visit of visits) visit(process);
      });
    });
    return { visits, listing };
  };
  return (visit) => {
    asked ??= begin();
    if (visit) asked.visits.push(visit);
    return asked.listing;
  };
}

export const procfs: ProcessTable = {
  firstPollMs: 1, // most are dead in a moment
  pollMs: 10,
  read,
  group: (group) => readMany(pidsNow()).filter((process) => process.group === group),
  children: (pid) => readMany(childPids(pid)).filter(({ parent }) => parent === pid),

  list: shared(listAll),

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
      return isHidden(error) ? 'no' : 'unclear'; // another user's is none of ours
    }
  },
};
