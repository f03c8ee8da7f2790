// Standing: decides by a pure function whether a speaker may stop a node. The session calls it once for each node of a CANCEL.
import type { RefusalCode } from './codes.ts';
import type { CauseSource, NodeId, NodeKind, Policy, Speaker, SpeakerId } from './vocabulary.ts';

/** The properties of a live node that a decision needs. */
export interface StandingNode {
  readonly id: NodeId;
  readonly kind: NodeKind;
  readonly owner: SpeakerId;
  /** The speaker who is to answer its open question; null: none is open. */
  readonly addressee: SpeakerId | null;
}

/** What a decision may consider beside the node, the speaker and the policy. */
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
 * An embedder's rule of who may stop what. It replaces the rules of `standing` below. It must be pure: the same arguments give the same
 * verdict. It is not called for causes of the runtime. `policy`: the one that the session was opened with.
 */
export type StandingRule = (node: StandingNode, speaker: Speaker, evidence: Evidence, policy: Policy) => Verdict;

/** Causes of the runtime itself: they need no standing. */
const runtimeSources: readonly CauseSource[] = ['deadline', 'shutdown', 'crash'];

/** Whether a CANCEL opens shields: only that of an emergency does, by `force`. */
export const opensShields = (by: Speaker | null, force: boolean): boolean =>
  force && (by?.roles.includes('emergency') ?? false);

/** Whether a role gives the speaker standing over everything in the session. */
export const standsByRole = ({ roles }: Speaker): boolean => roles.includes('moderator') || roles.includes('emergency');

/** Whether a role lets the speaker answer what others are asked. An emergency stops, and answers nothing. */
export const answersByRole = ({ roles }: Speaker): boolean => roles.includes('moderator');

/** Returns the verdict on one node. `speaker` is null only for a cause of the runtime. */
export function standing(
  node: StandingNode,
  speaker: Speaker | null,
  evidence: Evidence,
  policy: Policy,
  customRule?: StandingRule,
): Verdict {
  if (runtimeSources.includes(evidence.source)) return { may: true, because: 'runtime' };
  if (speaker === null) return { may: false, because: 'not_owner' }; // a command without a speaker stops nothing
  if (customRule) return customRule(node, speaker, evidence, policy);
  if (standsByRole(speaker)) return { may: true, because: 'role' };
  if (node.owner === speaker.id) return { may: true, because: 'initiator' };
  if (node.addressee === speaker.id) return { may: true, because: 'addressee' };
  if (policy === 'anyone') return { may: true, because: 'policy' };
  if (evidence.participants <= 1) return { may: true, because: 'only_participant' };
  return { may: false, because: 'not_owner' };
}
