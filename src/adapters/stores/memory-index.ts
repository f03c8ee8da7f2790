// The index of a session in the log in memory: when something last happened, its title, its root turns and the words that were said in them.
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

interface Run {
  readonly speaker: string;
  readonly at: number;
  outcome: OutcomeKind | 'open';
  /** The names of the tools and agents that it has called, by their nodes. */
  readonly names: Map<NodeId, string>;
  readonly causes: Set<string>;
  /** The words of each message. */
  readonly messages: (readonly string[])[];
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const wordsOf = (value: unknown): readonly string[] => searchWords(text(value) ?? '').map(withoutAccents);

export class SessionIndex {
  /** The number of events that were added. */
  count = 0;
  at = 0;
  title: string | null = null;
  #lastTurn: Run | null = null;
  readonly #runs = new Map<NodeId, Run>();
  /** The run that each node belongs to. */
  readonly #runByNode = new Map<NodeId, Run>();

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
        if (parent !== null) this.#addNode(turn, this.#runOf(parent), fields['agent'], parent);
        break;
      case 'tool_call':
        this.#addNode(node, this.#runOf(turn), fields['name']);
        break;
      case 'turn_ended': {
        const run = this.#runs.get(String(turn));
        if (run) run.outcome = fields['outcome'] as OutcomeKind; // its fact has one
        break;
      }
      case 'cancel_accepted':
        for (const list of [fields['stopping'], fields['pending']])
          for (const stopped of Array.isArray(list) ? list : [])
            this.#runOf(stopped)?.causes.add(String(fields['source']));
        break;
      case 'input_deferred':
      case 'model_ended':
      case 'question_closed':
        this.#runOf(turn ?? node)?.messages.push(wordsOf(fields['text']));
        break;
      case 'session_renamed':
        this.title = text(fields['title']);
        break;
    }
  }

  matches(search: TurnSearch): boolean {
    const { words, speaker, outcome, tool, cause, since, until } = search;
    const isSaidIn = (said: readonly string[]) =>
      words?.every((word) => said.some((one) => one.startsWith(withoutAccents(word)))) ?? true;
    const isTitled = words !== undefined && isSaidIn(wordsOf(this.title));
    const asksOnlyWords = [speaker, outcome, tool, cause, since, until].every((field) => field === undefined);
    if (isTitled && asksOnlyWords) return true;
    return [...this.#runs.values()].some(
      (run) =>
        (speaker === undefined || run.speaker === speaker) &&
        (outcome === undefined || run.outcome === outcome) &&
        (since === undefined || run.at >= since) &&
        (until === undefined || run.at < until) &&
        (tool === undefined || [...run.names.values()].includes(tool)) &&
        (cause === undefined || run.causes.has(cause)) &&
        (words === undefined || isTitled || run.messages.some(isSaidIn)),
    );
  }

  #open({ turn, owner, at, kind, agent, text: said }: Readonly<Record<string, unknown>>): void {
    const id = text(turn);
    if (id === null || this.#runs.has(id)) return;
    const opened: Run = {
      speaker: text(owner) ?? '',
      at: typeof at === 'number' ? at : 0,
      outcome: 'open',
      names: new Map(),
      causes: new Set(),
      messages: [wordsOf(said)],
    };
    this.#runs.set(id, opened);
    this.#addNode(id, opened, agent);
    if (kind !== 'acknowledgement') this.#lastTurn = opened;
  }

  /** `call`: the call whose agent the node is. */
  #addNode(node: unknown, run: Run | undefined, name: unknown, call: unknown = null): void {
    const id = text(node);
    if (id === null || !run) return;
    this.#runByNode.set(id, run);
    if (typeof name !== 'string') return;
    run.names.set(id, name);
    if (typeof call === 'string') run.names.set(call, name);
  }

  #runOf(node: unknown): Run | undefined {
    return this.#runByNode.get(String(node));
  }
}

const isAfter = (a: SessionPlace, b: SessionPlace | null, order: SessionSearch['order']): boolean =>
  b === null || compare(a, b, order) > 0;

/** Compares places in an order: of two sessions with the same time the later name is the newer one. */
function compare(a: SessionPlace, b: SessionPlace, order: SessionSearch['order']): number {
  const byName = a.session < b.session ? -1 : Number(a.session > b.session);
  return order === 'name' ? byName : b.at - a.at || -byName;
}

/** See `Log.findSessions`. */
export function findIn(
  sessions: readonly { readonly session: string; readonly index: SessionIndex }[],
  { order, turn, among }: SessionSearch,
  { after, limit }: { readonly after: SessionPlace | null; readonly limit: number },
): FoundSessions {
  const placed = sessions
    .map(({ session, index }) => ({ session, at: index.at, index }))
    .filter((place) => (among?.includes(place.session) ?? true) && isAfter(place, after, order))
    .sort((a, b) => compare(a, b, order));
  const slice = placed.slice(0, limit);
  const last = slice.at(-1);
  return {
    found: slice
      .filter(({ index }) => turn === null || index.matches(turn))
      .map(({ session, at, index: { title, lastTurn } }) => ({ session, at, title, lastTurn })),
    next: slice.length < limit || !last ? null : { session: last.session, at: last.at },
  };
}
