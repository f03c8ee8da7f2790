// The facts that a fork begins with: what had happened in another session by the end of one of its turns.
//
// 1. A turn comes along whole or not at all: it does if it and the turns above it had settled by then, with everything of it that had settled too.
// 2. What belongs to the other session stays there: its owner, members and delegations, its decisions, refs, processes and usage.
// 3. The nodes get ids of their own: no id names a node of two sessions.
import { createHash } from 'node:crypto';
import type { CancelAccepted, Fact, FactOf, FactType, RecordedFact } from '../../../machines/facts.ts';
import type { NodeId } from '../../../machines/vocabulary.ts';
import { noUsage } from '../../../machines/vocabulary.ts';
import { dropUndefined } from '../collections/fields.ts';
import { readTarget, targetOf } from '../receipt/cancel-target.ts';
import { listedNodes } from '../receipt/receipt.ts';
import { ReceiptFold } from '../receipt/receipt-fold.ts';
import { factCost, type Steps } from './in-slices.ts';
import { type Outline, OutlineDrawing, type TurnOutline } from './outline.ts';
import { type DrawnFacts, recoverDrawn } from './recover.ts';

/** Why a session cannot be forked from a turn. */
export type NoCut = 'unknown' | 'below' | 'not_settled';

/** The nodes that come along. */
interface Kept {
  readonly turns: ReadonlySet<NodeId>;
  /** Turns, calls and inputs. */
  readonly nodes: ReadonlySet<NodeId>;
  /** The ids of receipts that list one of them. */
  readonly cancels: ReadonlySet<string>;
}

/** Returns the copy of a fact; null: the fork does not get it. */
type Copy<F> = (fact: F, kept: Kept) => F | null;

const stays = () => null;
const comesAlong = <F>(fact: F) => fact;
const ofTurn = <F extends { readonly turn: NodeId }>(fact: F, { turns }: Kept) => (turns.has(fact.turn) ? fact : null);
const ofNode = <F extends { readonly node: NodeId }>(fact: F, { nodes }: Kept) => (nodes.has(fact.node) ? fact : null);
const ofInput = <F extends { readonly input: NodeId }>(fact: F, { nodes }: Kept) =>
  nodes.has(fact.input) ? fact : null;
const ofCancel = <F extends { readonly cancel: string }>(fact: F, { cancels }: Kept) =>
  cancels.has(fact.cancel) ? fact : null;

/** A ref is the idempotency key of a command to the other session. */
const withoutRef =
  <F extends { readonly ref: string | null }>(copy: Copy<F>): Copy<F> =>
  (fact, kept) => {
    const copied = copy(fact, kept);
    return copied && { ...copied, ref: null };
  };

/** Usage counts in the session in which a model was called, and not again in the fork. */
const withoutUsage =
  <F extends FactOf<'model_ended' | 'history_compacted' | 'turn_ended'>>(copy: Copy<F>): Copy<F> =>
  (fact, kept) => {
    const copied = copy(fact, kept);
    return copied && { ...copied, usage: noUsage };
  };

const copies: { readonly [T in FactType]: Copy<FactOf<T>> } = {
  session_opened: stays,
  session_configured: comesAlong, // a fork may do no more than the session that it comes from
  imported: comesAlong,
  session_recovered: stays,
  member_invited: stays,
  member_removed: stays,
  invite_created: stays,
  invite_secret: stays,
  invite_revoked: stays,
  stop_delegated: stays,
  tool_timeout_set: stays,
  session_renamed: stays,
  turn_opened: withoutRef(ofTurn),
  turn_started: ofTurn,
  turn_ended: withoutUsage(ofTurn),
  input_deferred: withoutRef(ofInput),
  input_settled: ofInput,
  model_started: ofTurn,
  text_checkpoint: stays, // the end of its model call has the text
  model_state: ofTurn,
  model_error: stays, // it is for the operator, who finds it there
  model_ended: withoutUsage(ofTurn),
  tool_call: ofTurn,
  tool_started: ofTurn,
  process_started: stays,
  tool_changed: ofTurn,
  tool_timeout: ofNode,
  tool_result: (fact, kept) => {
    const { usage: _, ...result } = fact;
    return ofTurn(result, kept);
  },
  late_result: ofNode,
  abandoned_ended: ofNode,
  approval_requested: ofTurn,
  approval_closed: withoutRef(ofNode),
  question_asked: ofTurn,
  question_closed: withoutRef(ofNode),
  history_compacted: withoutUsage(ofTurn),
  turns_left_out: ofTurn,
  cancel_accepted: withoutRef((fact, kept) => {
    const copied = ofCancel(fact, kept);
    return copied && acceptedOf(copied, kept);
  }),
  cancel_settled: withoutRef((fact, kept) => {
    const copied = ofCancel(fact, kept);
    return copied && { ...copied, nodes: copied.nodes.filter(({ node }) => kept.nodes.has(node)) };
  }),
  cancel_refused: stays,
  cancel_decided: stays,
  cancel_unmatched: stays,
  acknowledged: (fact, kept) => ofCancel(fact, kept) && ofTurn(fact, kept),
  reaction: ofCancel,
  earcon: ofCancel,
  speech_queued: stays, // it is spoken there
  speech_started: stays,
  speech_ended: stays,
  speech_cut: ofTurn,
  transcript_dropped: stays,
};

/** Returns an acceptance as far as it is about nodes that come along. */
function acceptedOf(fact: CancelAccepted, { nodes }: Kept): CancelAccepted {
  const isKept = (id: NodeId) => nodes.has(id);
  const { running, queue } = fact;
  return {
    ...fact,
    stopping: fact.stopping.filter(isKept),
    pending: fact.pending.filter(isKept),
    refused: fact.refused.filter(({ node }) => isKept(node)),
    detached: fact.detached.filter(isKept),
    ...dropUndefined({
      running: running?.filter(isKept),
      queue: queue?.filter(({ input }) => isKept(input)),
    }),
  };
}

