// The inbox of a session, and the replies to what comes in: whatever can change the session posts a message here, and each is handled on a fresh stack, in the
// order of the posts. A command waits for its reply by a key, and is replied to once.
//
// The inbox depends on nothing: presence, deadlines, timeouts, workers and doors depend on it.
import { type RefusalCode, refusalCodes } from '../../../machines/codes.ts';
import type { LinkInput } from '../../../machines/contracts.ts';
import type { SessionEvent } from '../../../machines/session-events.ts';
import type { NodeId, Speaker } from '../../../machines/vocabulary.ts';
import { measuredText } from '../words/durations.ts';
import type { WorkerInbox } from '../workers/services.ts';
import type { AnswerReply, CancelReply, RefReused, SayReply } from './api.ts';
import type { InboxMessage } from './inbox-messages.ts';

export class Inbox implements WorkerInbox {
  #handle: ((message: InboxMessage) => void) | null = null;

  /** Handles every message with `handle` from now on. Messages that were posted before and are still in the queue count. */
  open(handle: (message: InboxMessage) => void): void {
    this.#handle = handle;
  }

  /** Drops every message from now on. */
  close(): void {
    this.#handle = null;
  }

  post(message: InboxMessage): void {
    queueMicrotask(() => this.#handle?.(message));
  }

  deliver(event: SessionEvent): void {
    this.post({ type: 'EVENT', event });
  }

  spawn(turn: LinkInput): void {
    this.post({ type: 'SPAWN', turn });
  }

  expire(node: NodeId, reason: string, isArmed?: () => boolean): void {
    this.post({ type: 'CANCEL', source: 'deadline', by: null, target: node, reason, armedFor: [node], isArmed });
  }

  timeOut(node: NodeId, timeoutMs: number): void {
    const reason = `no result within ${measuredText(timeoutMs)}`;
    this.post({ type: 'CANCEL', source: 'deadline', by: null, target: node, reason, armedFor: [node], timeoutMs });
  }

  supersede(earlier: NodeId, heir: NodeId, by: Speaker): void {
    const reason = `${heir} takes its place`;
    this.post({ type: 'CANCEL', source: 'superseded', by, target: earlier, reason, armedFor: [earlier, heir] });
  }
}

type Resolve<Reply> = (reply: Reply) => void;

/** Replies that wait, by a key; made when the first command waits. */
class Waiting<Reply> {
  #resolvers: Map<string, Resolve<Reply>> | null = null;

  get size(): number {
    return this.#resolvers?.size ?? 0;
  }

  /** Keeps who waits for the reply. */
  add(key: string, resolve: Resolve<Reply>): void {
    this.#resolvers ??= new Map();
    this.#resolvers.set(key, resolve);
  }

  /** Replies once; has no effect if nobody waits. */
  reply(key: string, reply: Reply): void {
    const resolve = this.#resolvers?.get(key);
    this.#resolvers?.delete(key);
    resolve?.(reply);
  }
}

/** The cancels, SAYs and answers of a session that wait for their reply. */
export class Replies {
  /** By the id in the command. */
  readonly cancels = new Waiting<CancelReply>();
  /** By the turn. */
  readonly says = new Waiting<SayReply>();
  /** By the id in the event. */
  readonly answers = new Waiting<AnswerReply>();

  get size(): number {
    return this.cancels.size + this.says.size + this.answers.size;
  }
}

/** The reply to a command whose ref was used for another one. */
export const refReused: RefReused = { type: 'ref_reused' };

/** The reply to a CANCEL in a session that does not exist. */
export const nothingToCancel = (target: string): CancelReply =>
  target === 'mine' || target === 'session'
    ? { type: 'already_settled', target, receipt: null }
    : { type: 'unknown_target', target };

/** The reply to a SAY that opens no turn. */
export const refusedSay = (code: RefusalCode): SayReply => ({
  type: 'say_refused',
  code,
  message: refusalCodes[code],
});

/** Requests without a reply, which all reject when the session ends: nobody waits for a session that is gone. */
export class UnansweredRequests {
  readonly #rejects = new Set<(error: unknown) => void>();
  /** The end of the session, with the error that the requests reject with; null: it is open. */
  #end: { readonly error: unknown } | null = null;

  /** Settles as the reply does; rejects if the session ends first. */
  add<Reply>(reply: Promise<Reply>): Promise<Reply> {
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    promise.catch(() => {}); // a caller that does not wait for the reply must not end the process
    this.#rejects.add(reject);
    reply.then(
      (value) => {
        this.#rejects.delete(reject);
        resolve(value);
      },
      (error: unknown) => {
        this.#rejects.delete(reject);
        reject(error);
      },
    );
    if (this.#end) reject(this.#end.error);
    return promise;
  }

  get size(): number {
    return this.#rejects.size;
  }

  /** Rejects every later request; those that have no reply yet may still get theirs. */
  refuse(error: unknown): void {
    this.#end = { error };
  }

  close(error: unknown): void {
    this.#end = { error };
    for (const reject of this.#rejects) reject(error);
    this.#rejects.clear();
  }
}
