// The wave of a CANCEL: every node that its plan names, in the order of the tree, with the times at which the stop reached it and it ended.
//
// A wave is made from the records of the inspector, from the facts of the log, or from both (wave-sources.ts). A time that neither has is null, and stays
// blank: none is guessed.
import type { CauseSource, Effect, NodeId, NodeKind, OutcomeKind, SpeakerId } from '../../../../machines/vocabulary.ts';

/** Times are milliseconds since 1970. */
export interface Wave {
  /** The id of the receipt. */
  readonly cancel: string;
  readonly state: 'stopping' | 'settled';
  /** The source of its cause; null: neither the records nor the facts say it. */
  readonly source: CauseSource | null;
  readonly by: SpeakerId | null;
  /** The bridge that has relayed it. */
  readonly via: SpeakerId | null;
  /** The reason that its speaker gave; null: there is none, or it is not visible. */
  readonly reason: string | null;
  readonly target: string | null;
  readonly force: boolean;
  readonly acceptedAt: number;
  /** When the last node that was to stop had its outcome; null: one has none. */
  readonly settledAt: number | null;
  /** Parents before their children. */
  readonly rows: readonly WaveRow[];
}

/** `newer`: started after the CANCEL was first sent, which came again. */
export type WaveVerdict = 'stop' | 'pending' | 'refused' | 'detached' | 'newer';

export interface WaveRow {
  readonly node: NodeId;
  /** The next node above it that the wave has too; null: none. */
  readonly parent: NodeId | null;
  readonly depth: number;
  /** The kind of the node; null: not known. */
  readonly kind: NodeKind | null;
  /** The name of the tool or agent, `turn`, or the id. */
  readonly name: string;
  /** What distinguishes it from others of its name: the words of a turn, an argument of a call. Empty: not visible. */
  readonly detail: string;
  readonly owner: SpeakerId | null;
  readonly verdict: WaveVerdict;
  /** Why it was refused: a code from docs/errors.md. */
  readonly reason: string | null;
  /** XState's id of its actor; null: it has none, or there are no records. */
  readonly actor: string | null;
  readonly plannedAt: number | null;
  readonly cutAt: number | null;
  /** When its machine got the CANCEL. */
  readonly cancelAt: number | null;
  /** When its signal aborted: later than the cut under a shield. */
  readonly abortedAt: number | null;
  /** When its outcome was fixed. Of a node that was not to stop: when it ended after all. */
  readonly settledAt: number | null;
  readonly outcome: OutcomeKind | null;
  readonly effect: Effect | null;
  readonly code: string | null;
  readonly forced: boolean;
  /** How long it may take to stop, in milliseconds; null: it has no budget of its own, or it is not known. */
  readonly budgetMs: number | null;
  /** Whether it stopped within its budget; null: it has none, or is still stopping, or it is not known. */
  readonly keptBudget: boolean | null;
  /** When nothing of it ran any more: the end of its work, seen. Null: not known. */
  readonly exitedAt: number | null;
}

/** Whether the CANCEL is to stop the node. */
export const isToStop = (verdict: WaveVerdict): boolean => verdict === 'stop' || verdict === 'pending';