const hasSettled = ({ ended, parent }: TurnOutline): boolean =>
  ended !== null && (parent === null || hasSettled(parent.turn));

function keptIn({ turns, calls, accepted }: Outline): Kept {
  const settled = [...turns.values()].filter(hasSettled);
  const keptTurns = new Set(settled.map(({ id }) => id));
  const keptCalls = [...calls.values()].filter(({ turn }) => keptTurns.has(turn.id)).map(({ fact }) => fact.node);
  // words that have opened a turn of their own stay with it
  const isOver = (fate: string | undefined, input: NodeId) =>
    fate !== undefined && (fate !== 'queued' || keptTurns.has(input));
  const inputs = settled.flatMap((turn) => turn.inputs).filter((one) => isOver(one.settled?.fate, one.fact.input));
  const nodes = new Set([...keptTurns, ...keptCalls, ...inputs.map(({ fact }) => fact.input)]);
  const listing = accepted.filter((receipt) => listedNodes(receipt).some((node) => nodes.has(node)));
  return { turns: keptTurns, nodes, cancels: new Set(listing.map(({ cancel }) => cancel)) };
}

/** Returns why facts with this outline cannot be cut at the end of this turn, their last one; null: they can. */
export function noCutAt({ turns }: Outline, turn: NodeId): NoCut | null {
  const found = turns.get(turn);
  if (!found) return 'unknown';
  if (found.parent !== null) return 'below';
  return found.ended ? null : 'not_settled';
}

/**
 * Returns the steps to the facts that a fork begins with, closed: a call that ran on after its turn, and a receipt that had not settled, have their ends. Each has the time
 * of its original.
 *
 * @param facts of the other session, up to the end of a root turn
 * @param outline theirs
 * @param fork the id of the fork
 */
export function* copyFacts(
  facts: readonly RecordedFact[],
  outline: Outline,
  fork: string,
): Steps<readonly RecordedFact[]> {
  const kept = keptIn(outline);
  const copied: RecordedFact[] = [];
  const drawing = new OutlineDrawing();
  const fold = new ReceiptFold();
  for (const fact of facts) {
    const copy = copies[fact.type] as Copy<Fact> | undefined; // the table has for each type what copies its fact
    const one = copy?.(fact, kept) ?? null;
    if (one) {
      const dated = { ...one, at: fact.at };
      copied.push(dated);
      drawing.add(dated);
      fold.add(dated);
    }
    yield factCost;
  }
  const at = facts.at(-1)?.at ?? 0;
  const all = [...copied, ...endsOf({ facts: copied, outline: drawing, fold }, at).map((fact) => ({ ...fact, at }))];
  const named = new Map<string, string>();
  for (const fact of all) {
    for (const id of namesIn(fact)) if (!named.has(id)) named.set(id, copiedId(fork, id));
    yield factCost;
  }
  const nameOf = (text: string): string => {
    const { reach, named: node } = readTarget(text);
    return reach === 'node' ? (named.get(text) ?? text) : targetOf(reach, nameOf(node));
  };
  const renamed: RecordedFact[] = [];
  for (const fact of all) {
    renamed.push(rename(fact, nameOf) as RecordedFact); // of the same form
    yield factCost;
  }
  return renamed;
}

const ranOnThere = 'It ran on in the session that this one was forked from: what became of it there is not known here.';

/** Returns the ends that are missing: of receipts, and of calls that ran on after their turn. */
const endsOf = (copied: DrawnFacts, at: number): readonly Fact[] =>
  recoverDrawn(copied, at).flatMap((fact): readonly Fact[] => {
    if (fact.type === 'session_recovered') return [];
    return fact.type === 'late_result' || fact.type === 'abandoned_ended' ? [{ ...fact, output: ranOnThere }] : [fact];
  });

/** Returns the id that a node of the other session has in a fork: of the form of every id, and the same whenever it is asked for. */
export const copiedId = (fork: string, id: string): string => deriveId(id.split('_', 1)[0] ?? '', [fork, id]);

/** Returns an id of this prefix that follows from the texts. */
export function deriveId(prefix: string, texts: readonly (string | null)[]): string {
  const hash = createHash('sha256').update(JSON.stringify(texts)).digest();
  return `${prefix}_${hash.readBigUInt64BE().toString(36).padStart(13, '0')}`;
}

/** The fields whose ids name what a fact is about. */
const nameFields = ['turn', 'node', 'input', 'cancel', 'question'] as const;
/** Words of people and models, and what a provider alone reads: they stay as they are. */
export const opaqueFields: ReadonlySet<string> = new Set([
  'text',
  'whole',
  'remark',
  'parts',
  'arguments',
  'output',
  'message',
  'summary',
  'reason',
  'schema',
  'choices',
]);

/** The ids that a fact is about, and the turn of its target: a CANCEL of a lane may name one that has not settled, and does not come along. */
const namesIn = (fact: RecordedFact): readonly string[] => {
  const ids = nameFields.flatMap((field) => {
    const id: unknown = Reflect.get(fact, field);
    return typeof id === 'string' ? [id] : [];
  });
  if (fact.type !== 'cancel_accepted') return ids;
  const { reach, named } = readTarget(fact.target);
  return reach === 'lane' ? [...ids, named] : ids;
};

function rename(value: unknown, nameOf: (text: string) => string): unknown {
  if (typeof value === 'string') return nameOf(value);
  if (Array.isArray(value)) return value.map((one) => rename(one, nameOf));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, one]) => [name, opaqueFields.has(name) ? one : rename(one, nameOf)]);
  return Object.fromEntries(fields);
}
