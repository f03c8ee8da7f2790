// CANCELs in the facts of a log. The log has the verdicts and the outcomes, and in its receipts how the stop went down; not the budgets, nor the machines.
import type {
  CancelAccepted,
  FactAbout,
  FactOf,
  FactSubjects,
  RecordedFact,
  SequencedFact,
  SettledNode,
} from '../../../../machines/facts.ts';
import type { NodeId } from '../../../../machines/vocabulary.ts';
import { argumentDetail, shortenLine } from '../../../client/view/call-title.ts';
import { receiptEntries } from '../../../core/receipt/receipt.ts';
import { foldReceipts, type ReceiptFold } from '../../../core/receipt/receipt-fold.ts';
import { type NodeReport, nodesOf } from '../../../core/reports/node-report.ts';
import { showNames } from '../../../wire/shown-names.ts';
import { isToStop, type Wave, type WaveRow, type WaveVerdict } from './wave-model.ts';
import { type CancelSource, type KnownCancel, type KnownNode, rowName } from './wave-sources.ts';

type Timed = { readonly at: number };

/** A CANCEL that stopped nothing, because its speaker may not. */
export interface RefusedCancel {
  readonly at: number;
  readonly by: string | null;
  readonly source: Wave['source'];
  /** The name of what it was to stop, `mine` or `session`. */
  readonly target: string;
  /** A code from docs/errors.md. */
  readonly reason: string | null;
}

/** Words that wait for a model call: a node of its own kind, which has no report. */
interface WaitingWords {
  readonly owner: string;
  readonly parent: NodeId;
}

/** The CANCELs in the facts of a session, or in a part of them. */
export class FactCancels implements CancelSource {
  readonly #reports: ReadonlyMap<NodeId, NodeReport>;
  readonly #fold: ReceiptFold<Timed>;
  readonly #inputs = new Map<NodeId, WaitingWords>();
  readonly #details = new Map<NodeId, string>();
  /** The turns that have detached an agent. */
  readonly #origins = new Map<NodeId, NodeId>();
  readonly #lateEnds = new Map<NodeId, number>();
  readonly #refusals: RefusedCancel[] = [];

  constructor(facts: Iterable<SequencedFact>) {
    const all = Array.from(facts, (each) => ({ ...each, fact: showNames(each.fact) }));
    this.#reports = nodesOf(all);
    this.#fold = foldReceipts(all.map(({ fact }) => fact));
    for (const { fact } of all) this.#read(fact);
  }

