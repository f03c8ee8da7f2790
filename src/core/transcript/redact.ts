// Redacts the facts of a session for a speaker who is deleted: what they said becomes a mark, their name a pseudonym, and what models wrote is removed where it may quote them.
//
// 1. Every fact stays, with its type and its ids: standing, receipts and the pairs of calls and results hold.
// 2. It may be done again: a part of the facts may be redacted already.
import type { Fact, FactOf, FactType, RecordedFact, SequencedFact } from '../../../machines/facts.ts';
import type { NodeId, QuoteRule, SpeakerId } from '../../../machines/vocabulary.ts';
import { opaqueFields } from './fork.ts';

/** Stands for words that were deleted. */
export const deletedWords = '[deleted]';
const emptyArguments = '{}';

export interface Redaction {
  readonly speaker: SpeakerId;
  readonly pseudonym: SpeakerId;
  readonly quotes: QuoteRule;
}

/** Something that a model or a tool wrote, and that may quote the speaker. */
export interface Quote {
  readonly seq: number;
  readonly type: FactType;
  /** The turn that it belongs to; null: it names none. */
  readonly turn: NodeId | null;
  readonly became: 'removed' | 'kept';
}

export interface Redacted {
  /** The facts that have changed, as they are now. */
  readonly changed: readonly SequencedFact[];
  /** All facts, as they are now. */
  readonly facts: readonly RecordedFact[];
  readonly quotes: readonly Quote[];
}

/** What is known of the session when its facts are redacted. */
interface Scene {
  isTheirs(speaker: SpeakerId | null | undefined): boolean;
}

type Rewrite<F> = (fact: F) => F;
type WordsOf<F> = (fact: F, scene: Scene) => F;

const same = <F>(fact: F): F => fact;

/** Whether the command of the fact is theirs, or came over their connection: then its ref is theirs. */
const isSentBy = (
  { owner, by, via }: { owner?: SpeakerId; by?: SpeakerId | null; via?: SpeakerId },
  { isTheirs }: Scene,
): boolean => isTheirs(via ?? owner ?? by);

const withoutRef = <F extends { readonly ref: string | null; readonly via?: SpeakerId }>(fact: F, scene: Scene): F =>
  isSentBy(fact, scene) ? { ...fact, ref: null } : fact;

const marked = <T extends string | null>(words: T): T | typeof deletedWords =>
  words === null || words === '' ? words : deletedWords;

const withoutParts = <F extends { readonly parts?: unknown }>({ parts: _, ...fact }: F): Omit<F, 'parts'> => fact;

/** Removes what the speaker has said from a fact. */
const words: { readonly [T in FactType]: WordsOf<FactOf<T>> } = {
  session_opened: same,
  session_configured: same,
  imported: (fact, { isTheirs }) =>
    isTheirs(fact.by)
      ? { ...fact, messages: fact.messages.map(({ role, text }) => ({ role, text: marked(text) })) }
      : fact,
  session_recovered: same,
  member_invited: withoutRef,
  member_removed: withoutRef,
  // their links let nobody in: the time of each is over
  invite_created: (fact, scene) => (scene.isTheirs(fact.by) ? { ...fact, until: 0, ref: null } : fact),
  invite_secret: same,
  invite_revoked: withoutRef,
  stop_delegated: withoutRef,
  tool_timeout_set: withoutRef,
  session_renamed: (fact, scene) =>
    scene.isTheirs(fact.by) ? { ...fact, title: marked(fact.title), ref: null } : fact,
  turn_opened: (fact, scene) =>
    fact.kind === 'say' && scene.isTheirs(fact.owner)
      ? { ...withoutParts(fact), text: marked(fact.text), ref: null }
      : withoutRef(fact, scene),
  input_deferred: (fact, scene) =>
    scene.isTheirs(fact.owner)
      ? { ...withoutParts(fact), text: marked(fact.text), ref: null }
      : withoutRef(fact, scene),
  question_closed: (fact, scene) =>
    scene.isTheirs(fact.by) ? { ...fact, text: marked(fact.text), ref: null } : withoutRef(fact, scene),
  approval_closed: withoutRef,
  cancel_accepted: (fact, scene) =>
    scene.isTheirs(fact.by) ? { ...fact, reason: marked(fact.reason), ref: null } : withoutRef(fact, scene),
  cancel_settled: (fact, { isTheirs }) =>
    isTheirs(fact.cause.by)
      ? { ...fact, ref: null, cause: { ...fact.cause, reason: marked(fact.cause.reason) } }
      : fact,
  cancel_refused: withoutRef,
  cancel_unmatched: (fact, scene) => (isSentBy(fact, scene) ? { ...fact, ref: deletedWords } : fact),
  transcript_dropped: (fact, { isTheirs }) => (isTheirs(fact.by) ? { ...fact, text: deletedWords } : fact),
  turn_started: same,
  turn_ended: same,
  input_settled: same,
  model_started: same,
  text_checkpoint: same,
  model_state: same,
  model_error: same,
  model_ended: same,
  tool_call: same,
  tool_started: same,
  process_started: same,
  tool_changed: same,
  tool_timeout: same,
  tool_result: same,
  late_result: same,
  abandoned_ended: same,
  approval_requested: same,
  question_asked: same,
  history_compacted: same,
  turns_left_out: same,
  cancel_decided: same,
  acknowledged: same,
  reaction: same,
  earcon: same,
  speech_queued: same,
  speech_started: same,
  speech_ended: same,
  speech_cut: same,
};

