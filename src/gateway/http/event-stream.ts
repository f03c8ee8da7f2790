// A stream of server-sent events over one response: the peer of an outbox, which holds back for a slow reader as it does for a socket.
import type { ServerResponse } from 'node:http';
import type { Clock, Disarm } from '../../core/sources/sources.ts';
import { atTimeOfDay } from '../../core/sources/time-of-day.ts';
import { PeerOutbox } from '../outbox.ts';
import type { Peer } from '../peer.ts';
import type { HttpCall } from './route.ts';

/** How often a comment is sent, so that nobody between takes the connection for dead. */
export const commentEveryMs = 15_000;

export const eventStreamMediaType = 'text/event-stream';

/** Whether a request asks for a stream of events. */
export const wantsEvents = ({ headers }: HttpCall['request']): boolean =>
  headers.accept?.toLowerCase().includes(eventStreamMediaType) ?? false;

/** Begins a response that is a stream of events. */
export function sendEventStreamHeaders(response: ServerResponse): void {
  response.writeHead(200, {
    'content-type': `${eventStreamMediaType}; charset=utf-8`,
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    'x-content-type-options': 'nosniff',
  });
  response.flushHeaders();
}

/**
 * `new`: nothing was sent, so the reply can still be an error. `expired`: the token has expired, and the last events are being sent. `over`: it has
 * ended, or the client is gone.
 */
type State = 'new' | 'open' | 'expired' | 'over';

export class EventStream implements Peer {
  readonly outbox: PeerOutbox;
  readonly #response: ServerResponse;
  readonly #clock: Clock;
  readonly #expiresAt: number | null;
  readonly #onGone: () => void;
  readonly #isReplay: boolean;
  readonly #timers: Disarm[] = [];
  #state: State = 'new';

  /**
   * @param onGone Called once, if the client closes the stream before it has ended, or its token expires.
   * @param isReplay Earlier facts follow `joined`, which has no id then: a client that comes back by it would miss them.
   */
  constructor({ response, services, expiresAt }: HttpCall, onGone: () => void, isReplay = true) {
    const { clock, limits } = services;
    this.#response = response;
    this.#clock = clock;
    this.#expiresAt = expiresAt;
    this.#onGone = onGone;
    this.#isReplay = isReplay;
    this.outbox = new PeerOutbox(this, limits, { send: () => this.terminate() }, { note() {} });
    response.on('error', () => {}); // `close` follows
    response.on('close', () => {
      const isGone = this.#state === 'new' || this.#state === 'open';
      this.#close();
      if (isGone) onGone();
    });
  }

  get hasStarted(): boolean {
    return this.#state !== 'new';
  }

  /** Sends the headers. */
  start(): void {
    if (this.#state !== 'new') return;
    this.#state = 'open';
    sendEventStreamHeaders(this.#response);
    this.#armComment();
    if (this.#expiresAt !== null) this.#timers.push(atTimeOfDay(this.#clock, this.#expiresAt, () => this.#expire()));
  }

  /** Ends the stream when everything that waits was sent. */
  async endStream(): Promise<void> {
    await this.outbox.waitForRoom();
    if (this.#state === 'over') return;
    this.start();
    this.#close();
    this.#release(); // the end would overtake what is held
    this.#response.end();
  }

  // -- the peer of the outbox

  get bufferedBytes(): number {
    return this.#response.writableLength;
  }

  send(text: string, sent: () => void): void {
    this.start();
    this.#response.write(this.#eventOf(text), () => sent());
    this.#release();
  }

  sendSoon(text: string, sent: () => void): void {
    this.start();
    this.#hold();
    this.#response.write(this.#eventOf(text), () => sent());
  }

  ping(): void {
    this.#response.write(': still here\n\n');
  }

  close(): void {
    void this.endStream();
  }

  terminate(): void {
    this.#response.destroy();
  }

  /** Writes events of one moment together. */
  #hold(): void {
    if (this.#response.writableCorked > 0) return;
    this.#response.cork();
    setImmediate(() => this.#release());
  }

  #release(): void {
    if (this.#response.writableCorked > 0) this.#response.uncork();
  }

  #armComment(): void {
    if (this.#state === 'over') return;
    const disarm = this.#clock.after(commentEveryMs, () => {
      this.#timers.splice(this.#timers.indexOf(disarm), 1);
      if (this.#state === 'open') this.ping();
      this.#armComment();
    });
    this.#timers.push(disarm);
  }

  /** The token proves nothing any more. */
  #expire(): void {
    if (this.#state !== 'open') return;
    this.#state = 'expired';
    this.outbox.frame(expired);
    this.#onGone();
    void this.endStream();
  }

  #eventOf(frame: string): string {
    return eventText(frame, this.#isReplay ? seqPattern : seqOrJoinedPattern);
  }

  #close(): void {
    this.#state = 'over';
    this.outbox.close();
    for (const disarm of this.#timers.splice(0)) disarm();
  }
}

const expired = JSON.stringify({ type: 'error', code: 'token_expired', message: 'The token has expired.' });

const typePattern = /"type":"([a-z_]+)"/;
/** Facts, and the first event of a stream that replays none, have a sequence number of the session, from which the stream can be resumed. */
const seqPattern = /^\{"type":"[a-z_]+","session":"[^"]*","seq":(\d+)/;
const seqOrJoinedPattern = /^\{"type":"(?:joined"[^{[]*?|[a-z_]+","session":"[^"]*",)"seq":(\d+)/;

/** Returns a frame as the text of an event. */
function eventText(frame: string, idPattern: RegExp): string {
  const type = typePattern.exec(frame)?.[1] ?? 'message';
  const seq = idPattern.exec(frame)?.[1];
  return `event: ${type}\n${seq === undefined ? '' : `id: ${seq}\n`}data: ${frame}\n\n`;
}
