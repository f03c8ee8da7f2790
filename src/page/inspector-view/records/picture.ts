// The picture of the machines at one moment, folded from records: the actors with their states, and the nodes that a CANCEL reached.
//
// 1. `apply` is deterministic: the same records give the same picture, so any moment can be folded again.
// 2. A view in it is never changed, only replaced: a copy of the picture costs a copy of its maps.
// 3. It is bounded: what has ended is dropped, the oldest first, when more than `maxEnded` have.

import type {
  ActorRecord,
  EventRecord,
  InspectionRecord,
  NodeRecord,
  StateRecord,
  StateValue,
  VisibleFields,
} from '../../../wire/inspection.ts';
import { recordEffects, recordOutcomes } from './record-words.ts';

const maxEnded = 400;
const maxNodes = 2_000;

/** A step from one state to another. */
export interface Transition {
  readonly event: string;
  readonly from: StateValue;
  readonly to: StateValue;
  readonly n: number;
  readonly at: number;
}

export interface ActorView {
  readonly id: string;
  readonly session: string;
  /** The actor at the top of its tree. */
  readonly root: string;
  readonly parent: string | null;
  readonly name: string;
  readonly chart: string | null;
  readonly node: string | null;
  readonly status: StateRecord['status'];
  /** The value of its chart; null: it has no chart, or it started before the first record and has not stepped since. */
  readonly value: StateValue | null;
  readonly context: VisibleFields;
  /** When it started, in milliseconds since 1970; null: before the first record. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** The `n` of its last record. */
  readonly lastN: number;
  /** The last step that led to another state. */
  readonly transition: Transition | null;
}

/** A node that a CANCEL was planned for, or that has settled. */
interface RecordedNode {
  readonly cancel: string | null;
  readonly verdict: NodeRecord['verdict'] | null;
  readonly outcome: NodeRecord['outcome'] | null;
  readonly effect: NodeRecord['effect'] | null;
}

export class Picture {
  readonly #actors: Map<string, ActorView>;
  readonly #children: Map<string, readonly string[]>;
  readonly #nodes: Map<string, RecordedNode>;
  /** In the order of their ends. */
  readonly #ended: Set<string>;

  /** @param from The picture to copy; left out: nothing is known yet. */
  constructor(from: Picture | null = null) {
    this.#actors = new Map(from ? from.#actors : []);
    this.#children = new Map(from ? from.#children : []);
    this.#nodes = new Map(from ? from.#nodes : []);
    this.#ended = new Set(from ? from.#ended : []);
    this.find = this.find.bind(this);
  }

  get actors(): ReadonlyMap<string, ActorView> {
    return this.#actors;
  }

  get nodes(): ReadonlyMap<string, RecordedNode> {
    return this.#nodes;
  }

  /** Returns the actor with that id. */
  find(id: string): ActorView | undefined {
    return this.#actors.get(id);
  }

  /** The ids of the actors below an actor, in the order of their starts. */
  childrenOf(actor: string): readonly string[] {
    return this.#children.get(actor) ?? [];
  }

  /** Adds a record. */
  apply(record: InspectionRecord): void {
    switch (record.type) {
      case 'actor':
        return this.#applyActor(record, record.at);
      case 'state':
        return this.#applyState(record);
      case 'event':
        return this.#applyEvent(record);
      case 'node':
        return this.#applyNode(record);
    }
  }

  /** Adds what is known of an actor that started before the first record. A state that a record gave it stays. */
  identify(record: ActorRecord): void {
    const known = this.#actors.get(record.actor);
    if (!known) return this.#applyActor(record, null);
    if (known.name !== unknownName) return;
    const { parent, name, chart, node } = record;
    this.#move(known, parent);
    this.#actors.set(known.id, { ...known, parent, name, chart, node });
  }

