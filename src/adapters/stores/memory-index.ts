// The search index of a session in the log in memory: the time of its last event, its title, and its root turns with the words that were said in them.
import type { NodeId, OutcomeKind } from '../../../machines/vocabulary.ts';
import { fieldsOf } from '../../core/collections/fields.ts';
import type { LogBody } from '../../core/contracts/log.ts';
import type {
  FoundSession,
  FoundSessions,
  SessionPlace,
  SessionSearch,
  TurnSearch,
} from '../../core/contracts/session-search.ts';
import { searchWords, withoutAccents } from '../../core/text/search-words.ts';

/** A root turn with everything below it. */
interface IndexedTurn {
  readonly speaker: string;
  readonly at: number;
  outcome: OutcomeKind | 'open';
  /** The names of its own agent, and of the tools and agents that were called in it, by their nodes. */
  readonly names: Map<NodeId, string>;
  /** The sources of the CANCELs that have stopped something of it. */
  readonly causes: Set<string>;
  /** The words of each text that was said in it, without accents. */
  readonly messages: (readonly string[])[];
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const wordsOf = (value: unknown): readonly string[] => searchWords(text(value) ?? '').map(withoutAccents);

export class SessionIndex {
  /** The number of events that were added. */
  count = 0;
  /** The time of the last event, in milliseconds since 1970; 0: there is none. */
  at = 0;
  title: string | null = null;
  /** The last root turn that is no acknowledgement. */
  #lastTurn: IndexedTurn | null = null;
  /** The root turns by their ids. */
  readonly #turns = new Map<NodeId, IndexedTurn>();
  /** The root turn that each node belongs to. */
  readonly #turnByNode = new Map<NodeId, IndexedTurn>();

  get lastTurn(): FoundSession['lastTurn'] {
    return this.#lastTurn && { outcome: this.#lastTurn.outcome };
  }

  add(body: LogBody): void {
    const fields = fieldsOf(body);
    const { at, turn, node, parent } = fields;
    this.count++;
    if (typeof at === 'number') this.at = Math.max(this.at, at);
    switch (body.type) {
      case 'turn_opened':
        this.#open(fields);
        break;
      case 'turn_started':
        if (parent !== null) this.#addNode(turn, this.#rootTurnOf(parent), fields['agent'], parent);
        break;
      case 'tool_call':
        this.#addNode(node, this.#rootTurnOf(turn), fields['name']);
        break;
      case 'turn_ended': {
        const ended = this.#turns.get(String(turn));
        if (ended) ended.outcome = fields['outcome'] as OutcomeKind; // a `turn_ended` has one
        break;
      }
      case 'cancel_accepted':
        for (const list of [fields['stopping'], fields['pending']])
          for (const stopped of Array.isArray(list) ? list : [])
            this.#rootTurnOf(stopped)?.causes.add(String(fields['source']));
        break;
      case 'input_deferred':
      case 'model_ended':
      case 'question_closed':
        this.#rootTurnOf(turn ?? node)?.messages.push(wordsOf(fields['text']));
        break;
      case 'session_renamed':
        this.title = text(fields['title']);
        break;
    }
  }

  /** Whether one root turn of the session has everything that the search asks for, or the title has its words and it asks for nothing else. */
  matches(search: TurnSearch): boolean {
    const { words, speaker, outcome, tool, cause, since, until } = search;
    const isSaidIn = (said: readonly string[]) =>
      words?.every((word) => said.some((one) => one.startsWith(withoutAccents(word)))) ?? true;
    const isTitled = words !== undefined && isSaidIn(wordsOf(this.title));
    const asksOnlyWords = [speaker, outcome, tool, cause, since, until].every((field) => field === undefined);
    if (isTitled && asksOnlyWords) return true;
    return [...this.#turns.values()].some(
      (turn) =>
        (speaker === undefined || turn.speaker === speaker) &&
        (outcome === undefined || turn.outcome === outcome) &&
        (since === undefined || turn.at >= since) &&
        (until === undefined || turn.at < until) &&
        (tool === undefined || [...turn.names.values()].includes(tool)) &&
        (cause === undefined || turn.causes.has(cause)) &&
        (words === undefined || isTitled || turn.messages.some(isSaidIn)),
    );
  }

  #open({ turn, owner, at, kind, agent, text: said }: Readonly<Record<string, unknown>>): void {
    const id = text(turn);
    if (id === null || this.#turns.has(id)) return;
    const opened: IndexedTurn = {
      speaker: text(owner) ?? '',
      at: typeof at === 'number' ? at : 0,
      outcome: 'open',
      names: new Map(),
      causes: new Set(),
      messages: [wordsOf(said)],
    };
    this.#turns.set(id, opened);
    this.#addNode(id, opened, agent);
    if (kind !== 'acknowledgement') this.#lastTurn = opened;
  }

  /** Adds a node and its name to its root turn. `call`: the call that has started it, if it is the turn of a sub-agent. */
  #addNode(node: unknown, root: IndexedTurn | undefined, name: unknown, call: unknown = null): void {
    const id = text(node);
    if (id === null || !root) return;
    this.#turnByNode.set(id, root);
    if (typeof name !== 'string') return;
    root.names.set(id, name);
    if (typeof call === 'string') root.names.set(call, name);
  }

  #rootTurnOf(node: unknown): IndexedTurn | undefined {
    return this.#turnByNode.get(String(node));
  }
}

const isAfter = (a: SessionPlace, b: SessionPlace | null, order: SessionSearch['order']): boolean =>
  b === null || comparePlaces(a, b, order) > 0;

/** Compares places for `sort`. Of two sessions with the same time, the one with the later name counts as newer. */
function comparePlaces(a: SessionPlace, b: SessionPlace, order: SessionSearch['order']): number {
  const byName = a.session < b.session ? -1 : Number(a.session > b.session);
  return order === 'name' ? byName : b.at - a.at || -byName;
}

/** Returns one page of the sessions that match: see `Log.findSessions`. */
export function searchIndexes(
  sessions: readonly { readonly session: string; readonly index: SessionIndex }[],
  { order, turn, among }: SessionSearch,
  { after, limit }: { readonly after: SessionPlace | null; readonly limit: number },
): FoundSessions {
  const placed = sessions
    .map(({ session, index }) => ({ session, at: index.at, index }))
    .filter((place) => (among?.includes(place.session) ?? true) && isAfter(place, after, order))
    .sort((a, b) => comparePlaces(a, b, order));
  const page = placed.slice(0, limit);
  const last = page.at(-1);
  return {
    found: page
      .filter(({ index }) => turn === null || index.matches(turn))
      .map(({ session, at, index: { title, lastTurn } }) => ({ session, at, title, lastTurn })),
    next: page.length < limit || !last ? null : { session: last.session, at: last.at },
  };
}
