// The tail of a session's log, for a client that joins with the last turns only: its start, and the facts before it that the later ones refer to.
//
// 1. The tail is taken from memory: the history keeps all turns since the oldest open one. The log is read, backward, only if more turns are asked for than
//    the history keeps.
// 2. The tail has every fact from its start on. Of the facts before it has the first one of the log, all facts of turns that have not settled, and the receipts
//    that the acknowledgements in the tail are about.
import type { CancelAccepted, FactOf, RecordedFact, SequencedFact } from '../../../machines/facts.ts';
import type { NodeId } from '../../../machines/vocabulary.ts';
import type { Log } from '../contracts/log.ts';
import type { LiveTree } from '../live/tree.ts';
import type { History } from '../transcript/history.ts';
import { numberFacts, RootTurns } from '../transcript/root-turns.ts';
import { factOf } from './read-log.ts';

/** The number of facts that are read at once. */
const pageSize = 500;

export interface SessionTail {
  /** The sequence number from which on the tail has every fact; 1: it is the whole log. */
  readonly start: number;
  /** The facts before `start` that later ones refer to, in their order. */
  readonly earlier: readonly SequencedFact[];
}

export interface TailSource {
  readonly session: string;
  readonly log: Pick<Log, 'read'>;
  readonly history: Pick<History, 'facts' | 'roots' | 'earlierFacts' | 'omittedTurns'>;
  readonly tree: Pick<LiveTree, 'entries' | 'pathToRoot'>;
  /** The sequence number of the last fact that has committed. */
  committed(): number;
}

/** Resolves with the sequence number of the first of the last `count` turns, acknowledgements not counted; 1: the session has no more turns than these. */
export async function findTailStart(count: number, { session, log, history, committed }: TailSource): Promise<number> {
  const kept = history.roots.filter(({ kind, seq }) => kind !== 'acknowledgement' && seq <= committed());
  const first = kept.at(-count);
  if (first && kept.length > count) return first.seq;
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

/** Returns the tail from `start` on, as the live tree and the history have it now. `first`: the first fact of the log; null: the tail is the whole log. */
export function tailFrom(start: number, first: SequencedFact | null, source: TailSource): SessionTail {
  const { tree, committed } = source;
  const facts = keptFacts(source).filter(({ seq }) => seq <= committed());
  const turns = new RootTurns();
  const rooted = facts.map((event) => ({ event, root: turns.rootOf(event.fact) }));
  const liveRoots = new Set(tree.entries().flatMap((entry) => tree.pathToRoot(entry).at(-1)?.id ?? []));
  const acknowledged = new Set(
    facts.flatMap(({ seq, fact }) => (seq >= start && fact.type === 'turn_opened' ? (fact.cancel ?? []) : [])),
  );
  const isLive = (node: NodeId) => liveRoots.has(turns.rootOfNode(node) ?? '');
  const isNeededReceipt = (accepted: CancelAccepted) =>
    acknowledged.has(accepted.cancel) || nodesOf(accepted).some(isLive);
  const receipts = new Set(
    facts.flatMap(({ fact }) => (fact.type === 'cancel_accepted' && isNeededReceipt(fact) ? fact.cancel : [])),
  );
  const isNeeded = (fact: RecordedFact, root: NodeId | null) =>
    (root !== null && liveRoots.has(root)) || (isOfReceipt(fact) && receipts.has(fact.cancel));
  const needed = rooted.filter(({ event, root }) => event.seq < start && isNeeded(event.fact, root));
  const earlier = needed.map(({ event }) => event).filter(({ seq }) => seq !== first?.seq);
  return { start, earlier: first && start > 1 ? [first, ...earlier] : earlier };
}

/** Returns the facts in memory, in their order: those of earlier turns of which a call still runs, and all from the first kept turn on. */
function keptFacts({ history }: TailSource): readonly SequencedFact[] {
  const { earlierFacts, roots } = history;
  const [first] = roots;
  if (!first) return earlierFacts;
  const all = history.facts();
  const at = all.findIndex((fact) => fact.type === 'turn_opened' && fact.turn === first.turn);
  return at === -1 ? earlierFacts : [...earlierFacts, ...numberFacts(all.slice(at), first.seq)];
}

const receiptTypes = ['cancel_accepted', 'cancel_settled', 'acknowledged', 'reaction', 'earcon'] as const;
type ReceiptFact = FactOf<(typeof receiptTypes)[number]>;

const isOfReceipt = (fact: RecordedFact): fact is RecordedFact & ReceiptFact =>
  receiptTypes.some((type) => type === fact.type);

/** Returns the nodes and inputs that a receipt names. */
const nodesOf = ({ stopping, pending, refused, detached, queue = [] }: CancelAccepted): readonly NodeId[] => [
  ...stopping,
  ...pending,
  ...refused.map(({ node }) => node),
  ...detached,
  ...queue.map(({ input }) => input),
];
