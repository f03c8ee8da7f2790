// The commands of a session that wait for their reply: cancels, SAYs and answers, each replied to once.
import { type RefusalCode, refusalCodes } from '../../../machines/codes.ts';
import type { AnswerReply, CancelReply, RefReused, SayReply } from './api.ts';

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
