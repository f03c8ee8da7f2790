// Terminates the processes of a node: TERM, grace, KILL, seen dead. No process gets a signal that is not proven to be the node's.
//
// 1. In the tick of the call the group gets its first signal, and so do its descendants outside the group.
// 2. TERM is sent once to each process; the processes that they start to clean up are left alone until they are gone or the grace is over.
// 3. A process that a search of the whole table finds gets its signal in the tick in which it was read: a process that forks and
//    leaves its group, again and again, is gone a tick later.
// 4. It ends when a search finds nothing alive and can have missed nothing. It never gives up: what cannot be killed, or not be seen
//    dead, is the caller's to report.
// 5. Where nothing is alive, and only the same processes as before do not show whose they are, it searches more and more rarely, and in
//    the end does not keep the host alive for it.
import { addAbortListener } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import type { Clock } from '../../core/sources/sources.ts';
import { findFamily, isSame, type ProcessFamily, readAgain, systemTable } from './process-family.ts';
import type { ProcessInfo, ProcessTable } from './process-table.ts';

export interface TerminateOptions {
  readonly clock: Clock;
  /** From TERM to KILL, in milliseconds. */
  readonly termGraceMs: number;
  /** Skips the grace when it fires. */
  readonly kill?: AbortSignal | undefined;
  readonly table?: ProcessTable | undefined;
}

export interface TerminateResult {
  /** How many processes were found alive and have ended. */
  readonly ended: number;
  /** Some of them by KILL. */
  readonly forced: boolean;
}

/** The longest pause between two searches, in milliseconds, if a search finds nothing but what stays unclear. */
const stuckPollMs = 500;

function send(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch {
    // gone in between, or not ours to signal (it became another user's): the next search shows which
  }
}

/**
 * Terminates a family.
 * @param known Processes of the family that the caller has found already.
 * @returns Resolves when nothing of the family is alive. Never rejects.
 */
export const terminateFamily = (
  family: ProcessFamily,
  known: readonly ProcessInfo[],
  options: TerminateOptions,
): Promise<TerminateResult> => new Termination(family, known, options).run(options);

class Termination {
  readonly #family: ProcessFamily;
  readonly #table: ProcessTable;
  readonly #clock: Clock;
  readonly #members: Map<number, ProcessInfo>;
  readonly #signaled = new WeakSet<ProcessInfo>();
  readonly #keepAlive = new KeepAlive();
  #signal: 'SIGTERM' | 'SIGKILL';
  #pollMs: number;
  /** Longer once a search has found nothing of the family, and nothing that was not as unclear in the one before. */
  #longestPollMs: number;
  #unclearBefore: readonly ProcessInfo[] = [];
  /** The group whose processes have got TERM, or clean up after it. Null as soon as one of the family is known to be dead. */
  #sparedGroup: number | null = null;
  #ended = 0;
  #forced = false;

  constructor(
    family: ProcessFamily,
    known: readonly ProcessInfo[],
    { clock, kill, table = systemTable }: TerminateOptions,
  ) {
    this.#family = family;
    this.#table = table;
    this.#clock = clock;
    this.#members = new Map(known.map((process) => [process.pid, process]));
    this.#signal = kill?.aborted ? 'SIGKILL' : 'SIGTERM';
    this.#pollMs = table.firstPollMs;
    this.#longestPollMs = table.pollMs;
  }

