// The words that this tab has said in a session, until they have started: those that a stop reaches before go back into the field.
import { Listeners } from '../../core/collections/listeners.ts';
import type { ServerFrameOf } from '../../wire/server-frames.ts';
import type { OpenSession } from '../page-state/page-connection.ts';

/** What a person has typed and added. */
export interface SaidHere {
  readonly text: string;
  readonly files: readonly File[];
}

const none: readonly SaidHere[] = [];
const saidInSessions = new WeakMap<OpenSession, SaidWords>();

/** Returns the words that were said in a session that is open in this tab. */
export function saidIn(opened: OpenSession): SaidWords {
  const existing = saidInSessions.get(opened) ?? new SaidWords(opened);
  saidInSessions.set(opened, existing);
  return existing;
}

export class SaidWords {
  readonly #view: OpenSession['view'];
  readonly #listeners = new Listeners<void>();
  /** By the refs of their commands. */
  readonly #waiting = new Map<string, SaidHere>();
  #returned = none;

  constructor({ session, view }: Pick<OpenSession, 'session' | 'view'>) {
    this.#view = view;
    this.subscribe = this.subscribe.bind(this);
    this.getReturned = this.getReturned.bind(this);
    this.follow = this.follow.bind(this);
    // after the view: its snapshot has the turns that the frames name
    session.on('cancel_accepted', (frame) => this.#return(frame));
    session.on('turn_started', ({ turn }) => this.#forget(turn));
    session.on('input_settled', ({ input, fate }) => fate === 'consumed' && this.#forget(input));
  }

  /** Sends words, and keeps them under the ref of their command until they have started. Words that are refused are forgotten: the field has them again. */
  async follow(
    words: SaidHere,
    onSent: (ref: string) => void,
    send: (onRef: (ref: string) => void) => Promise<unknown>,
  ): Promise<void> {
    let ref: string | null = null;
    try {
      await send((sent) => {
        ref = sent;
        this.#waiting.set(sent, words);
        onSent(sent);
      });
    } catch (error) {
      if (ref !== null) this.#waiting.delete(ref);
      throw error;
    }
  }

  /** Calls the listener when words come back, until the returned function is called. */
  subscribe(listener: () => void): () => void {
    return this.#listeners.on('change', listener);
  }

  /** The words that have come back, and that the field has not taken; the same value until that changes. */
  getReturned(): readonly SaidHere[] {
    return this.#returned;
  }

  /** The field has taken the words that have come back. */
  clearReturned(): void {
    this.#returned = none;
    this.#listeners.emit('change', undefined);
  }

  /** Words that newer words replace do not come back: the person has said something else. */
  #return({ queue = [], source }: ServerFrameOf<'cancel_accepted'>): void {
    const stopped = source === 'superseded' ? [] : queue.filter(({ fate }) => fate === 'cancelled');
    const words = stopped.flatMap(({ input }) => this.#takeWords(input) ?? []);
    if (words.length === 0) return;
    this.#returned = [...this.#returned, ...words];
    this.#listeners.emit('change', undefined);
  }

  #takeWords(id: string): SaidHere | null {
    const ref = this.#refOf(id);
    const words = ref === null ? null : (this.#waiting.get(ref) ?? null);
    if (ref !== null) this.#waiting.delete(ref);
    return words;
  }

  #forget(id: string): void {
    const ref = this.#refOf(id);
    if (ref !== null) this.#waiting.delete(ref);
  }

  /** The ref of the command that has opened a turn or deferred an input. */
  #refOf(id: string): string | null {
    const { turns } = this.#view.getSnapshot();
    const input = turns.flatMap(({ inputs }) => inputs).find((each) => each.id === id);
    return turns.find(({ node }) => node.id === id)?.ref ?? input?.ref ?? null;
  }
}