  #applyActor(record: ActorRecord, startedAt: number | null): void {
    const { actor: id, session, root, parent, name, chart, node, status, value, context, n } = record;
    const known = this.#actors.get(id);
    if (known) this.#move(known, parent);
    else this.#addChild(parent, id);
    this.#actors.set(id, {
      id,
      session,
      root,
      parent,
      name,
      chart,
      node,
      status,
      value,
      context,
      startedAt,
      endedAt: null,
      lastN: n,
      transition: null,
    });
    if (status !== 'active') this.#endActor(id, record.at);
  }

  #applyState(record: StateRecord): void {
    const { actor, event, value, status, context, n, at } = record;
    const known = this.#known(record, actor);
    const isStep = known.value !== null && value !== null && !isSameState(known.value, value);
    const transition = isStep ? { event, from: known.value, to: value, n, at } : known.transition;
    this.#actors.set(actor, { ...known, status, value, context, lastN: n, transition });
    if (status !== 'active') this.#endActor(actor, at);
  }

  #applyEvent(record: EventRecord): void {
    const { actor, n, event, fields } = record;
    const known = this.#known(record, actor);
    this.#actors.set(actor, { ...known, lastN: n });
    if (event === 'OUTCOME') this.#applyOutcome(fields);
  }

  #applyOutcome({ node, kind, effect }: VisibleFields): void {
    const outcome = recordOutcomes.find((each) => each === kind);
    const known = typeof node === 'string' ? (this.#nodes.get(node) ?? unknownNode) : unknownNode;
    if (typeof node !== 'string' || !outcome) return;
    addBounded(
      this.#nodes,
      node,
      { ...known, outcome, effect: recordEffects.find((each) => each === effect) ?? null },
      maxNodes,
    );
  }

  #applyNode({ node, cancel, verdict, outcome, effect }: NodeRecord): void {
    const known = this.#nodes.get(node) ?? unknownNode;
    const view: RecordedNode = {
      cancel: cancel ?? known.cancel,
      verdict: verdict ?? known.verdict,
      outcome: outcome ?? known.outcome,
      effect: effect ?? known.effect,
    };
    addBounded(this.#nodes, node, view, maxNodes);
  }

  /** The actor of a record. One that started before the first record is added below the root. */
  #known({ session, root, n }: InspectionRecord, id: string): ActorView {
    const known = this.#actors.get(id);
    if (known) return known;
    const parent = id === root ? null : root;
    this.#addChild(parent, id);
    return {
      id,
      session,
      root,
      parent,
      name: unknownName,
      chart: null,
      node: null,
      status: 'active',
      value: null,
      context: {},
      startedAt: null,
      endedAt: null,
      lastN: n,
      transition: null,
    };
  }

  #move({ id, parent }: ActorView, to: string | null): void {
    if (parent === to) return;
    this.#removeChild(parent, id);
    this.#addChild(to, id);
  }

  #addChild(parent: string | null, id: string): void {
    if (parent !== null) this.#children.set(parent, [...this.childrenOf(parent), id]);
  }

  #removeChild(parent: string | null, id: string): void {
    if (parent === null) return;
    const left = this.childrenOf(parent).filter((each) => each !== id);
    if (left.length > 0) this.#children.set(parent, left);
    else this.#children.delete(parent);
  }

  /** Ends an actor with all below it: XState reports no end of an actor that its parent has stopped. */
  #endActor(id: string, at: number): void {
    const actor = this.#actors.get(id);
    if (!actor || this.#ended.has(id)) return;
    for (const child of this.childrenOf(id)) {
      const view = this.#actors.get(child);
      if (view?.status === 'active') this.#actors.set(child, { ...view, status: 'stopped' });
      this.#endActor(child, at);
    }
    this.#actors.set(id, { ...actor, endedAt: at });
    this.#ended.add(id);
    if (this.#ended.size > maxEnded) this.#dropOldestEnded();
  }

  #dropOldestEnded(): void {
    for (const id of this.#ended) {
      const actor = this.#actors.get(id);
      this.#ended.delete(id);
      this.#actors.delete(id);
      this.#children.delete(id);
      this.#removeChild(actor?.parent ?? null, id);
      return;
    }
  }
}

const unknownNode: RecordedNode = { cancel: null, verdict: null, outcome: null, effect: null };

/** The name of an actor whose start is not among the records. */
export const unknownName = '?';

function addBounded<View>(map: Map<string, View>, id: string, view: View, max: number): void {
  map.delete(id);
  map.set(id, view);
  if (map.size <= max) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}

/** Whether two values of a chart are the same. */
function isSameState(a: StateValue | undefined, b: StateValue | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object') return false;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => isSameState(a[name], b[name]));
}