const withoutMessage = <F extends { readonly message?: string }>(fact: F): F =>
  fact.message === undefined ? fact : { ...fact, message: deletedWords };
const withoutOutput = <F extends { readonly output?: string }>(fact: F): F =>
  fact.output === undefined ? fact : { ...fact, output: marked(fact.output) };

/** Removes from a fact what a model or a tool wrote. Types that have nothing of theirs are not here. */
const quotes: { readonly [T in FactType]?: Rewrite<FactOf<T>> } = {
  turn_opened: (fact) => (fact.kind === 'agent' ? { ...withoutParts(fact), text: marked(fact.text) } : fact),
  turn_started: (fact) => (fact.text === undefined ? fact : { ...fact, text: marked(fact.text) }),
  turn_ended: withoutMessage,
  text_checkpoint: (fact) => ({ ...fact, text: '' }),
  model_state: (fact) => ({ ...fact, provider: deletedWords, parts: [] }),
  model_error: withoutMessage,
  model_ended: (fact) => withoutMessage({ ...fact, text: marked(fact.text) }),
  tool_call: (fact) => ({ ...fact, arguments: emptyArguments }),
  tool_changed: (fact) => ({ ...fact, arguments: emptyArguments }),
  tool_result: (fact) => withoutOutput(withoutMessage(withoutParts(fact))),
  late_result: withoutOutput,
  abandoned_ended: withoutOutput,
  approval_requested: ({ whole: _, ...fact }) => ({
    ...fact,
    text: marked(fact.text),
    ...(fact.arguments !== undefined && { arguments: emptyArguments }),
    ...(fact.remark !== undefined && { remark: marked(fact.remark) }),
  }),
  question_asked: ({ schema: _, ...fact }) => ({ ...fact, text: marked(fact.text), choices: [] }),
  history_compacted: (fact) => ({ ...fact, summary: marked(fact.summary) }),
};

/** The types that a report does not name one by one: another fact of the same model call or tool call stands for them. */
const unnamed: ReadonlySet<FactType> = new Set<FactType>([
  'text_checkpoint',
  'model_state',
  'model_error',
  'turn_ended',
]);

/** The fields that hold the id of a speaker. A lane has that of its speaker, or of a turn. */
const speakerFields: ReadonlySet<string> = new Set([
  'by',
  'owner',
  'via',
  'to',
  'speaker',
  'lane',
  'requester',
  'addressee',
]);

/** Replaces the name in the fields that hold speakers, at any depth, and not in words. */
function rename(value: unknown, speaker: SpeakerId, pseudonym: SpeakerId): unknown {
  if (Array.isArray(value)) return value.map((one) => rename(one, speaker, pseudonym));
  if (typeof value !== 'object' || value === null) return value;
  const renamed = ([name, one]: [string, unknown]): [string, unknown] => {
    if (speakerFields.has(name) && one === speaker) return [name, pseudonym];
    return [name, opaqueFields.has(name) ? one : rename(one, speaker, pseudonym)];
  };
  return Object.fromEntries(Object.entries(value).map(renamed));
}

