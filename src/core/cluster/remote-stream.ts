// The events of a session that another host holds, as they come over its link, for one listener of this host.
//
// The facts that are replayed are read from the log here, at the pace of the listener: the holder waits for nobody.
import type { SequencedFact } from '../../../machines/facts.ts';
import type { Log } from '../contracts/log.ts';
import type { Joined, JoinedSessionEnd, ReplayFrom, SessionListener } from '../session/api.ts';
import { CatchUp } from '../session/catch-up.ts';
import type { Clock } from '../sources/sources.ts';
import type { CarriedJoined, JoinPlace, ListenerEvent } from './event-links.ts';

/** Facts that are read from the log at once. */
const pageSize = 500;
/** How long `joined` may come after the reply of the holder, in milliseconds: the reply may have a connection of its own. */
const joinedMs = 2_000;

/** An event was lost on the way: the session is to be joined again. */
export class LinkBroken extends Error {
  override readonly name = 'LinkBroken';
  readonly code = 'held_elsewhere'; // it passes, as that does

  constructor(session: string) {
    super(`The events of the session ${session} were lost.`);
  }
}

export interface RemoteStreamParts {
  readonly id: string;
  readonly session: string;
  readonly log: Pick<Log, 'read'>;
  readonly clock: Pick<Clock, 'after'>;
  readonly from: ReplayFrom;
  readonly listener: SessionListener;
  /** Called when an event was lost, once the session is joined. */
  onBroken(): void;
  /** Called when the session has ended at its holder. */
  onEnded(reason: JoinedSessionEnd): void;
}

/** `joining`: until the replay is over. */
type State = 'joining' | 'live' | 'broken' | 'closed';

export class RemoteStream {
  readonly #parts: RemoteStreamParts;
  readonly #sink: SessionListener;
  readonly #catchUp: CatchUp | null;
  /** Facts that come before those that are read from the log. */
  readonly #earlier: SequencedFact[] = [];
  #joined: Joined | null = null;
  /** Settles when there is no `joined` to wait for any more. */
  readonly #joinedOrLost = Promise.withResolvers<void>();
  /** The newest fact that the holder has published. */
  #newest = 0;
  #state: State = 'joining';

  constructor(parts: RemoteStreamParts) {
    this.#parts = parts;
    this.#catchUp = parts.from === null ? null : new CatchUp(parts.listener);
    this.#sink = this.#catchUp ?? parts.listener;
  }

  get id(): string {
    return this.#parts.id;
  }

  /** Resolves when `joined` has come, or the stream was closed. Rejects with `LinkBroken` if it was lost. */
  async untilJoined(): Promise<void> {
    const { promise, resolve } = this.#joinedOrLost;
    const disarm = this.#parts.clock.after(joinedMs, resolve);
    await promise;
    disarm();
    if (!this.#has('closed') && (!this.#joined || this.#has('broken'))) throw new LinkBroken(this.#parts.session);
  }

  /** Resolves when the listener has all that it asked for. Rejects with `LinkBroken` if an event was lost meanwhile, and when the log fails. */
  async replay({ seq }: Pick<JoinPlace, 'seq'>): Promise<void> {
    const { log, session, from } = this.#parts;
    const joined = this.#joined;
    if (!joined || this.#state === 'broken') throw new LinkBroken(session);
    this.#newest = Math.max(this.#newest, seq);
    const after = typeof from === 'number' ? from : (joined.tail?.start ?? 1) - 1;
    const read = (last: number) => log.read(session, last, pageSize);
    const source = { read, committed: () => this.#newest, isWanted: () => this.#state === 'joining' };
    await this.#catchUp?.replay(after, source, this.#earlier);
    if (this.#has('broken')) throw new LinkBroken(session);
    if (this.#has('joining')) this.#state = 'live';
  }

  #has(state: State): boolean {
    return this.#state === state;
  }

  /** Nothing is passed on any more. */
  close(): void {
    this.#state = 'closed';
    this.#joinedOrLost.resolve();
  }

  /** An event was lost on the way. */
  onLost(): void {
    if (this.#state === 'closed' || this.#state === 'broken') return;
    const wasLive = this.#state === 'live';
    this.#state = 'broken';
    this.#joinedOrLost.resolve();
    if (wasLive) this.#parts.onBroken();
  }

  /** Receives an event of the link. */
  onEvent(event: ListenerEvent): void {
    if (this.#state === 'closed' || this.#state === 'broken') return;
    switch (event.kind) {
      case 'joined':
        return this.#onJoined(event.value);
      case 'fact':
        return this.#onFact(event.value);
      case 'text':
        return this.#sink.text(event.value);
      case 'preview':
        return this.#sink.preview?.(event.value);
      case 'output':
        return this.#sink.output(event.value);
      case 'progress':
        return this.#sink.progress(event.value);
      case 'waiting':
        return this.#sink.waiting?.(event.value);
      case 'accepted':
        return this.#sink.accepted(event.value);
      case 'presence':
        return this.#sink.presence?.(event.value);
      case 'speech':
        return this.#sink.speech?.(event.value);
      case 'stopCall':
        return this.#sink.stopCall?.(event.value);
      case 'ended':
        return this.#parts.onEnded(event.value);
    }
  }

  #onJoined({ timeouts, ...carried }: CarriedJoined): void {
    this.#joined = { ...carried, toolTimeouts: new Map(timeouts) };
    this.#newest = carried.seq;
    this.#sink.joined(this.#joined);
    this.#joinedOrLost.resolve();
  }

  #onFact(event: SequencedFact): void {
    const start = this.#state === 'joining' ? (this.#joined?.tail?.start ?? 0) : 0;
    if (event.seq < start) return void this.#earlier.push(event);
    this.#newest = Math.max(this.#newest, event.seq);
    this.#sink.fact(event);
  }
}
