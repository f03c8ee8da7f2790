// Records what a CANCEL does to the nodes of a session: its verdict on each, the cut, the abort, and how each has settled.
import type { AnyActorRef } from 'xstate';
import type { NodeId, Outcome } from '../../machines/vocabulary.ts';
import { outcomeKinds } from '../../machines/vocabulary.ts';
import { fieldsOf } from '../core/collections/fields.ts';
import type { NodeEntry } from '../core/live/node-entry.ts';
import type { NodeChange, TreeObserver } from '../core/live/tree.ts';
import type { InspectedSystem, PlannedCancel } from '../core/workers/runtime-inspector.ts';
import type { NodeRecord } from '../wire/inspection.ts';
import { snapshotOf } from './make-records.ts';
import { field, idOf, pickId } from './visible-fields.ts';

/** A record without the fields that the inspector adds. */
export type NodeDraft = Omit<NodeRecord, 'n' | 'at' | 'session' | 'root'>;

type Step = Pick<NodeRecord, 'step' | 'cancel' | 'verdict' | 'reason' | 'budgetMs' | 'outcome' | 'effect'>;
type Verdict = Pick<NodeRecord, 'verdict' | 'reason'>;

const kinds = new Set<unknown>(outcomeKinds);

export class NodeRecords implements TreeObserver {
  readonly #tree: NonNullable<InspectedSystem['tree']>;
  readonly #append: (draft: NodeDraft) => void;
  /** The CANCEL that was the first to stop a node. */
  #cancels = new WeakMap<NodeEntry, string>();
  #outcomes = new WeakMap<NodeEntry, Pick<Outcome, 'kind' | 'effect'>>();
  #settled = new WeakSet<NodeEntry>();

  /** `append` takes each record. */
  constructor(tree: NonNullable<InspectedSystem['tree']>, append: (draft: NodeDraft) => void) {
    this.#tree = tree;
    this.#append = append;
  }

  start(): void {
    this.#tree.observe(this, ['cut', 'aborted', 'settled', 'gone']);
  }

  stop(): void {
    this.#tree.unobserve(this);
    this.#cancels = new WeakMap();
    this.#outcomes = new WeakMap();
    this.#settled = new WeakSet();
  }

  /** Records the plan of a CANCEL: one record for each node. */
  addPlan({ cancel, plan, budgetOf }: PlannedCancel): void {
    const { stop, deferred, pending, refused, detached } = plan;
    const add = (id: NodeId, verdict: Verdict) => {
      const entry = this.#tree.get(id);
      const isStopped = verdict.verdict === 'stop' || verdict.verdict === 'pending';
      if (entry && isStopped && entry.firstCause === null) this.#cancels.set(entry, cancel);
      const budgetMs = isStopped ? budgetOf(id) : null;
      this.#append({ ...describe(id, entry), step: 'planned', cancel, budgetMs, ...verdict });
    };
    for (const id of [...stop.keys(), ...deferred.keys()])
      add(id, { verdict: pending.includes(id) ? 'pending' : 'stop' });
    for (const { node, reason } of refused) add(node, { verdict: 'refused', reason });
    for (const id of detached) add(id, { verdict: 'detached' });
  }

  /** Notes the outcome that an actor reports for its node, before the node is marked as settled. */
  noteOutcome(event: unknown): void {
    const entry = this.#tree.get(String(field(event, 'node')));
    const { kind, effect } = fieldsOf(field(event, 'outcome'));
    // an outcome of the vocabulary has an effect of it
    if (entry && kinds.has(kind)) this.#outcomes.set(entry, { kind, effect } as Pick<Outcome, 'kind' | 'effect'>);
  }

  nodeChanged(entry: NodeEntry, change: NodeChange): void {
    if (change === 'cut') {
      this.#add(entry, { step: 'cut', cancel: this.#cancelOf(entry) });
      return;
    }
    if (change === 'aborted') return this.#add(entry, { step: 'aborted', cancel: this.#cancelOf(entry) });
    if ((change !== 'settled' && change !== 'gone') || this.#settled.has(entry)) return;
    this.#settled.add(entry);
    const { kind: outcome, effect } = this.#outcomes.get(entry) ?? {};
    this.#add(entry, {
      step: 'settled',
      cancel: this.#cancelOf(entry),
      ...(outcome && { outcome }),
      ...(effect && { effect }),
    });
  }

  #cancelOf(entry: NodeEntry): string | null {
    return this.#cancels.get(entry) ?? null;
  }

  #add(entry: NodeEntry, step: Step): void {
    this.#append({ ...describe(entry.id, entry), ...step });
  }
}

function describe(
  id: NodeId,
  entry: NodeEntry | undefined,
): Pick<NodeRecord, 'type' | 'actor' | 'node' | 'kind' | 'name' | 'parent' | 'owner'> {
  const node = { type: 'node', actor: entry ? idOf(field(entry.actor, 'sessionId')) : null, node: id } as const;
  if (!entry) return node;
  const { kind, owner, ancestors } = entry;
  const parent = entry.parent ?? ancestors[0]?.id ?? null; // a detached agent comes from the call that has detached it
  return { ...node, kind, owner, ...pickId('name', nameOf(entry)), ...(parent !== null && { parent }) };
}

/** Returns the name of an offered tool or agent; null: it has none, or it is a text of the model. */
function nameOf({ kind, name, actor }: NodeEntry): string | null {
  if (kind === 'turn') return name; // of an agent
  const context = actor && field(snapshotOf(actor as AnyActorRef), 'context'); // the nodes of a runtime are actors of XState
  return field(context, 'call') && field(field(context, 'call'), 'problem') === undefined ? name : null;
}
