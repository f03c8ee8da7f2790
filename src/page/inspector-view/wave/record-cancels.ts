// CANCELs in the records of the inspector. The records have the time of each step, and no words of people.
import { causeSources } from '../../../../machines/vocabulary.ts';
import type { EventRecord, InspectionRecord, NodeRecord } from '../../../wire/inspection.ts';
import { isToStop } from './wave-model.ts';
import { type CancelSource, type KnownCancel, type KnownNode, rowName } from './wave-sources.ts';

/** What is read of an actor. */
export interface KnownActor {
  readonly id: string;
  readonly parent: string | null;
  readonly name: string;
  readonly chart: string | null;
  readonly node: string | null;
}

type Step = NodeRecord['step'];
type Planned = ReadonlyMap<string, NodeRecord>;

/** The CANCELs in a list of records; it need not reach back to the first. */
export class RecordCancels implements CancelSource {
  /** The plans, by the ids of the CANCELs. */
  readonly #plans = new Map<string, Map<string, NodeRecord>>();
  readonly #steps: Readonly<Record<Exclude<Step, 'planned'>, Map<string, NodeRecord>>> = {
    cut: new Map(),
    aborted: new Map(),
    settled: new Map(),
  };
  readonly #actors = new Map<string, KnownActor>();
  readonly #actorOf = new Map<string, string>();
  /** The order of the nodes: that of their first records. */
  readonly #places = new Map<string, number>();
  readonly #commands = new Map<string, EventRecord>();
  readonly #cancels = new Map<string, EventRecord[]>();
  readonly #forced = new Set<string>();
  /** When the work of a call was done, by the actor of the call. */
  readonly #workEnds = new Map<string, number>();

  /** `alive`: actors that may have started before the first record. */
  constructor(records: readonly InspectionRecord[], alive: Iterable<KnownActor> = []) {
    for (const actor of alive) this.#addActor(actor);
    for (const record of records) this.#read(record);
  }

  /** The ids of the CANCELs, in the order of their plans. */
  get cancels(): readonly string[] {
    return [...this.#plans.keys()];
  }

  /** The session of a CANCEL; null: its plan is not among the records. */
  sessionOf(cancel: string): string | null {
    const [planned] = this.#plans.get(cancel)?.values() ?? [];
    return planned?.session ?? null;
  }

  /** Returns what is known of a CANCEL; null: its plan is not among the records. */
  find(cancel: string): KnownCancel | null {
    const planned = this.#plans.get(cancel);
    if (!planned) return null;
    const records = [...planned.values()].toSorted((a, b) => this.#placeOf(a) - this.#placeOf(b));
    const nodes = records.map((record) => this.#nodeOf(record));
    const fields = this.#commands.get(cancel)?.fields ?? this.#causeIn(nodes);
    const text = (name: string) => (typeof fields[name] === 'string' ? fields[name] : null);
    return {
      nodes,
      acceptedAt: Math.min(...records.map(({ at }) => at)),
      isSettled: null,
      cause: {
        source: causeSources.find((source) => source === fields['source']) ?? null,
        by: text('by'),
        via: null,
        reason: text('reason'),
        target: text('target'),
        force: fields['force'] === true,
      },
      parentOf: (node) => this.#parentOf(node, planned),
    };
  }

  #read(record: InspectionRecord): void {
    switch (record.type) {
      case 'actor':
        return this.#addActor({ ...record, id: record.actor });
      case 'event':
        return this.#readEvent(record);
      case 'node':
        return this.#readNode(record);
      case 'state': {
        const actor = this.#actors.get(record.actor);
        if (actor?.name === 'work' && actor.parent !== null && record.status === 'done')
          this.#workEnds.set(actor.parent, record.at);
      }
    }
  }

  #addActor(actor: KnownActor): void {
    const { id, node, chart } = actor;
    this.#actors.set(id, actor);
    if (node === null || chart === null) return; // a link has the id of its turn
    this.#actorOf.set(node, id);
    this.#place(node);
  }

  #readEvent(record: EventRecord): void {
    const { event, actor, fields } = record;
    if (event === 'CANCEL') {
      const of = this.#cancels.get(actor);
      if (of) of.push(record);
      else this.#cancels.set(actor, [record]);
      if (typeof fields['cancel'] === 'string' && !this.#commands.has(fields['cancel']))
        this.#commands.set(fields['cancel'], record);
    }
    if (event === 'OUTCOME' && fields['forced'] === true) this.#forced.add(String(fields['node']));
  }

  #readNode(record: NodeRecord): void {
    const { node, step, cancel } = record;
    this.#place(node);
    if (step !== 'planned') {
      if (!this.#steps[step].has(node)) this.#steps[step].set(node, record);
      return;
    }
    if (cancel === null) return;
    const plan = this.#plans.get(cancel) ?? new Map<string, NodeRecord>();
    this.#plans.set(cancel, plan);
    if (!plan.has(node)) plan.set(node, record);
  }

  #place(node: string): void {
    if (!this.#places.has(node)) this.#places.set(node, this.#places.size);
  }

  #placeOf = ({ node }: NodeRecord): number => this.#places.get(node) ?? 0;

  /** The cause that came with the first CANCEL to a machine. */
  #causeIn(nodes: readonly KnownNode[]): EventRecord['fields'] {
    for (const { words, steps } of nodes) {
      const { verdict } = words;
      const { actor } = steps;
      const fields = verdict && isToStop(verdict) && actor !== null ? this.#cancels.get(actor)?.[0]?.fields : undefined;
      if (fields?.['source'] !== undefined) return fields;
    }
    return {};
  }

  #nodeOf(planned: NodeRecord): KnownNode {
    const { node, verdict = 'stop', reason = null, kind = null, owner = null, budgetMs = null } = planned;
    const { cut, aborted, settled } = this.#steps;
    const actor = this.#actorOf.get(node) ?? planned.actor;
    const mayStop = isToStop(verdict);
    const end = settled.get(node);
    // no machine works for words that wait, so none reports their outcome: a CANCEL has only one for them
    const isDroppedInput = kind === 'input' && mayStop && end !== undefined;
    const outcome = isDroppedInput ? 'cancelled' : (end?.outcome ?? null);
    return {
      node,
      words: {
        kind,
        owner,
        verdict,
        reason,
        name: rowName(kind, planned.name ?? null, planned.parent !== undefined),
        detail: null,
        code: null,
      },
      steps: {
        actor,
        outcome,
        budgetMs,
        plannedAt: planned.at,
        cutAt: mayStop ? (cut.get(node)?.at ?? null) : null,
        cancelAt: mayStop && actor !== null ? this.#cancelTime(actor, cut.get(node) ?? planned) : null,
        abortedAt: mayStop ? (aborted.get(node)?.at ?? null) : null,
        settledAt: end?.at ?? null,
        effect: isDroppedInput ? 'not_started' : (end?.effect ?? null),
        forced: this.#forced.has(node) || null,
        keptBudget: budgetMs === null || outcome === null ? null : outcome !== 'abandoned',
        exitedAt: this.#workEnds.get(actor ?? '') ?? null,
      },
    };
  }

  /** Returns when a machine got the CANCEL that follows its cut; null: it has not. */
  #cancelTime(actor: string, { n }: NodeRecord): number | null {
    return this.#cancels.get(actor)?.find((record) => record.n > n)?.at ?? null;
  }

  #parentOf(node: string, planned: Planned): string | null {
    const above = planned.get(node)?.parent;
    if (above !== undefined) return above;
    let at = this.#actors.get(this.#actorOf.get(node) ?? '');
    while (at?.node === node || (at && at.node === null)) at = this.#actors.get(at.parent ?? '');
    return at?.node ?? null;
  }
}
