// The sessions that this host holds: seen at its claims in the log. For each of them it answers on the bus.
//
// With its lease this host says of itself what the cluster shall know.
// A question that comes again is answered by what the first one did: nothing is done twice.
import { BoundedMap } from '../collections/bounded-map.ts';
import { fieldsOf } from '../collections/fields.ts';
import type { Bus } from '../contracts/bus.ts';
import { HeldElsewhere, type Host, type Log } from '../contracts/log.ts';
import type { Clock } from '../sources/sources.ts';
import { carriedError, type HolderQuestion, type HolderReply } from './forwarded-commands.ts';
import { offersSubject, sessionSubject } from './subjects.ts';

/** After so many milliseconds without a result the reply is `working`. */
const workingMs = 500;
/** Questions whose replies are kept. */
const maxReplies = 2_000;

/** Does what a question asks, in the tick in which it is called. */
export type PerformQuestion = (question: HolderQuestion) => Promise<unknown>;

/** What a host says of itself with its lease. */
export type SaidOfHost = Pick<Host, 'configuration' | 'label'>;

export class HeldSessions {
  readonly #bus: Bus;
  readonly #clock: Clock;
  readonly #said: SaidOfHost;
  readonly #stops = new Map<string, () => void>();
  readonly #replies = new BoundedMap<string, Promise<HolderReply>>(maxReplies);
  #perform: PerformQuestion | null = null;
  #mayClaim: (session: string) => boolean = () => true;
  #host: string | null = null;

  constructor(bus: Bus, clock: Clock, said: SaidOfHost = {}) {
    this.#bus = bus;
    this.#clock = clock;
    this.#said = said;
  }

  /** The id under which this host has its lease; null: it has had none yet. */
  get host(): string | null {
    return this.#host;
  }

  /** Whether this host has claimed the session, and not released it. It may have lost it. */
  has(session: string): boolean {
    return this.#stops.has(session);
  }

  /** Answers from now on. Before, each question is one for another host. `mayClaim`: whether this host may claim a session. */
  serve(perform: PerformQuestion, mayClaim: (session: string) => boolean): void {
    this.#perform = perform;
    this.#mayClaim = mayClaim;
  }

  /** Answers from now on, until the returned function is called, for sessions that nobody holds, as far as this host may open them: it claims them then. */
  acceptOffers(host: string, mayOpen: () => boolean): () => void {
    return this.#bus.answer(offersSubject(host), async (text) =>
      JSON.stringify(mayOpen() ? await this.#reply(text) : ({ type: 'moved' } satisfies HolderReply)),
    );
  }

  /** The session is not held by this host any more. */
  forget(session: string): void {
    this.#stops.get(session)?.();
    this.#stops.delete(session);
  }

  close(): void {
    for (const stop of this.#stops.values()) stop();
    this.#stops.clear();
  }

  /** Returns the log, whose claims and releases are seen here. */
  watch(log: Log): Log {
    const claim: Log['claim'] = async (session, ...rest) => {
      if (!this.#mayClaim(session)) throw new HeldElsewhere(session); // by the host that this one asks
      const epoch = await log.claim(session, ...rest);
      this.#add(session);
      return epoch;
    };
    const release: Log['release'] = async (session, epoch) => {
      this.forget(session); // before another host may claim it
      await log.release(session, epoch);
    };
    const startLease: Log['startLease'] = async (host, leaseMs) => {
      await log.startLease({ ...host, ...this.#said }, leaseMs);
      this.#host = host.id;
    };
    const watched = new Map<string | symbol, unknown>(Object.entries({ claim, release, startLease }));
    return new Proxy(log, {
      get(target, name) {
        if (watched.has(name)) return watched.get(name);
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }

  #add(session: string): void {
    if (this.#stops.has(session)) return;
    const stop = this.#bus.answer(sessionSubject(session), async (text) => JSON.stringify(await this.#reply(text)));
    this.#stops.set(session, stop);
  }

  async #reply(text: string): Promise<HolderReply> {
    const question = JSON.parse(text) as HolderQuestion; // sealed by a host of the cluster
    const known = this.#replies.get(question.id);
    const reply = known ?? this.#performNew(question);
    const { promise: late, resolve } = Promise.withResolvers<HolderReply>();
    const disarm = this.#clock.after(workingMs, () => resolve({ type: 'working' }));
    try {
      return await Promise.race([reply, late]);
    } finally {
      disarm();
    }
  }

  #performNew(question: HolderQuestion): Promise<HolderReply> {
    if (!this.#perform) return Promise.resolve({ type: 'moved' });
    const reply = this.#perform(question).then(
      (value): HolderReply => ({ type: 'done', value }),
      (error: unknown) => this.#failure(question, error),
    );
    this.#replies.set(question.id, reply);
    return reply;
  }

  #failure({ id, given: [session] }: HolderQuestion, error: unknown): HolderReply {
    const isLost = fieldsOf(error)['code'] === 'held_elsewhere';
    if (isLost) this.forget(String(session));
    if (!isLost && fieldsOf(error)['name'] !== 'RuntimeClosing') return { type: 'failed', error: carriedError(error) };
    this.#replies.delete(id); // asked again, it may be held here again
    return { type: 'moved' };
  }
}
