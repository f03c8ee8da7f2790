// A connection of this host that has joined a session, wherever it is held: joins it there, and again when its holder is gone or an event was lost.
import type { LeaveReason } from '../../../machines/vocabulary.ts';
import { fieldsOf } from '../collections/fields.ts';
import type { Log } from '../contracts/log.ts';
import type { Caller, JoinedSessionEnd, ReplayFrom, Runtime, SessionListener } from '../session/api.ts';
import { addMs, msUntil } from '../sources/monotonic-time.ts';
import { pause } from '../sources/pause.ts';
import type { Clock, Ids } from '../sources/sources.ts';
import { type CommandRouter, isPassing } from './command-router.ts';
import { ContinuousListener } from './continuous-listener.ts';
import type { JoinPlace } from './event-links.ts';
import type { IncomingLinks } from './incoming-links.ts';
import { LinkBroken, RemoteStream } from './remote-stream.ts';

const againMs = 250;
const maxFirstAttempts = 3;

export interface JoinServices {
  readonly router: CommandRouter;
  readonly links: IncomingLinks;
  readonly log: Log;
  readonly clock: Clock;
  readonly ids: Ids;
  /** The id of this host. */
  readonly host: string;
  readonly runtime: Pick<Runtime, 'join' | 'leave'>;
  /** For how long a session is joined again while its holder is looked for, in milliseconds. */
  readonly rejoinMs: number;
}

/** `again`: the session is being joined again. */
type State = 'new' | 'joined' | 'again' | 'over';

export class ClusterJoin {
  readonly session: string;
  readonly #caller: Caller;
  readonly #listener: ContinuousListener;
  readonly #services: JoinServices;
  readonly #onOver: () => void;
  /** Where another host holds the session. */
  #stream: RemoteStream | null = null;
  /** The newest one that a holder was asked for, also after the connection has left. */
  #asked: RemoteStream | null = null;
  #state: State = 'new';

  /** `onOver`: called when the session has ended for the listener. */
  constructor(
    services: JoinServices,
    {
      session,
      caller,
      listener,
      from,
    }: { session: string; caller: Caller; listener: SessionListener; from: ReplayFrom },
    onOver: () => void,
  ) {
    this.session = session;
    this.#services = services;
    this.#caller = caller;
    this.#onOver = onOver;
    this.#listener = new ContinuousListener(listener, from, (reason) => this.#isOverAfter(reason));
  }

