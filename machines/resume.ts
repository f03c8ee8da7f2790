// Decides whether a turn may be resumed: the guard of a RESUME, as a pure function of the speaker and the turn.
import type { RefusalCode } from './codes.ts';
import { isModerator } from './standing.ts';
import type { NodeId, OutcomeKind, Speaker, SpeakerId } from './vocabulary.ts';

/** A turn that a SAY or RESUME has opened, as the log has it when a RESUME is decided. */
export interface ResumedTurn {
  readonly id: NodeId;
  readonly owner: SpeakerId;
  /** How it ended; null: it has not settled. */
  readonly outcome: OutcomeKind | null;
  /** The turn that has taken it up; null: none has. */
  readonly resumedBy: NodeId | null;
}

/** The turn that a RESUME names; `turn` null: there is no such turn. */
export interface Resumption {
  readonly by: Speaker;
  readonly turn: ResumedTurn | null;
}

/** Returns why a turn is not resumed; null: it is. Every outcome but `completed` is an interruption: the work was not finished. */
export function resumeRefusal({ by, turn }: Resumption): RefusalCode | null {
  if (turn === null) return 'unknown_turn';
  if (turn.owner !== by.id && !isModerator(by)) return 'turn_of_another';
  if (turn.outcome === null) return 'turn_not_settled';
  if (turn.outcome === 'completed') return 'not_interrupted';
  return turn.resumedBy === null ? null : 'already_resumed';
}
