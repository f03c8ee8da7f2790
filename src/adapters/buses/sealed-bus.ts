// A bus over a carrier: seals what it sends with the key of the cluster, and drops what was not sealed with it or comes again.
import type { Bus, BusAnswer, BusCounts, BusState } from '../../core/contracts/bus.ts';
import type { Clock, Ids } from '../../core/sources/sources.ts';
import { systemSources } from '../../core/sources/system.ts';
import { printWarning } from '../../core/text/print-line.ts';
import type { Carrier } from './carrier.ts';
import { type MessageHead, openMessage, type SealedMessage, sealMessage } from './message-seal.ts';
import { ReplayGuard } from './replay-guard.ts';
import { cutIntoPieces, TextAssembly } from './text-pieces.ts';

export interface BusOptions {
  /** The secret of the cluster, the same on all its hosts: 32 characters or more. Whoever has it speaks for every speaker. */
  readonly key: string;
  /** The clock of time limits and of messages. Default: that of the system. */
  readonly clock?: Clock | undefined;
  /** Reports messages that were dropped, the first of each reason. Default: standard error. */
  warn?(message: string, error?: unknown): void;
}

const minKeyChars = 32;

/** Throws a RangeError that names the option if the key is too short. */
export function assertKey(owner: string, { key }: Partial<BusOptions> = {}): void {
  if (typeof key !== 'string' || key.length < minKeyChars)
    throw new RangeError(
      `The option key of ${owner} must be a secret of ${minKeyChars} characters or more. Make one with randomBytes(32).toString('hex').`,
    );
}

interface Subject {
  readonly stop: () => void;
  readonly listeners: Set<(text: string) => void>;
  readonly responders: Set<(text: string) => Promise<string>>;
}

export class SealedBus implements Bus {
  readonly #carrier: Carrier;
  readonly #key: string;
  readonly #clock: Clock;
  readonly #warn: (message: string, error?: unknown) => void;
  readonly #id: string;
  readonly #guard: ReplayGuard;
  readonly #assembly = new TextAssembly();
  readonly #subjects = new Map<string, Subject>();
  /** Questions without an answer, by id. */
  readonly #asked = new Map<string, (answer: BusAnswer) => void>();
  readonly #warned = new Set<string>();
  #stopReplies: (() => void) | null = null;
  #count = 0;
  #received = 0;
  #dropped = 0;
  readonly #answers: Record<BusAnswer['type'], number> = { answer: 0, none: 0, silent: 0 };
  #life: 'open' | 'closed' = 'open';

  constructor(
    carrier: Carrier | ((id: string) => Carrier),
    { key, clock = systemSources.clock, warn = printWarning }: BusOptions,
    ids: Ids = systemSources.ids,
  ) {
    this.#key = key;
    this.#clock = clock;
    this.#warn = warn;
    this.#id = ids('bus');
    this.#carrier = typeof carrier === 'function' ? carrier(this.#id) : carrier;
    this.#guard = new ReplayGuard(clock);
  }

  get state(): BusState {
    return this.#carrier.state;
  }