  /** The ids of the CANCELs, in the order of their acceptances. */
  get cancels(): readonly string[] {
    return [...this.#fold.receipts].map(({ accepted }) => accepted.cancel);
  }

  /** The CANCELs that were refused, in their order. */
  get refusals(): readonly RefusedCancel[] {
    return this.#refusals;
  }

  /** Returns what is known of a CANCEL; null: its acceptance is not among the facts. */
  find(cancel: string): KnownCancel | null {
    const receipt = this.#fold.get(cancel);
    if (!receipt) return null;
    const { accepted, settled } = receipt;
    const { source, by, via = null, reason, target, force, at: acceptedAt } = accepted;
    const ends = new Map(receiptEntries(receipt).map(({ node, end }) => [node, end]));
    const verdicts = verdictsOf(accepted).toSorted((a, b) => this.#placeOf(a.node) - this.#placeOf(b.node));
    return {
      acceptedAt,
      cause: { source, by, via, reason, target, force },
      isSettled: settled !== null,
      nodes: verdicts.map((verdict) => this.#nodeOf(verdict, acceptedAt, ends.get(verdict.node) ?? null)),
      parentOf: (node) => this.#parentOf(node),
    };
  }

  /** Whether the facts name every node of a CANCEL, and every node between them and their turn. */
  hasAllNodesOf(cancel: string): boolean {
    const receipt = this.#fold.get(cancel);
    return receipt !== undefined && verdictsOf(receipt.accepted).every(({ node }) => this.#isRooted(node));
  }

  #isRooted(node: NodeId): boolean {
    for (let at: NodeId | null = node; at !== null; at = this.#parentOf(at))
      if (!this.#reports.has(at) && !this.#inputs.has(at)) return false;
    return true;
  }

  #read(fact: RecordedFact): void {
    switch (fact.type) {
      case 'turn_opened':
        this.#details.set(fact.turn, shortenLine(fact.text));
        if (fact.from !== undefined) this.#origins.set(fact.turn, fact.from);
        break;
      case 'tool_call':
        this.#details.set(fact.node, argumentDetail(fact.arguments));
        break;
      case 'input_deferred':
        this.#inputs.set(fact.input, { owner: fact.owner, parent: fact.turn });
        this.#details.set(fact.input, shortenLine(fact.text));
        break;
      case 'abandoned_ended':
        this.#lateEnds.set(fact.node, fact.at);
        break;
      case 'cancel_refused': {
        const { at, by, source, target, refused } = fact;
        this.#refusals.push({ at, by, source, target: this.#titleOf(target), reason: refused[0]?.reason ?? null });
        break;
      }
      default:
        // the report of the nodes has the ends
        fact satisfies
          | FactAbout<Exclude<keyof FactSubjects, 'turn' | 'input' | 'call' | 'cancel'>>
          | FactOf<'turn_started' | 'turn_ended' | 'tool_started' | 'tool_result' | 'late_result' | 'input_settled'>
          | FactOf<'cancel_accepted' | 'cancel_settled'>;
    }
  }

  #nodeOf({ node, verdict, reason }: Verdict, acceptedAt: number, end: SettledNode | null): KnownNode {
    const report = this.#reports.get(node);
    const input = this.#inputs.get(node);
    const kind = end?.kind ?? report?.kind ?? (input ? 'input' : null);
    const name = report?.name ?? null;
    const [cutAt, abortedAt, cancelAt, , exitedAt] = timesOf(end, acceptedAt);
    const { code, ...ending } = end ? endOf(end, acceptedAt) : this.#endOf(node, verdict);
    return {
      node,
      words: {
        kind,
        verdict,
        reason,
        code,
        name: rowName(kind, name, (report?.parent ?? null) !== null),
        detail: this.#details.get(node) ?? null,
        owner: report?.owner ?? input?.owner ?? null,
      },
      steps: {
        ...ending,
        actor: null,
        plannedAt: null,
        cutAt,
        cancelAt,
        abortedAt,
        budgetMs: null,
        keptBudget: ending.outcome === 'abandoned' ? false : null,
        exitedAt: this.#lateEnds.get(node) ?? exitedAt,
      },
    };
  }

  /** The end of a node as its own facts have it: of one that was not to stop, or whose receipt has not settled. */
  #endOf(node: NodeId, verdict: WaveVerdict): End {
    const end = this.#fold.endOf(node);
    if (!end) return noEnd;
    const { at, outcome, effect, code = null, forced } = end;
    const isGone = isToStop(verdict) || outcome !== 'abandoned';
    const settledAt = isGone ? at : (this.#lateEnds.get(node) ?? null);
    return settledAt === null ? noEnd : { settledAt, outcome, effect, code, forced: forced || null };
  }

  #titleOf(target: string): string {
    return [this.#reports.get(target)?.name ?? target, this.#details.get(target) ?? ''].join(' ').trim();
  }

  #parentOf(node: NodeId): NodeId | null {
    return this.#reports.get(node)?.parent ?? this.#inputs.get(node)?.parent ?? this.#origins.get(node) ?? null;
  }

  /** Nodes are in the order of their first facts; words that wait come last. */
  #placeOf(node: NodeId): number {
    this.#places ??= new Map([...this.#reports.keys(), ...this.#inputs.keys()].map((id, place) => [id, place]));
    return this.#places.get(node) ?? this.#places.size;
  }

  #places: ReadonlyMap<NodeId, number> | null = null;
}

type End = Pick<WaveRow, 'settledAt' | 'outcome' | 'effect' | 'code'> & { readonly forced: true | null };

type StepTimes = readonly [number | null, number | null, number | null, number | null, number | null];

/** The place of the settling in the times of a node. */
const settling = 3;

/** Returns when the stop has reached a node, by its receipt: the cut, the abort, the CANCEL in its machine, the settling, the end of its work. Null: not known. */
function timesOf(end: SettledNode | null, acceptedAt: number): StepTimes {
  const at = (place: number) => {
    const ms = end?.times?.[place] ?? null;
    return ms === null ? null : acceptedAt + ms;
  };
  return [at(0), at(1), at(2), at(settling), at(4)];
}

const noEnd: End = { settledAt: null, outcome: null, effect: null, code: null, forced: null };

const endOf = ({ ms, times, outcome, effect, code, forced }: SettledNode, acceptedAt: number): End => ({
  settledAt: acceptedAt + (times?.[settling] ?? ms),
  outcome,
  effect,
  code: code ?? null,
  forced: forced || null,
});

interface Verdict {
  readonly node: NodeId;
  readonly verdict: WaveVerdict;
  readonly reason: string | null;
}

function verdictsOf({ stopping, pending, refused, detached, running = [] }: CancelAccepted): readonly Verdict[] {
  const all = (nodes: readonly NodeId[], verdict: WaveVerdict) =>
    nodes.map((node): Verdict => ({ node, verdict, reason: null }));
  return [
    ...all(stopping, 'stop'),
    ...all(pending, 'pending'),
    ...refused.map(({ node, reason }): Verdict => ({ node, verdict: 'refused', reason })),
    ...all(detached, 'detached'),
    ...all(running, 'newer'),
  ];
}