  async run({ termGraceMs, kill }: TerminateOptions): Promise<TerminateResult> {
    this.#sparedGroup = this.#signalAll() ? this.#family.group : null;
    using stack = new DisposableStack();
    const escalate = () => this.#escalate();
    stack.defer(this.#clock.after(termGraceMs, escalate));
    if (kill) stack.use(addAbortListener(kill, escalate));
    stack.use(this.#keepAlive);
    for (;;) {
      const found = await findFamily(this.#family, this.#members, this.#table, (process) => this.#addFound(process));
      const { alive, steady, unclear } = found;
      if (alive.length === 0 && steady && unclear.length === 0) break;
      const wasUnclear = (process: ProcessInfo) => this.#unclearBefore.some((one) => isSame(one, process));
      const isStuck = alive.length === 0 && steady && unclear.every(wasUnclear);
      this.#longestPollMs = isStuck ? stuckPollMs : this.#table.pollMs;
      this.#pollMs = Math.min(this.#pollMs, this.#longestPollMs);
      this.#unclearBefore = unclear;
      this.#sparedGroup = null;
      do await this.#wait();
      while (this.#signalRemaining());
    }
    return { ended: this.#ended, forced: this.#forced };
  }

  /** Returns the members that may still exist, zombies included, each as it is now; forgets the others. */
  #present() {
    return [...this.#members.values()].flatMap((member) => {
      const now = readAgain(member, this.#table);
      if (!now) this.#members.delete(member.pid);
      return now ? [{ member, now }] : [];
    });
  }

  #count(member: ProcessInfo): void {
    if (!this.#signaled.has(member)) this.#ended++;
    this.#signaled.add(member);
    this.#forced ||= this.#signal === 'SIGKILL';
  }

  #signalOne(member: ProcessInfo): void {
    send(member.pid, this.#signal);
    this.#count(member);
  }

  /**
   * Signals the group at once, so that no fork is missed, and each member outside it. Returns whether the group's number is the
   * family's for certain: while a member is in it, even a zombie.
   */
  #signalAll(): boolean {
    const family = this.#family;
    const present = this.#present();
    const isInGroup = (process: ProcessInfo) => process.group === family.group;
    const groupIsOurs = family.isHeld?.() || present.some(({ now }) => now !== 'unread' && isInGroup(now));
    if (groupIsOurs && family.group !== null) send(-family.group, this.#signal);
    for (const { member, now } of present) {
      if (groupIsOurs && isInGroup(now === 'unread' ? member : now)) {
        if (now === 'unread' || now.state === 'alive') this.#count(member);
      } else if (now !== 'unread' && now.state === 'alive') this.#signalOne(member);
    }
    return groupIsOurs;
  }

  /** Signals the members that had not been proven to be there before. Returns false when no member is alive. */
  #signalRemaining(): boolean {
    const alive = this.#present().filter(({ now }) => now === 'unread' || now.state === 'alive');
    for (const { member, now } of alive) {
      const isDue = this.#signal === 'SIGKILL' || !this.#signaled.has(member); // KILL does no harm twice
      if (now !== 'unread' && isDue) this.#signalOne(member);
    }
    return alive.length > 0;
  }

  #addFound(process: ProcessInfo): void {
    this.#members.set(process.pid, process);
    if (this.#signal === 'SIGKILL' || process.group !== this.#sparedGroup) this.#signalOne(process);
    else this.#count(process);
  }

  #escalate(): void {
    if (this.#signal === 'SIGKILL') return;
    this.#signal = 'SIGKILL';
    this.#pollMs = this.#table.firstPollMs;
    this.#signalAll();
  }

  async #wait(): Promise<void> {
    if (this.#pollMs === stuckPollMs) this.#keepAlive.release();
    else this.#keepAlive.hold();
    await new Promise<void>((resolve) => void this.#clock.after(this.#pollMs, resolve));
    this.#pollMs = Math.min(2 * this.#pollMs, this.#longestPollMs);
  }
}

/** Keeps the host's event loop alive while something waits for a timer of the clock: those timers do not. */
export class KeepAlive implements Disposable {
  #port: MessagePort | null = null;

  /** No effect while it holds already. */
  hold(): void {
    if (this.#port) return;
    this.#port = new MessageChannel().port1;
    this.#port.ref();
  }

  release(): void {
    this.#port?.close();
    this.#port = null;
  }

  [Symbol.dispose](): void {
    this.release();
  }
}
