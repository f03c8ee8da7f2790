// Waves from the facts of a log. The log has the verdicts, the outcomes and their times; not when a machine got its CANCEL, nor the budgets.
import type {
  CancelAccepted,
  CancelSettled,
  RecordedFact,
  SequencedFact,
  SettledNode,
} from '../../../../machines/facts.ts';
import type { NodeId } from '../../../../machines/vocabulary.ts';
import { argumentDetail, shortenLine } from '../../../client/view/call-title.ts';
import { type NodeReport, nodesOf } from '../../../core/reports/node-report.ts';
import type { UnplacedRow, Wave, WaveVerdict } from './wave-model.ts';
import { isToStop, placeRows, rowName, settledTime } from './wave-rows.ts';

type Timed<T> = T & { readonly at: number };
type Acceptance = Timed<CancelAccepted>;

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
  cancelledAt: number | null;
}

/** The waves in the facts of a session, or in a part of them. */
export class FactWaves {
  readonly #reports: ReadonlyMap<NodeId, NodeReport>;
  readonly #acceptances = new Map<string, Acceptance>();
  readonly #settlements = new Map<string, CancelSettled>();
  readonly #inputs = new Map<NodeId, WaitingWords>();
  readonly #details = new Map<NodeId, string>();
  /** The turns that have detached an agent. */
  readonly #origins = new Map<NodeId, NodeId>();
  readonly #agents = new Map<NodeId, string>();
  readonly #lateEnds = new Map<NodeId, number>();
  readonly #refusals: RefusedCancel[] = [];

  constructor(facts: Iterable<SequencedFact>) {
    const all = [...facts];
    this.#reports = nodesOf(all);
    for (const { fact } of all) this.#read(fact);
  }

  /** The waves, in the order of their acceptances. */
  all(): readonly Wave[] {
    return [...this.#acceptances.values()].map((accepted) => this.#waveOf(accepted));
  }

  /** The CANCELs that were refused, in their order. */
  get refusals(): readonly RefusedCancel[] {
    return this.#refusals;
  }

  /** Null: the acceptance is not among the facts. */
  waveOf(cancel: string): Wave | null {
    const accepted = this.#acceptances.get(cancel);
    return accepted ? this.#waveOf(accepted) : null;
  }

  /** Whether the facts name every node of a CANCEL, and every node between them and their turn. */
  hasAllNodesOf(cancel: string): boolean {
    const accepted = this.#acceptances.get(cancel);
    if (!accepted) return false;
    return verdictsOf(accepted).every(({ node }) => this.#isRooted(node));
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
      case 'turn_started':
        if (fact.parent !== null && fact.agent !== undefined) this.#agents.set(fact.parent, fact.agent);
        break;
      case 'tool_call':
        this.#details.set(fact.node, argumentDetail(fact.arguments));
        break;
      case 'input_deferred':
        this.#inputs.set(fact.input, { owner: fact.owner, parent: fact.turn, cancelledAt: null });
        this.#details.set(fact.input, shortenLine(fact.text));
        break;
      case 'input_settled': {
        const words = this.#inputs.get(fact.input);
        if (words && fact.fate === 'cancelled') words.cancelledAt = fact.at;
        break;
      }
      case 'abandoned_ended':
        this.#lateEnds.set(fact.node, fact.at);
        break;
      case 'cancel_accepted':
        this.#acceptances.set(fact.cancel, fact);
        break;
      case 'cancel_refused': {
        const { at, by, source, target, refused } = fact;
        this.#refusals.push({ at, by, source, target: this.#titleOf(target), reason: refused[0]?.reason ?? null });
        break;
      }
      case 'cancel_settled':
        this.#settlements.set(fact.cancel, fact);
        break;
      default:
    }
  }

  #waveOf(accepted: Acceptance): Wave {
    const { cancel, source, by, via = null, reason, target, force, at: acceptedAt } = accepted;
    const settled = this.#settlements.get(cancel);
    const ends = new Map(settled?.nodes.map((end) => [end.node, end]));
    const verdicts = verdictsOf(accepted).toSorted((a, b) => this.#placeOf(a.node) - this.#placeOf(b.node));
    const rows = verdicts.map((verdict) => this.#rowOf(verdict, acceptedAt, ends.get(verdict.node) ?? null));
    return {
      cancel,
      source,
      by,
      via,
      reason,
      target,
      force,
      acceptedAt,
      state: settled ? 'settled' : 'stopping',
      settledAt: settledTime(rows, acceptedAt),
      rows: placeRows(rows, (node) => this.#parentOf(node)),
    };
  }

  #rowOf({ node, verdict, reason }: Verdict, acceptedAt: number, end: SettledNode | null): UnplacedRow {
    const report = this.#reports.get(node);
    const input = this.#inputs.get(node);
    const kind = end?.kind ?? report?.kind ?? (input ? 'input' : null);
    const name = this.#agents.get(node) ?? report?.name ?? null;
    const { settledAt, outcome, effect, code, forced } = end ? endOf(end, acceptedAt) : this.#endOf(node, verdict);
    return {
      node,
      kind,
      verdict,
      reason,
      settledAt,
      outcome,
      effect,
      code,
      forced,
      name: rowName(node, kind, name, (report?.parent ?? null) !== null),
      detail: this.#details.get(node) ?? '',
      owner: report?.owner ?? input?.owner ?? null,
      // the plan and the cut are in the tick of the acceptance, but the log does not say when in it
      actor: null,
      plannedAt: null,
      cutAt: null,
      cancelAt: null,
      abortedAt: null,
      budgetMs: null,
      keptBudget: outcome === 'abandoned' ? false : null,
      exitedAt: this.#lateEnds.get(node) ?? null,
    };
  }

  /** The end of a node as its own facts have it: of one that was not to stop, or whose receipt has not settled. */
  #endOf(node: NodeId, verdict: WaveVerdict): End {
    const input = this.#inputs.get(node);
    if (input?.cancelledAt)
      return { ...noEnd, settledAt: input.cancelledAt, outcome: 'cancelled', effect: 'not_started' };
    const report = this.#reports.get(node);
    const settledAt = (isToStop(verdict) ? report?.settledAt : report?.goneAt) ?? null;
    if (!report || settledAt === null || report.outcome === 'continues') return noEnd;
    return { settledAt, outcome: report.outcome, effect: report.effect, code: report.code, forced: false };
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

type End = Pick<UnplacedRow, 'settledAt' | 'outcome' | 'effect' | 'code' | 'forced'>;

const noEnd: End = { settledAt: null, outcome: null, effect: null, code: null, forced: false };

const endOf = ({ ms, outcome, effect, code, forced }: SettledNode, acceptedAt: number): End => ({
  settledAt: acceptedAt + ms,
  outcome,
  effect,
  code: code ?? null,
  forced: forced ?? false,
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
