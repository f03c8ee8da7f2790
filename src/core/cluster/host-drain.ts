// The drain of a host: gives its sessions to the other hosts before it shuts down, each as soon as nothing happens in it.
//
// 1. A session is closed and released here, and opened by the host that needs it next: one at which it is joined, or the one that this host asks for the first command.
// 2. It is closed right after the end of a turn, before the next words can come: also a session in which one turn follows the other moves.
// 3. This host opens no session any more, unless no other host takes it: nobody is refused because of a drain.
import { createHash } from 'node:crypto';
import { fieldsOf } from '../collections/fields.ts';
import type { Bus } from '../contracts/bus.ts';
import { HeldElsewhere } from '../contracts/log.ts';
import type { AwakeSessions } from '../session/directory-api.ts';
import type { Observer } from '../session/session-spec.ts';
import { addMs, msUntil } from '../sources/monotonic-time.ts';
import { pause } from '../sources/pause.ts';
import type { Clock } from '../sources/sources.ts';
import type { OtherHost } from './peers.ts';

/** How often it looks for sessions that have come to rest, in milliseconds. */
const lookEveryMs = 100;
/** When it looks at a session whose turn has ended, in milliseconds after that end: the turn is gone a little later. */
const looksAfterTurnMs = [0, 1, 4, 15];

export interface HostDrainParts {
  readonly bus: Pick<Bus, 'state'>;
  readonly clock: Clock;
  /** The sessions of this host. */
  awake(): Promise<Pick<AwakeSessions, 'activity' | 'release'>>;
  /** Has the program of this host drain it, and shut it down then. Undefined: it does so only by itself. */
  readonly onAsked: (() => void) | undefined;
}

export class HostDrain {
  readonly #parts: HostDrainParts;
  /** Sessions that this host has opened while it drains, because no other host takes them: they stay. */
  readonly #kept = new Set<string>();
  readonly #releasing = new Set<string>();
  /** The sessions of this host; null: it has not begun to give them away. */
  #awake: Pick<AwakeSessions, 'activity' | 'release'> | null = null;
  #hosts: () => readonly OtherHost[] = () => [];
  /** To be added to those of the runtime. */
  readonly observer: Observer = {
    fact: (session, _, { type }) => {
      if (!this.#awake || type !== 'turn_ended') return;
      for (const ms of looksAfterTurnMs) this.#parts.clock.after(ms, () => this.#release(session));
    },
  };
  /** `over`: the host shuts down. */
  #state: 'off' | 'asked' | 'on' | 'over' = 'off';
  readonly #over = Promise.withResolvers<void>();

  constructor(parts: HostDrainParts) {
    this.#parts = parts;
  }

  /** Whether this host is draining, or will. */
  get isWanted(): boolean {
    return this.#state !== 'off';
  }

  /** Whether this host opens no session any more. */
  get isOn(): boolean {
    return this.#state === 'on' || this.#state === 'over';
  }

  /** Another host, or one of its speakers, wants this host to drain. */
  ask(): 'drains' | 'known' | 'refused' {
    const { onAsked } = this.#parts;
    if (this.isWanted) return 'known';
    if (!onAsked) return 'refused';
    this.#state = 'asked';
    onAsked();
    return 'drains';
  }

  /** Opens no session from now on. `hosts`: returns the other hosts. */
  start(hosts: () => readonly OtherHost[]): void {
    this.#state = 'on';
    this.#hosts = hosts;
  }

  /** The hosts that may open a session in place of this one, the first one first: sessions are spread over them by their names. */
  takersOf(session: string): readonly OtherHost[] {
    if (this.#parts.bus.state === 'down') return [];
    const ranked = this.#hosts()
      .filter(({ drains }) => !drains)
      .map((host) => ({ host, rank: rankOf(session, host) }));
    return ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1)).map(({ host }) => host);
  }

  /** Whether this host may claim the session. */
  mayClaim(session: string): boolean {
    return !this.isOn || this.#kept.has(session);
  }

  /** No other host takes the session: this host opens it. */
  keep(session: string): void {
    this.#kept.add(session);
  }

  /** Settles as the command does. One that a session refuses because it is being given away is for its next holder: rejects with `HeldElsewhere`. */
  settle<T>(session: string, result: Promise<T>): Promise<T> {
    return result.then((value) => {
      if (this.isOn && fieldsOf(value)['code'] === 'session_closing') throw new HeldElsewhere(session);
      return value;
    });
  }

  /** Gives the sessions away. Resolves when nothing happens in any of them, after `ms` milliseconds, or with `abort`. */
  async run(ms: number): Promise<void> {
    const { clock, awake } = this.#parts;
    const until = addMs(clock.elapsed(), ms);
    const sessions = await awake();
    this.#awake = sessions;
    for (;;) {
      const activity = [...sessions.activity()];
      for (const [session, state] of activity) if (state === 'at_rest') this.#release(session);
      const isBusy = activity.some(([, state]) => state === 'busy') || this.#releasing.size > 0;
      if (!isBusy || msUntil(clock, until) <= 0 || this.#state === 'over') return;
      await Promise.race([pause(clock, lookEveryMs), this.#over.promise]);
    }
  }

  /** Ends `run`: the host shuts down now. */
  abort(): void {
    if (this.#state === 'on') this.#state = 'over';
    this.#over.resolve();
  }

  /** Closes the session if it is at rest, and another host takes it. */
  #release(session: string): void {
    if (!this.#awake || this.#kept.has(session) || this.#releasing.has(session) || this.takersOf(session).length === 0)
      return;
    this.#releasing.add(session);
    const over = () => void this.#releasing.delete(session);
    this.#awake.release(session).then(over, over);
  }
}

const rankOf = (session: string, { host }: OtherHost): string =>
  createHash('sha256').update(`${session} ${host}`).digest('hex');