  /** See `Runtime.join`. */
  async start(from: ReplayFrom): Promise<void> {
    try {
      await this.#attemptFirst(from);
    } catch (error) {
      if (this.#listener.isJoined && isPassing(error)) return this.#rejoin(); // its owner has got `joined`, and its replay goes on
      const stream = this.#close();
      if (stream) void this.#leaveHolder(stream, 'left'); // it may have joined there
      throw error;
    }
    if (this.#state === 'new') this.#state = 'joined';
  }

  /** The connection leaves. */
  async leaveSession(how: LeaveReason): Promise<void> {
    const stream = this.#close();
    if (stream) return this.#leaveHolder(stream, how);
    await this.#services.runtime.leave(this.session, this.#caller.connection, how);
  }

  /** The runtime closes: what another host holds goes on there, and what is being joined again is not. */
  async closeWithHost(): Promise<void> {
    if (this.#stream === null && this.#state !== 'again') return; // its session is here, and closes itself
    const left = this.leaveSession('lost');
    this.#listener.ended('shutdown');
    await left;
  }

  /** Leaves the session where it is held. A holder that is not reached notices by itself when this host is gone. */
  async #leaveHolder(stream: RemoteStream, how: LeaveReason): Promise<void> {
    const { router } = this.#services;
    const { session } = this;
    const { connection } = this.#caller;
    const leaving = router.run<void>({
      session,
      local: () => Promise.resolve(), // its holder is gone, and what has joined here is newer
      question: () => ({ name: 'leave', given: [session, connection, how, stream.id] }),
      result: () => {},
    });
    await leaving.catch(() => {});
  }

  /** Returns the stream, if another host holds the session. */
  #close(): RemoteStream | null {
    if (this.#state === 'over') return null;
    const stream = this.#stream;
    this.#state = 'over';
    this.#stream = null;
    if (stream) this.#services.links.remove(stream);
    this.#onOver();
    return stream;
  }

  /** Joins for the first time: again if the reply of the holder came, and `joined` did not. */
  async #attemptFirst(from: ReplayFrom): Promise<void> {
    for (let left = maxFirstAttempts; ; left--) {
      try {
        return await this.#attempt(from);
      } catch (error) {
        const isAgain = error instanceof LinkBroken && !this.#listener.isJoined && left > 1 && !this.#isOver();
        if (!isAgain) throw error;
        this.#drop(this.#stream);
      }
    }
  }

  async #attempt(from: ReplayFrom): Promise<void> {
    const { runtime, router } = this.#services;
    const { session } = this;
    const caller = this.#caller;
    let stream: RemoteStream | null = null;
    await router.run<void>({
      session,
      local: () => {
        this.#drop(stream);
        return runtime.join(session, caller, this.#listener, from);
      },
      question: () => {
        stream = this.#open(from);
        const at = { host: this.#services.host, stream: stream.id };
        return { name: 'join', given: [session, caller, typeof from === 'number' ? null : from, at] };
      },
      result: async (place) => {
        if (!stream || this.#state === 'over') return;
        await stream.untilJoined();
        if (this.#isOver()) return;
        this.#services.links.place(stream, place as JoinPlace); // sealed by a host of the cluster
        await stream.replay(place as JoinPlace);
      },
    });
  }

  #open(from: ReplayFrom): RemoteStream {
    const { links, log, ids, clock } = this.#services;
    const stream: RemoteStream = new RemoteStream({
      id: ids('stream'),
      session: this.session,
      log,
      clock,
      from,
      listener: this.#listener,
      onBroken: () => this.#onLost(stream),
      onEnded: (reason) => this.#onRemoteEnd(stream, reason),
    });
    this.#stream = stream;
    this.#asked = stream;
    links.add(stream);
    return stream;
  }

  #drop(stream: RemoteStream | null): void {
    if (!stream) return;
    this.#services.links.remove(stream);
    if (this.#stream === stream) this.#stream = null;
    if (this.#asked === stream) this.#asked = null;
  }

  #onLost(stream: RemoteStream): void {
    if (this.#stream === stream && this.#state === 'joined') void this.#rejoin();
  }

  /** The session has ended at its holder. It goes on elsewhere, unless it is over for this speaker. */
  #onRemoteEnd(stream: RemoteStream, reason: JoinedSessionEnd): void {
    if (this.#stream !== stream) return;
    if (reason === 'removed' || reason === 'deleted') return this.#endFor(reason);
    stream.onLost();
  }

  /** Returns whether the session has ended for the listener. One that this host has lost to another one is joined there. */
  #isOverAfter(reason: JoinedSessionEnd): boolean {
    if (reason === 'fenced' && this.#state === 'joined' && !this.#stream) {
      void this.#rejoin();
      return false;
    }
    this.#close();
    return true;
  }

  /** Joins the session again, from the last fact that was passed on. Never rejects: where it cannot, the session has ended for the listener. */
  async #rejoin(): Promise<void> {
    const { clock, rejoinMs } = this.#services;
    const until = addMs(clock.elapsed(), rejoinMs);
    this.#state = 'again';
    for (;;) {
      this.#drop(this.#stream);
      try {
        await this.#attempt(this.#listener.seq);
        if (this.#isOver()) return this.#leaveAgain(true);
        this.#state = 'joined';
        return;
      } catch (error) {
        if (this.#isOver()) return this.#leaveAgain(false);
        if (!isPassing(error) || msUntil(clock, until) <= 0) {
          if (this.#stream) void this.#leaveHolder(this.#stream, 'lost'); // it may have joined there
          return this.#endFor(endOf(error));
        }
        await pause(clock, againMs);
        if (this.#isOver()) return;
      }
    }
  }

  /** Leaves what was joined again after the connection had left. `isJoined`: it was; else it may have been, at a holder. */
  #leaveAgain(isJoined: boolean): void {
    const stream = this.#asked;
    this.#drop(stream);
    if (stream) void this.#leaveHolder(stream, 'left');
    else if (isJoined) void this.#services.runtime.leave(this.session, this.#caller.connection, 'left');
  }

  #isOver(): boolean {
    return this.#state === 'over';
  }

  #endFor(reason: JoinedSessionEnd): void {
    if (this.#isOver()) return;
    this.#close();
    this.#listener.ended(reason);
  }
}

/** Returns why a session that cannot be joined again has ended for its listener. */
function endOf(error: unknown): JoinedSessionEnd {
  const { name, code } = fieldsOf(error);
  if (code === 'access_denied') return 'removed';
  if (name === 'RuntimeClosing') return 'shutdown';
  return isPassing(error) ? 'fenced' : 'store_failed';
}