/** What the facts before a fact have shown of the speaker. */
class Traces {
  readonly #isTheirs: Scene['isTheirs'];
  readonly #turns = new Map<NodeId, SpeakerId>();
  readonly #turnOfNode = new Map<NodeId, NodeId>();
  /** Calls whose question they have answered: the result has the answer. */
  readonly #answered: ReadonlySet<NodeId>;
  #hasSpoken = false;
  #isSummarized = false;

  constructor(facts: readonly SequencedFact[], isTheirs: Scene['isTheirs']) {
    this.#isTheirs = isTheirs;
    const answers = facts.flatMap(({ fact }) =>
      fact.type === 'question_closed' && isTheirs(fact.by) ? [fact.node] : [],
    );
    this.#answered = new Set(answers);
  }

  add(fact: Fact): void {
    if (fact.type === 'turn_opened' || fact.type === 'turn_started') this.#turns.set(fact.turn, fact.owner);
    if (fact.type === 'tool_call') this.#turnOfNode.set(fact.node, fact.turn);
    const said = fact.type === 'turn_opened' || fact.type === 'input_deferred' ? fact.owner : null;
    const answered = fact.type === 'question_closed' || fact.type === 'cancel_accepted' ? fact.by : null;
    if (this.#isTheirs(said) || this.#isTheirs(answered)) this.#hasSpoken = true;
    if (fact.type === 'history_compacted' && fact.covers.some((turn) => this.#isTheirTurn(turn)))
      this.#isSummarized = true;
  }

  turnOf(fact: Fact): NodeId | null {
    if ('turn' in fact) return fact.turn;
    return 'node' in fact ? (this.#turnOfNode.get(fact.node) ?? null) : null;
  }

  /** How near to their words it was written; null: before them. `answer`: it has an answer of theirs. */
  nearness(fact: Fact): 'answer' | 'own' | 'later' | null {
    if ('node' in fact && this.#answered.has(fact.node) && !('arguments' in fact)) return 'answer';
    if (fact.type === 'history_compacted' && this.#isSummarized) return 'own'; // a summary has those before it, too
    const turn = this.turnOf(fact);
    if (turn !== null && this.#isTheirTurn(turn)) return 'own';
    return this.#hasSpoken ? 'later' : null;
  }

  #isTheirTurn(turn: NodeId): boolean {
    return this.#isTheirs(this.#turns.get(turn));
  }
}

/** Returns the facts of a session, redacted. `facts`: all of them, in their order. */
export function redactFacts(
  facts: readonly SequencedFact[],
  { speaker, pseudonym, quotes: rule }: Redaction,
): Redacted {
  const isTheirs = (id: SpeakerId | null | undefined) => id === speaker || id === pseudonym;
  const traces = new Traces(facts, isTheirs);
  const removes = { answer: true, own: rule !== 'keep', later: rule === 'all' };
  const changed: SequencedFact[] = [];
  const found: Quote[] = [];
  const all = facts.map(({ seq, fact }): RecordedFact => {
    traces.add(fact);
    const rewriteWords = words[fact.type] as WordsOf<Fact> | undefined; // the table has for each type what rewrites its fact
    let redacted: Fact = rewriteWords?.(fact, { isTheirs }) ?? fact;
    const removeQuote = quotes[fact.type] as Rewrite<Fact> | undefined; // as above
    const nearness = traces.nearness(fact);
    if (removeQuote && nearness !== null) {
      const without = removeQuote(redacted);
      const hasQuote = JSON.stringify(without) !== JSON.stringify(redacted);
      const became = removes[nearness] ? 'removed' : 'kept';
      if (hasQuote && nearness !== 'answer' && !unnamed.has(fact.type))
        found.push({ seq, type: fact.type, turn: traces.turnOf(fact), became });
      if (became === 'removed') redacted = without;
    }
    const named = { ...(rename(redacted, speaker, pseudonym) as Fact), at: fact.at }; // of the same form
    if (JSON.stringify(named) !== JSON.stringify({ ...fact, at: fact.at })) changed.push({ seq, fact: named });
    return named;
  });
  return { changed, facts: all, quotes: found };
}
