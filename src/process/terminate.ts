// The ladder: TERM, grace, KILL, seen dead. Nothing is signaled that is not proven to be the call's.
//
// 1. In the tick of the call the group has its first signal, and so has what descends from it outside the group.
// 2. TERM is sent once to each process; what they start to clean up is left alone until they are gone or the grace is over.
// 3. What a look at the whole table finds has its signal in the tick in which it was seen: a process that forks and leaves, for ever,
//    is gone in the next.
// 4. It ends when a look finds nothing alive and can have missed nothing. It never gives up: what cannot be killed, or not be seen
//    dead, is the caller's to name.
// 5. Where nothing is alive, and only the same processes as before do not show whose they are, it looks more and more rarely, and in
//    the end does not keep the host alive for it.
import type { MessagePort } from 'node:worker_threads';
import type { Clock } from '../sources/sources.ts';
import { findFamily, isSame, type ProcessFamily, readAgain, systemTable } from './process-family.ts';
import type { ProcessInfo, ProcessTable } from './process-table.ts';

export interface TerminateOptions {
  readonly clock: Clock;
  /** From TERM to KILL, in milliseconds. */
  readonly termGraceMs: number;
  /** Fires when the grace is to be skipped. */
  readonly kill?: AbortSignal;
  readonly table?: ProcessTable;
}

export interface TerminateResult {
  /** How many processes were found alive and have ended. */
  readonly ended: number;
  /** Some of them by KILL. */
  readonly forced: boolean;
}

function send(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch {
    // gone in between, or not ours to signal (it became another user's): the next look tells which
  }
}

const pause = (clock: Clock, ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve));

/** A timer of the clock does not keep the host alive; a ladder under way has to. */
function holdOnHost() {
  let port: MessagePort | null = null;
  return {
    take() {
      if (port) return;
      port = new MessageChannel().port1;
      port.ref();
    },
    leave() {
      port?.close();
      port = null;
    },
  };
}

/** The longest pause between two looks, where a look finds nothing but what is stuck. */
const stuckPollMs = 500;

/** Resolves when nothing of the family is alive. `first`: those of its processes that the caller knows to be its own. */
export async function terminateFamily(
  family: ProcessFamily,
  first: readonly ProcessInfo[],
  { clock, termGraceMs, kill, table = systemTable }: TerminateOptions,
): Promise<TerminateResult> {
  const members = new Map(first.map((process) => [process.pid, process]));
  let rung: 'SIGTERM' | 'SIGKILL' = kill?.aborted ? 'SIGKILL' : 'SIGTERM';
  let pollMs = table.firstPollMs;
  /** The last look has found nothing of the family, and nothing that was not as unclear in the one before. */
  let isStuck = false;
  /** Those that a signal was sent to. */
  const told = new WeakSet<ProcessInfo>();
  let ended = 0;
  let forced = false;

  /** The members that may still exist, zombies included, each as it is now; the others are forgotten. */
  const present = () =>
    [...members.values()].flatMap((member) => {
      const now = readAgain(member, table);
      if (!now) members.delete(member.pid);
      return now ? [{ member, now }] : [];
    });
  const reached = (member: ProcessInfo) => {
    if (!told.has(member)) ended++;
    told.add(member);
    forced ||= rung === 'SIGKILL';
  };
  const tell = (member: ProcessInfo) => {
    send(member.pid, rung);
    reached(member);
  };
  /** The group at once, so that no fork slips through. Its number is certain while one that we know is in it, even a zombie. */
  const tellAll = () => {
    const all = present();
    const isInGroup = (process: ProcessInfo) => process.group === family.group;
    const groupIsOurs = family.isHeld?.() || all.some(({ now }) => now !== 'unread' && isInGroup(now));
    if (groupIsOurs && family.group !== null) send(-family.group, rung);
    for (const { member, now } of all) {
      if (groupIsOurs && isInGroup(now === 'unread' ? member : now)) {
        if (now === 'unread' || now.state === 'alive') reached(member);
      } else if (now !== 'unread' && now.state === 'alive') tell(member);
    }
    return groupIsOurs;
  };
  /** False when no member is alive. Tells those that could not be told in time: they had not been proven to be there. */
  const tellLate = () => {
    const alive = present().filter(({ now }) => now === 'unread' || now.state === 'alive');
    for (const { member, now } of alive) {
      if (now !== 'unread' && (rung === 'SIGKILL' || !told.has(member))) tell(member); // KILL does no harm twice
    }
    return alive.length > 0;
  };
  const climb = () => {
    if (rung === 'SIGKILL') return;
    rung = 'SIGKILL';
    pollMs = table.firstPollMs;
    tellAll();
  };
  const wait = async () => {
    if (isStuck && pollMs === stuckPollMs) hold.leave();
    else hold.take();
    await pause(clock, pollMs);
    pollMs = Math.min(2 * pollMs, isStuck ? stuckPollMs : table.pollMs);
  };

  const groupIsOurs = tellAll();
  /** Those in it have had its TERM, or are what it does to clean up. Only before anything of it is known to be dead. */
  let spared = groupIsOurs ? family.group : null;
  const meet = (stranger: ProcessInfo) => {
    members.set(stranger.pid, stranger);
    if (rung === 'SIGKILL' || stranger.group !== spared) tell(stranger);
    else reached(stranger);
  };
  const disarm = clock.after(termGraceMs, climb);
  const hold = holdOnHost();
  let doubted: readonly ProcessInfo[] = [];
  kill?.addEventListener('abort', climb);
  try {
    for (;;) {
      const { alive, steady, unclear } = await findFamily(family, members, table, meet);
      if (alive.length === 0 && steady && unclear.length === 0) break;
      const isDoubted = (process: ProcessInfo) => doubted.some((one) => isSame(one, process));
      isStuck = alive.length === 0 && steady && unclear.every(isDoubted);
      if (!isStuck) pollMs = Math.min(pollMs, table.pollMs);
      doubted = unclear;
      spared = null;
      do await wait();
      while (tellLate());
    }
  } finally {
    disarm();
    hold.leave();
    kill?.removeEventListener('abort', climb);
  }
  return { ended, forced };
}
