// The cancels of a session, folded from its facts: who stopped what, when, how long it took, what was refused, and what ran on.
import type { CancelRefused, Refusal, SequencedFact, SettledNode } from '../../../machines/facts.ts';
import type { CauseSource, NodeId, NodeKind, OutcomeKind, SpeakerId } from '../../../machines/vocabulary.ts';
import { type FoldedReceipt, longestMs, receiptEntries } from '../receipt/receipt.ts';
import { foldReceipts } from '../receipt/receipt-fold.ts';
import { type NodeReport, nodesOf } from './node-report.ts';

/** Times are milliseconds since 1970. */
export interface CancelReport {
  /** The id of its receipt. Null: the CANCEL was refused. */
  readonly cancel: string | null;
  /** The sequence number of the acceptance or the refusal. */
  readonly seq: number;
  readonly at: number;
  /** `stopping`: it has not settled. */
  readonly state: 'stopping' | 'settled' | 'refused';
  readonly source: CauseSource;
  readonly by: SpeakerId | null;
  /** The bridge that has relayed it. */
  readonly via: SpeakerId | null;
  readonly reason: string | null;
  readonly target: string;
  readonly force: boolean;
  readonly settledAt: number | null;
  /** From the acceptance until its last node had its outcome, in milliseconds. Null: it has not settled. */
  readonly ms: number | null;
  readonly nodes: readonly StoppedNode[];
  /** What the CANCEL did not stop, or could not stop in time. */
  readonly ranOn: readonly RunningOn[];
}

/** A node of a cancel. Null: the facts do not say it. */
export interface NamedNode {
  readonly node: NodeId;
  readonly kind: NodeKind | null;
  readonly name: string | null;
  readonly owner: SpeakerId | null;
}

/** A node that the CANCEL was to stop. */
export interface StoppedNode extends NamedNode {
  /** Whether a shield delayed its stop. */
  readonly pending: boolean;
  /** How it ended; null: it has not settled. */
  readonly end: Omit<SettledNode, 'node' | 'kind'> | null;
}

export interface RunningOn extends NamedNode {
  /** `refused`: no standing. `detached`: not part of its turn any more. `abandoned`: it did not end in time. `newer`: started after the CANCEL was first sent. */
  readonly why: 'refused' | 'detached' | 'abandoned' | 'newer';
  /** Why it was refused: a code from docs/errors.md. */
  readonly reason: string | null;
  /** How it ended after all. Null: it may still run. */
  readonly outcome: OutcomeKind | null;
  readonly goneAt: number | null;
}

/** Returns the cancels of a session in the order of their acceptances and refusals. */
export function cancelsOf(facts: Iterable<SequencedFact>): readonly CancelReport[] {
  const all = [...facts];
  const nodes = nodesOf(all);
  const receipts = foldReceipts(all.map(({ fact }) => fact));
  return all.flatMap(({ seq, fact }) => {
    if (fact.type === 'cancel_refused') return refusedReport(fact, seq, nodes);
    const receipt = fact.type === 'cancel_accepted' ? receipts.get(fact.cancel) : undefined;
    return receipt ? acceptedReport(receipt, seq, nodes) : [];
  });
}

type Nodes = ReadonlyMap<NodeId, NodeReport>;
type Timed = { readonly at: number };

function acceptedReport(receipt: FoldedReceipt<Timed>, seq: number, nodes: Nodes): CancelReport {
  const { accepted, settled } = receipt;
  const { cancel, at, source, by, via = null, reason, target, force } = accepted;
  const { refused, detached, running = [] } = accepted;
  const stopped = receiptEntries(receipt).map(({ node, isPending, end }) => ({
    ...nameNode(node, nodes),
    pending: isPending,
    end: end && endOf(end),
  }));
  const abandoned = stopped.filter(({ end }) => end?.outcome === 'abandoned');
  return {
    cancel,
    seq,
    at,
    source,
    by,
    via,
    reason,
    target,
    force,
    state: settled ? 'settled' : 'stopping',
    settledAt: settled?.at ?? null,
    ms: settled && longestMs(settled.nodes),
    nodes: stopped,
    ranOn: [
      ...refused.map((refusal) => refusedNode(refusal, nodes)),
      ...detached.map((node) => runningOn(node, 'detached', nodes)),
      ...running.map((node) => runningOn(node, 'newer', nodes)),
      ...abandoned.map(({ node }) => runningOn(node, 'abandoned', nodes)),
    ],
  };
}

function refusedReport(
  { at, source, by, via, target, refused }: CancelRefused & Timed,
  seq: number,
  nodes: Nodes,
): CancelReport {
  return {
    cancel: null,
    seq,
    at,
    source,
    by,
    via: via ?? null,
    reason: null,
    target,
    force: false,
    state: 'refused',
    settledAt: null,
    ms: null,
    nodes: [],
    ranOn: refused.map((refusal) => refusedNode(refusal, nodes)),
  };
}

const endOf = ({ node: _, kind: __, times: ___, ...end }: SettledNode): StoppedNode['end'] => end;

function nameNode(node: NodeId, nodes: Nodes): NamedNode {
  const { kind = null, name = null, owner = null } = nodes.get(node) ?? {};
  return { node, kind, name, owner };
}

const refusedNode = ({ node, reason }: Refusal, nodes: Nodes): RunningOn => ({
  ...runningOn(node, 'refused', nodes),
  reason,
});

function runningOn(node: NodeId, why: RunningOn['why'], nodes: Nodes): RunningOn {
  const { outcome = null, goneAt = null } = nodes.get(node) ?? {};
  return { ...nameNode(node, nodes), why, reason: null, outcome: goneAt === null ? null : outcome, goneAt };
}
