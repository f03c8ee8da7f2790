// The facts of a session, read from its end backwards, page by page, over HTTP. Only what says something on a CANCEL is kept.
import type { SequencedFact } from '../../../../machines/facts.ts';
import { pageClock } from '../../page-state/page-clock.ts';
import { problemText } from '../../page-state/problem-text.ts';
import { FactCancels } from './fact-cancels.ts';

/** `reading`: a request is on its way. `idle`: more can be read. `whole`: the log was read to its beginning. `failed`: the last request was. */
export type ReadState = 'reading' | 'idle' | 'whole' | 'failed';

export interface FactPagesSnapshot {
  readonly state: ReadState;
  /** The CANCELs in what was read. Another object as soon as more was read. */
  readonly found: FactCancels;
  /** How many sequence numbers were read. */
  readonly read: number;
  /** Why it has failed; null: it has not. */
  readonly problem: string | null;
}

type Request = (path: string) => Promise<Response>;

const pageFacts = 1_000;
/** Above any sequence number. */
const noEnd = 1e12;
/** Pages that are read before a person is asked whether to go on. */
const maxPages = 100;
const maxRetries = 5;
const retryMs = 1_000;

/** The facts that say something on a CANCEL and its nodes. */
const kept: ReadonlySet<string> = new Set([
  'turn_opened',
  'turn_started',
  'turn_ended',
  'tool_call',
  'tool_started',
  'tool_result',
  'late_result',
  'abandoned_ended',
  'input_deferred',
  'input_settled',
  'cancel_accepted',
  'cancel_refused',
  'cancel_settled',
]);

export class FactPages {
  readonly #address: string;
  readonly #request: Request;
  readonly #listeners = new Set<() => void>();
  #facts: readonly SequencedFact[] = [];
  #found = new FactCancels([]);
  /** The number below which nothing was read; null: nothing was read at all. */
  #from: number | null = null;
  #last = 0;
  #state: 'open' | 'stopped' = 'open';
  #snapshot: FactPagesSnapshot = { state: 'idle', found: this.#found, read: 0, problem: null };

  constructor(session: string, request: Request) {
    this.#address = `api/sessions/${encodeURIComponent(session)}/events`;
    this.#request = request;
    this.subscribe = this.subscribe.bind(this);
    this.getSnapshot = this.getSnapshot.bind(this);
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  getSnapshot(): FactPagesSnapshot {
    return this.#snapshot;
  }

  /** Reads backwards until `isEnough`, or until the beginning, or for `pages` pages. Does nothing while it reads. */
  async readBack(isEnough: (found: FactCancels) => boolean, pages = maxPages): Promise<void> {
    if (this.#snapshot.state === 'reading' || this.#snapshot.state === 'whole') return;
    this.#show('reading');
    try {
      for (let page = 0; page < pages && this.#state === 'open'; page += 1) {
        const before = this.#from ?? noEnd;
        const { facts, next } = await this.#read(`before=${before}&limit=${pageFacts}`);
        this.#keep([...facts.filter(isKept), ...this.#facts]);
        this.#last = Math.max(this.#last, facts.at(-1)?.seq ?? 0);
        this.#from = next ?? 1;
        this.#show(next === null ? 'whole' : 'reading');
        if (next === null) return;
        if (isEnough(this.#snapshot.found)) break;
      }
      this.#show('idle');
    } catch (error) {
      this.#show('failed', String(error instanceof Error ? error.message : error));
    }
  }

  /** Reads what was appended since. */
  async readNew(): Promise<void> {
    const { state } = this.#snapshot;
    if (state === 'reading' || this.#from === null) return;
    this.#show('reading');
    try {
      for (let next: number | null = this.#last; next !== null && this.#state === 'open'; ) {
        const page: FactPage = await this.#read(`after=${next}&limit=${pageFacts}`);
        this.#keep([...this.#facts, ...page.facts.filter(isKept)]);
        this.#last = Math.max(this.#last, page.facts.at(-1)?.seq ?? 0);
        next = page.next;
      }
      this.#show(state);
    } catch (error) {
      this.#show('failed', String(error instanceof Error ? error.message : error));
    }
  }

  /** Stops reading. */
  stop(): void {
    this.#state = 'stopped';
  }

  async #read(query: string): Promise<FactPage> {
    for (let attempt = 0; ; attempt += 1) {
      const response = await this.#request(`${this.#address}?${query}`);
      if (response.ok) return factsOf((await response.json()) as PageOfEvents); // as its route declares it
      if (response.status !== 429 || attempt === maxRetries) throw new Error(await problemText(response));
      await new Promise<void>((resolve) => void pageClock.after(retryMs, resolve)); // more requests than the rate allows
    }
  }

  #keep(facts: readonly SequencedFact[]): void {
    if (facts.length === this.#facts.length) return; // to read a long log costs time
    this.#facts = facts;
    this.#found = new FactCancels(facts);
  }

  #show(state: ReadState, problem: string | null = null): void {
    const read = this.#from === null ? 0 : Math.max(0, this.#last - this.#from + 1);
    this.#snapshot = { state, found: this.#found, read, problem };
    for (const listener of [...this.#listeners]) listener();
  }
}

interface PageOfEvents {
  readonly events: readonly ({ readonly seq: number } & SequencedFact['fact'])[];
  readonly next: number | null;
}

interface FactPage {
  readonly facts: readonly SequencedFact[];
  readonly next: number | null;
}

const factsOf = ({ events, next }: PageOfEvents): FactPage => ({
  facts: events.map((fact) => ({ seq: fact.seq, fact })),
  next,
});

const isKept = ({ fact }: SequencedFact): boolean => kept.has(fact.type);
