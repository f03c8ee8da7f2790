// The gateway's side of a local session: one connection without a socket, with one joined session.
//
// 1. Commands pass the checks of a gateway, but for the name of the session: a local connection has only one.
// 2. A SAY with bytes is performed when they are stored, and the commands after it wait; only a CANCEL overtakes them.
// 3. It keeps the process alive for replies, until its joined session is over: the session has ended, is fenced, or was left. No reply comes after that.
// 4. Frames are delivered in a microtask of their own, in their order: no caller of the runtime runs inside a listener.

import type { Speaker } from '../../machines/vocabulary.ts';
import { dropUndefined } from '../core/collections/fields.ts';
import { BlobTooLarge, blobIdOf } from '../core/contracts/blobs.ts';
import type { Runtime } from '../core/session/api.ts';
import { problemOf } from '../gateway/command-replies.ts';
import type { ErrorSink, ErrorSubject } from '../gateway/error-replies.ts';
import { bridgeFieldOf, JoinedSession, type JoinedSessionOwner } from '../gateway/joined-session.ts';
import type { Outbox } from '../gateway/outbox.ts';
import type { ClientFrame, SayFrame, SessionFrame, SteerFrame } from '../wire/client-frames.ts';
import { decodeClientFrame } from '../wire/codec.ts';
import { type FrameProblem, problem } from '../wire/errors.ts';
import type { ServerFrame } from '../wire/server-frames.ts';
import type { PendingKeepAlive } from './keep-alive.ts';
import type { LocalOrigin } from './local-origin.ts';

export interface LocalConnectionOptions {
  readonly runtime: Runtime;
  /** Its id. */
  readonly connection: string;
  readonly speaker: Speaker;
  readonly from?: LocalOrigin;
  readonly session: string;
  readonly keepAlive: PendingKeepAlive;
  readonly receive: (frame: ServerFrame) => void;
  readonly warn: (message: string, error: unknown) => void;
}

export class LocalConnection implements Outbox, ErrorSink, JoinedSessionOwner {
  readonly #options: LocalConnectionOptions;
  #joined: JoinedSession | null = null;
  readonly #over = Promise.withResolvers<void>();
  /** The bytes of SAYs that were not sent yet, by the id of their blob. */
  readonly #unsaid = new Map<string, Uint8Array>();
  /** The commands that wait for a SAY with bytes; null: none. */
  #waiting: Promise<void> | null = null;

  constructor(options: LocalConnectionOptions) {
    this.#options = options;
  }

  /** Performs a command of the client. The process stays alive until it has its reply. */
  send(frame: ClientFrame): void {
    const { runtime, connection, speaker, from, warn } = this.#options;
    if (frame.type === 'HELLO' || frame.type === 'PING') return; // they are for a socket
    if (frame.type === 'JOIN') {
      const report = (error: unknown) => warn('A local session failed.', error);
      const services = { runtime, connection, speaker, ...from, outbox: this, errors: this, report };
      this.#joined = new JoinedSession(services, frame, null, this);
      return this.#keepAliveUntil(this.#joined.waitForReply());
    }
    const unsaid = frame.type === 'SAY' || frame.type === 'STEER' ? this.#takeUnsaid(frame) : [];
    const checked = decodeClientFrame(JSON.stringify({ ...frame, session: undefined }));
    if (!checked.ok) return this.sendError(checked.problem, frame);
    const field = bridgeFieldOf(frame);
    if (field !== null && !speaker.roles.includes('bridge'))
      return this.sendError(problem('as_not_allowed', { field }), frame);
    if (frame.type === 'CANCEL' || (!this.#waiting && unsaid.length === 0)) return this.#perform(frame);
    const waiting = (this.#waiting ?? Promise.resolve())
      .then(() => this.#storeBlobs(unsaid, frame))
      .then((isStored) => isStored && this.#perform(frame))
      .then(() => {
        if (this.#waiting === waiting) this.#waiting = null;
      });
    this.#waiting = waiting;
    this.#keepAliveUntil(waiting);
  }

  /** Keeps the bytes for a SAY that names them, and returns the id of their blob. */
  keepUntilSaid(data: Uint8Array): string {
    const id = blobIdOf(data);
    this.#unsaid.set(id, new Uint8Array(data));
    return id;
  }

  #perform(frame: SessionFrame): void {
    if (!this.#joined) return;
    const performed = this.#joined.perform(frame);
    this.#keepAliveUntil(performed);
    if (frame.type === 'LEAVE') performed.then(this.#over.resolve, this.#over.resolve);
  }

  #keepAliveUntil(replied: Promise<unknown>): void {
    this.#options.keepAlive.until(Promise.race([replied, this.#over.promise]));
  }

  /** Returns the bytes that a SAY names, and keeps them no longer. */
  #takeUnsaid({ parts = [] }: SayFrame | SteerFrame): readonly Uint8Array[] {
    const ids = parts.flatMap((part) => (part.type === 'text' ? [] : part.blob));
    const contents = ids.flatMap((id) => this.#unsaid.get(id) ?? []);
    for (const id of ids) this.#unsaid.delete(id);
    return contents;
  }

  /** Resolves with false, and replies to the command, if its bytes could not be stored. */
  async #storeBlobs(contents: readonly Uint8Array[], { ref }: SessionFrame): Promise<boolean> {
    const { runtime, session } = this.#options;
    if (contents.length === 0) return true;
    try {
      await runtime.storeBlobs(session, contents);
      return true;
    } catch (error) {
      if (error instanceof BlobTooLarge) {
        const { code, message } = error;
        this.#deliver({ type: 'say_refused', session, code, message, ...dropUndefined({ ref }) });
      } else this.sendError(problemOf(error, 'The bytes of the SAY could not be stored'), { ref });
      return false;
    }
  }

  // -- the errors of commands

  sendError(why: FrameProblem, { ref }: ErrorSubject): void {
    this.#deliver({ type: 'error', ...dropUndefined({ ref }), session: this.#options.session, ...why });
  }

  // -- the outbox: no frame waits, so there is nothing to drop

  frame(text: string): void {
    this.#deliver(JSON.parse(text) as ServerFrame); // encoded by the joined session; a copy, so that no listener shares an object with the transcript
  }

  text(delta: ServerFrame): void {
    this.#deliver(delta);
  }

  preview(preview: ServerFrame): void {
    this.#deliver(preview);
  }

  output(delta: ServerFrame): void {
    this.#deliver(delta);
  }

  waitForRoom(): null {
    return null;
  }

  dropBlock(): void {}

  dropTurns(): void {}

  dropSession(): void {}

  // -- the owner of the joined session: the frames of its end say all

  onSessionOver(): void {
    this.#over.resolve();
  }

  #deliver(frame: ServerFrame): void {
    queueMicrotask(() => this.#options.receive(frame));
  }
}
