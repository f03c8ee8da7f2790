// The contract between an inspector and its runtime.
//
// It is declared without XState's types: they do not pass `exactOptionalPropertyTypes`, and users of the package may check declarations.
import type { Plan } from '../../../machines/cancel.ts';
import type { NodeId } from '../../../machines/vocabulary.ts';
import type { LiveTree } from '../live/tree.ts';

/** The root of an actor system of XState. */
export interface InspectedActor {
  readonly id: string;
  readonly sessionId: string;
}

/** Where an actor system belongs. */
export interface InspectedSystem {
  readonly session: string;
  /** The link that a turn tree belongs to, or for the machine of its speech the session's own; null for the session's own. */
  readonly parent: InspectedActor | null;
  /** The live tree of the session; of its own machine only. */
  readonly tree?: Pick<LiveTree, 'get' | 'observe' | 'unobserve'>;
}

/** A CANCEL that was decided. */
export interface PlannedCancel {
  readonly session: string;
  /** The id of the CANCEL. */
  readonly cancel: string;
  readonly plan: Plan;
  /** How long a node may take to stop, in milliseconds; null: it has no budget of its own. */
  budgetOf(node: NodeId): number | null;
}

export interface InspectorContract {
  /** Called with the root of each actor system of a session before it starts. */
  attach(root: InspectedActor, from: InspectedSystem): void;
  /** Called in the tick of the decision on a CANCEL, before anything is cut. */
  planned?(cancel: PlannedCancel): void;
}
