// Who may stop what: one pure function, the guard of the session's CANCEL, asked once for each live node.
import type { RefusalCode } from './codes.ts';
import type { CauseSource, NodeId, NodeKind, Policy, Speaker, SpeakerId } from './vocabulary.ts';

/** A live node, as a decision needs to see it. */
export interface NodeView {
  readonly id: NodeId;
  readonly kind: NodeKind;
  readonly owner: SpeakerId;
  /** Whom its open question was put to; null: none is open. */
  readonly asks: SpeakerId | null;
}

/** What speaks for the speaker, apart from who they are. */
export interface Evidence {
  readonly source: CauseSource;
  /** How many different speakers are in the session now. */
  readonly participants: number;
}

export type Verdict =
  | {
      readonly may: true;
      readonly because: 'runtime' | 'role' | 'initiator' | 'addressee' | 'policy' | 'only_participant';
    }
  | { readonly may: false; readonly because: RefusalCode };

/**
 * An embedder's own rule of who may stop what, instead of the one below. Pure: the same question has the same answer, and it asks nothing
 * outside itself. It is not asked for causes of the runtime's own. `policy` is what the session was opened with.
 */
export type Standing = (node: NodeView, speaker: Speaker, evidence: Evidence, policy: Policy) => Verdict;

/** Causes that the runtime itself gives: they need no standing. */
const ofTheRuntime: readonly CauseSource[] = ['deadline', 'shutdown', 'crash'];

/** Over whatever is in the session. */
export const standsByRole = ({ roles }: Speaker): boolean => roles.includes('moderator') || roles.includes('emergency');

/** `speaker` is null only where the cause is the runtime's own. */
export function standing(
  node: NodeView,
  speaker: Speaker | null,
  evidence: Evidence,
  policy: Policy,
  own?: Standing,
): Verdict {
  if (ofTheRuntime.includes(evidence.source)) return { may: true, because: 'runtime' };
  if (speaker === null) return { may: false, because: 'not_owner' };
  if (own) return own(node, speaker, evidence, policy);
  if (standsByRole(speaker)) return { may: true, because: 'role' };
  if (node.owner === speaker.id) return { may: true, because: 'initiator' };
  if (node.asks === speaker.id) return { may: true, because: 'addressee' };
  if (policy === 'anyone') return { may: true, because: 'policy' };
  if (evidence.participants <= 1) return { may: true, because: 'only_participant' };
  return { may: false, because: 'not_owner' };
}
