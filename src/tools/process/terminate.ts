// The ladder: TERM, grace, KILL, seen dead. Nothing is signaled that is not proven to be the call's.
//
// 1. In the tick of the call the group has its first signal, and so has what descends from it outside the group.
// 2. TERM is sent once to each process; what they start to clean up is left alone until they are gone or the grace is over.
// 3. It ends when a look at the whole table finds nothing alive. It never gives up: what cannot be killed is the caller's to name.
import type { Clock } from '../../sources/sources.ts';
import { type Family, type Found, findFamily, isSame, systemTable } from './find.ts';
import type { Process, Table } from './table.ts';

export interface LadderOptions {
  readonly clock: Clock;
  /** From TERM to KILL, in milliseconds. */
  readonly termGraceMs: number;
  /** Fires when the grace is to be skipped. */
  readonly kill?: AbortSignal;
  readonly table?: Table;
}

export interface Terminated {
  /** How many processes were found alive and have ended. */
  readonly ended: number;
  /** Some of them by KILL. */
  readonly forced: boolean;
}

/** Looks at a table that changes while it is read, before the last of them is believed. */
const maxLooks = 3;

function send(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch {
    // gone in between, or not ours to signal (it became another user's): the next look tells which
  }
}

const pause = (clock: Clock, ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve));

/** A timer of the clock does not keep the host alive; a ladder under way has to. Ends with what it returns. */
function keepHostAlive(): () => void {
  const { port1 } = new MessageChannel();
  port1.ref();
  return () => port1.close();
}

async function lookForFamily(family: Family, known: ReadonlyMap<number, Process>, table: Table): Promise<Found> {
  let found = await findFamily(family, known, table);
  for (let looks = 1; looks < maxLooks && found.alive.length === 0 && !found.certain; looks++) {
    found = await findFamily(family, known, table);
  }
  return found;
}

/** Resolves when nothing of the family is alive. `first`: those of its processes that the caller knows to be its own. */
export async function terminateFamily(
  family: Family,
  first: readonly Process[],
  { clock, termGraceMs, kill, table = systemTable }: LadderOptions,
): Promise<Terminated> {
  const members = new Map(first.map((process) => [process.pid, process]));
  let rung: 'SIGTERM' | 'SIGKILL' = kill?.aborted ? 'SIGKILL' : 'SIGTERM';
  let ended = 0;
  let forced = false;

  /** The members that still exist, zombies included. */
  const present = () =>
    [...members.values()].flatMap((member) => {
      const now = table.read(member.pid);
      return now && isSame(member, now) ? [now] : [];
    });
  const alive = () => present().filter(({ state }) => state === 'alive');
  const tell = (targets: readonly Process[]) => {
    for (const { pid } of targets) send(pid, rung);
    forced ||= rung === 'SIGKILL' && targets.length > 0;
  };
  /** The group at once, so that no fork slips through. Its number is certain while one that we know is in it, even a zombie. */
  const tellAll = () => {
    const now = present();
    const groupIsOurs = now.some(({ group }) => group === family.group);
    if (groupIsOurs && family.group !== null) send(-family.group, rung);
    const living = now.filter(({ state }) => state === 'alive');
    tell(living.filter(({ group }) => group !== family.group));
    forced ||= rung === 'SIGKILL' && living.length > 0;
    return { groupIsOurs, living };
  };
  const climb = () => {
    if (rung === 'SIGKILL') return;
    rung = 'SIGKILL';
    tellAll();
  };
  const meet = (processes: readonly Process[]) => {
    const strangers = processes.filter((process) => !isSame(process, members.get(process.pid)));
    for (const process of strangers) members.set(process.pid, process);
    ended += strangers.length;
    return strangers;
  };

  const { groupIsOurs, living } = tellAll();
  ended += living.length;
  const disarm = clock.after(termGraceMs, climb);
  const letHostEnd = keepHostAlive();
  kill?.addEventListener('abort', climb);
  try {
    // those in the group have had the group's TERM, or are what it does to clean up
    const untold = ({ group }: Process) => rung === 'SIGKILL' || !groupIsOurs || group !== family.group;
    let found = await lookForFamily(family, members, table);
    tell(meet(found.alive).filter(untold));
    while (found.alive.length > 0) {
      while (alive().length > 0) await pause(clock, table.pollMs);
      found = await lookForFamily(family, members, table);
      tell(meet(found.alive));
    }
  } finally {
    disarm();
    letHostEnd();
    kill?.removeEventListener('abort', climb);
  }
  return { ended, forced };
}