  get counts(): BusCounts {
    return { sent: this.#count, received: this.#received, dropped: this.#dropped, asked: { ...this.#answers } };
  }

  onState(listener: (state: BusState) => void): () => void {
    return this.#carrier.onState(listener);
  }

  publish(subject: string, text: string): void {
    this.#send(subject, 'text', '', text);
  }

  ask(subject: string, text: string, ms: number): Promise<BusAnswer> {
    if (this.state === 'down') {
      this.#answers.silent += 1;
      return Promise.resolve({ type: 'silent' });
    }
    const { promise, resolve } = Promise.withResolvers<BusAnswer>();
    const id = `${this.#id}.${this.#count}`;
    const disarm = this.#clock.after(ms, () => settle({ type: 'silent' }));
    const settle = (answer: BusAnswer) => {
      disarm();
      if (this.#asked.delete(id)) this.#answers[answer.type] += 1;
      resolve(answer);
    };
    this.#asked.set(id, settle);
    const own = repliesOf(this.#id);
    this.#stopReplies ??= this.#carrier.listen(own, (carried) => this.#onReply(own, carried));
    this.#send(subject, 'ask', id, text, () => settle({ type: 'none' }));
    return promise;
  }

  answer(subject: string, respond: (text: string) => Promise<string>): () => void {
    const own = (text: string) => respond(text); // the same function may answer twice
    this.#subjectOf(subject).responders.add(own);
    return () => this.#removeFrom(subject, ({ responders }) => responders.delete(own));
  }

  subscribe(subject: string, listener: (text: string) => void): () => void {
    const own = (text: string) => listener(text);
    this.#subjectOf(subject).listeners.add(own);
    return () => this.#removeFrom(subject, ({ listeners }) => listeners.delete(own));
  }

  async close(): Promise<void> {
    this.#life = 'closed';
    for (const { stop } of this.#subjects.values()) stop();
    this.#subjects.clear();
    this.#stopReplies?.();
    this.#stopReplies = null;
    for (const settle of this.#asked.values()) settle({ type: 'silent' });
    await this.#carrier.close();
  }

  #subjectOf(subject: string): Subject {
    const known = this.#subjects.get(subject);
    if (known) return known;
    const listen = () => this.#carrier.listen(subject, (carried) => this.#onMessage(subject, carried));
    const stop = this.#life === 'open' ? listen() : () => {}; // nothing arrives any more
    const made: Subject = { stop, listeners: new Set(), responders: new Set() };
    this.#subjects.set(subject, made);
    return made;
  }

  #removeFrom(subject: string, remove: (subject: Subject) => void): void {
    const known = this.#subjects.get(subject);
    if (!known) return;
    remove(known);
    if (known.listeners.size + known.responders.size > 0) return;
    known.stop();
    this.#subjects.delete(subject);
  }

  #send(subject: string, kind: MessageHead['kind'], id: string, text: string, onNobody?: () => void): void {
    if (this.state === 'down') return;
    const pieces = cutIntoPieces(text);
    const first = this.#count + 1;
    for (const [index, piece] of pieces.entries()) {
      this.#count += 1;
      const place = [index, pieces.length, first] as const;
      const head = { from: this.#id, at: this.#clock.now(), count: this.#count, kind, id, piece: place };
      this.#carrier.send(subject, sealMessage(this.#key, subject, head, piece), index === 0 ? onNobody : undefined);
    }
  }

  #onMessage(subject: string, carried: string): void {
    const message = this.#open(subject, carried);
    const known = this.#subjects.get(subject);
    if (!message || !known) return;
    const { head, text } = message;
    if (head.kind === 'text') for (const listener of known.listeners) this.#guarded(() => listener(text));
    if (head.kind !== 'ask') return;
    const reply = (kind: 'answer' | 'none', answer: string) => this.#send(repliesOf(head.from), kind, head.id, answer);
    if (known.responders.size === 0) return reply('none', '');
    for (const respond of known.responders)
      respond(text).then(
        (answer) => reply('answer', answer),
        (error: unknown) => this.#warn(`A question on ${subject} was not answered.`, error),
      );
  }

  #onReply(subject: string, carried: string): void {
    const message = this.#open(subject, carried);
    if (!message) return;
    const { head, text } = message;
    const settle = this.#asked.get(head.id);
    if (head.kind === 'answer') settle?.({ type: 'answer', text });
    if (head.kind === 'none') settle?.({ type: 'none' });
  }

  /** Returns a message that is whole, sealed, and not sent again; null: it is not. */
  #open(subject: string, carried: string): SealedMessage | null {
    this.#received += 1;
    const sealed = openMessage(this.#key, subject, carried);
    if (!sealed) return this.#drop('has another key or another version');
    const { from, at, count, piece } = sealed.head;
    if (!this.#guard.accept(from, count, at)) return this.#drop('was sent before, or by a host whose clock is wrong');
    const text = this.#assembly.add(from, piece, sealed.text);
    return text === null ? null : { head: sealed.head, text };
  }

  #drop(why: string): null {
    this.#dropped += 1;
    if (!this.#warned.has(why)) this.#warn(`A message of the bus ${why}: it was dropped, and so are others like it.`);
    this.#warned.add(why);
    return null;
  }

  #guarded(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#warn('A listener of the bus threw.', error);
    }
  }
}

/** The subject on which a sender receives its answers. */
const repliesOf = (sender: string): string => `belay.replies.${sender}`;
