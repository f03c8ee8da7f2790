// Standing: the pure function that decides whether a speaker may stop a node. The session calls it once for each node of a CANCEL.
import type { RefusalCode } from './codes.ts';
import type { CauseSource, NodeId, NodeKind, Policy, Speaker, SpeakerId } from './vocabulary.ts';

/** The properties of a live node that a decision needs. */
export interface NodeView {
  readonly id: NodeId;
  readonly kind: NodeKind;
  readonly owner: SpeakerId;
  /** The addressee of its open question; null: none is open. */
  readonly asks: SpeakerId | null;
}

/** The circumstances of a CANCEL, apart from its speaker. */
export interface Evidence {
  readonly source: CauseSource;
  /** The number of different speakers in the session now. */
  readonly participants: number;
}

export type Verdict =
  | {
      readonly may: true;
      readonly because: 'runtime' | 'role' | 'initiator' | 'addressee' | 'policy' | 'only_participant';
    }
  | { readonly may: false; readonly because: RefusalCode };

/**
 * An embedder's rule of who may stop what, in place of the one below. It must be pure: the same arguments give the same verdict. It is not
 * called for causes of the runtime. `policy`: the one that the session was opened with.
 */
export type Standing = (node: NodeView, speaker: Speaker, evidence: Evidence, policy: Policy) => Verdict;

/** Causes of the runtime itself: they need no standing. */
const runtimeSources: readonly CauseSource[] = ['deadline', 'shutdown', 'crash'];

/** Whether a role gives the speaker standing over everything in the session. */
export const standsByRole = ({ roles }: Speaker): boolean => roles.includes('moderator') || roles.includes('emergency');

/** Returns the verdict on one node. `speaker` is null only for a cause of the runtime; `own` is the embedder's rule. */
export function standing(
  node: NodeView,
  speaker: Speaker | null,
  evidence: Evidence,
  policy: Policy,
  own?: Standing,
): Verdict {
  if (runtimeSources.includes(evidence.source)) return { may: true, because: 'runtime' };
  if (speaker === null) return { may: false, because: 'not_owner' };
  if (own) return own(node, speaker, evidence, policy);
  if (standsByRole(speaker)) return { may: true, because: 'role' };
  if (node.owner === speaker.id) return { may: true, because: 'initiator' };
  if (node.asks === speaker.id) return { may: true, because: 'addressee' };
  if (policy === 'anyone') return { may: true, because: 'policy' };
  if (evidence.participants <= 1) return { may: true, because: 'only_participant' };
  return { may: false, because: 'not_owner' };
}
