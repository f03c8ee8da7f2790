// The end of a session's log, for somebody who joins with its last turns: where it starts, and the earlier facts that the later ones need.
//
// 1. It is found in memory: what is kept for requests begins with the oldest turn that is open. Only where more turns are asked for than are kept, the log is read,
//    backward, as far as these turns reach.
// 2. Facts from its start on are complete. Of those before it are there: the first one, all facts of turns that have not settled, and the receipts that a shown
//    acknowledgement is of.
import type { CancelAccepted, FactOf, RecordedFact, SequencedFact } from '../../../machines/facts.ts';
import type { NodeId } from '../../../machines/vocabulary.ts';
import type { Log } from '../contracts/log.ts';
import type { LiveTree } from '../live/tree.ts';
import type { History } from '../transcript/history.ts';
import { numberFacts, RootTurns } from '../transcript/root-turns.ts';
import { factOf } from './read-log.ts';

/** Facts that are read at once. */
const pageSize = 500;

export interface SessionTail {
  /** The sequence number from which on all facts follow; 1: nothing is left out. */
  readonly start: number;
  /** The facts before it that later ones need, in their order. */
  readonly earlier: readonly SequencedFact[];
}

export interface TailSource {
  readonly session: string;
  readonly log: Pick<Log, 'read'>;
  readonly history: Pick<History, 'facts' | 'roots' | 'left' | 'omittedTurns'>;
  readonly tree: Pick<LiveTree, 'entries' | 'pathToRoot'>;
  /** The sequence number of the last fact that has committed. */
  committed(): number;
}

/** Resolves with the sequence number at which the last `count` turns start, acknowledgements not counted; 1: there are no more turns than these. */
export async function findTailStart(count: number, { session, log, history, committed }: TailSource): Promise<number> {
  const kept = history.roots.filter(({ kind, seq }) => kind !== 'acknowledgement' && seq <= committed());
  const counted = kept.at(-count);
  if (counted && kept.length > count) return counted.seq;
  if (history.omittedTurns === 0) return 1;
  let missing = count - kept.length;
  let start = history.roots[0]?.seq ?? committed() + 1;
  for (let end = start - 1; end > 0; ) {
    const from = Math.max(0, end - pageSize);
    const page = (await log.read(session, from, end - from)).map(factOf);
    for (const { seq, fact } of page.toReversed()) {
      if (fact.type !== 'turn_opened' || fact.kind === 'acknowledgement') continue;
      if (missing === 0) return start;
      missing -= 1;
      start = seq;
    }
    end = from;
  }
  return 1;
}

/** Returns the end of the log from there on, as the live tree and the memory of the session have it now. `first`: the first fact of the log; null: it is not needed. */
export function tailFrom(start: number, first: SequencedFact | null, source: TailSource): SessionTail {
  const { tree, committed } = source;
  const facts = keptFacts(source).filter(({ seq }) => seq <= committed());
  const turns = new RootTurns();
  const rooted = facts.map((event) => ({ event, root: turns.rootOf(event.fact) }));
  const live = new Set(tree.entries().flatMap((entry) => tree.pathToRoot(entry).at(-1)?.id ?? []));
  const shown = new Set(
    facts.flatMap(({ seq, fact }) => (seq >= start && fact.type === 'turn_opened' ? (fact.cancel ?? []) : [])),
  );
  const isLive = (node: NodeId) => live.has(turns.rootOfNode(node) ?? '');
  const cancels = new Set(
    facts.flatMap(({ fact }) =>
      fact.type === 'cancel_accepted' && (shown.has(fact.cancel) || nodesOf(fact).some(isLive)) ? fact.cancel : [],
    ),
  );
  const isNeeded = (fact: RecordedFact, root: NodeId | null) =>
    (root !== null && live.has(root)) || (isOfReceipt(fact) && cancels.has(fact.cancel));
  const needed = rooted.filter(({ event, root }) => event.seq < start && isNeeded(event.fact, root));
  const earlier = needed.map(({ event }) => event).filter(({ seq }) => seq !== first?.seq);
  return { start, earlier: first && start > 1 ? [first, ...earlier] : earlier };
}

/** The facts in memory, in their order: those of turns of which a call still runs, and all from the first kept turn on. */
function keptFacts({ history }: TailSource): readonly SequencedFact[] {
  const { left, roots } = history;
  const [first] = roots;
  if (!first) return left;
  const all = history.facts();
  const at = all.findIndex((fact) => fact.type === 'turn_opened' && fact.turn === first.turn);
  return at === -1 ? left : [...left, ...numberFacts(all.slice(at), first.seq)];
}

const receiptTypes = ['cancel_accepted', 'cancel_settled', 'acknowledged', 'reaction', 'earcon'] as const;
type ReceiptFact = FactOf<(typeof receiptTypes)[number]>;

const isOfReceipt = (fact: RecordedFact): fact is RecordedFact & ReceiptFact =>
  receiptTypes.some((type) => type === fact.type);

/** The nodes that a receipt is about. */
const nodesOf = ({ stopping, pending, refused, detached, queue = [] }: CancelAccepted): readonly NodeId[] => [
  ...stopping,
  ...pending,
  ...refused.map(({ node }) => node),
  ...detached,
  ...queue.map(({ input }) => input),
];
