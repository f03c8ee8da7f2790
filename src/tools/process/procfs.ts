// The process table of Linux, from /proc. One read of it takes some 15 µs; a promise for each would take more.
import { readdirSync, readFileSync } from 'node:fs';
import { type Listing, markerName, type Process, type Table } from './table.ts';

/** Processes read before the event loop gets its turn: well under a millisecond. */
const sliceLength = 32;

const readText = (path: string) => readFileSync(path, 'latin1');

function listPids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .map(Number);
}

let bootId: string | undefined;
/** Start times count from the boot: without its id, those of two boots could be taken for each other. */
function boot(): string {
  bootId ??= readText('/proc/sys/kernel/random/boot_id').trim();
  return bootId;
}

/** proc_pid_stat(5). The name stands in parentheses and may contain anything, so the fields are counted from its end. */
function parse(pid: number, stat: string): Process | null {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
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

function read(pid: number): Process | null {
  try {
    return parse(pid, readText(`/proc/${pid}/stat`));
  } catch {
    return null;
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

const present = (process: Process | null): process is Process => process !== null;

async function listAll(): Promise<Listing> {
  const pids = listPids();
  const processes: Process[] = [];
  for (let at = 0; at < pids.length; at += sliceLength) {
    if (at > 0) await nextTick();
    processes.push(
      ...pids
        .slice(at, at + sliceLength)
        .map(read)
        .filter(present),
    );
  }
  return { processes, steady: processes.length === pids.length };
}

const nextTick = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** Looks that are asked for in one tick are one look. It begins in the next one, so it sees what was there when each was asked for. */
function shared<T>(look: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | null = null;
  return () => {
    asked ??= nextTick().then(() => {
      asked = null;
      return look();
    });
    return asked;
  };
}

export const procfs: Table = {
  pollMs: 10,
  read,
  group: (group) =>
    listPids()
      .map(read)
      .filter(present)
      .filter((process) => process.group === group),
  children: (pid) =>
    childPids(pid)
      .map(read)
      .filter(present)
      .filter(({ parent }) => parent === pid),

  list: shared(listAll),

  startedSince(process, startTime) {
    const [ownBoot, ownTicks] = process.startTime.split('/');
    const [thatBoot, thatTicks] = startTime.split('/');
    return ownBoot === thatBoot && Number(ownTicks) >= Number(thatTicks);
  },

  bears({ pid, group }, marker) {
    if (group === 0) return 'no'; // a thread of the kernel
    try {
      const environment = readText(`/proc/${pid}/environ`);
      if (environment === '') return 'unclear'; // in the middle of its exec it has none
      return `\0${environment}`.includes(`\0${markerName}=${marker}\0`) ? 'yes' : 'no';
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'no' : 'unclear'; // another user's is none of ours
    }
  },
};
