// Standing: decides by a pure function whether a speaker may stop a node. The session calls it once for each node of a CANCEL.
import { ruleOfCause } from './cause-rules.ts';
import { type StandingCode, standingCodes } from './codes.ts';
import type { CauseSource, NodeId, NodeKind, Policy, SessionKind, Speaker, SpeakerId } from './vocabulary.ts';

/** The properties of a live node that a decision needs. */
export interface StandingNode {
  readonly id: NodeId;
  readonly kind: NodeKind;
  readonly owner: SpeakerId;
  /** The speaker whose turn has detached this work. Left out: its owner. */
  readonly requester?: SpeakerId | undefined;
  /** The speaker who is to answer its open question; null: none is open. */
  readonly addressee: SpeakerId | null;
  /** Whether its owner has named the speaker of the decision to stop it (DELEGATE), and that still holds. Left out: false. */
  readonly isDelegated?: boolean | undefined;
}

/** What a decision may consider beside the node, the speaker and the policy. */
export interface Evidence {
  readonly source: CauseSource;
  /** The number of different speakers in the session now. */
  readonly participants: number;
  /** The kind of the session. Left out: text. */
  readonly kind?: SessionKind | undefined;
  /** How surely the words were directed at the bot, from 0 to 1. It counts for words only. Left out: nothing is known. */
  readonly addressed?: number | undefined;
  /** From which `addressed` on words count as directed at the bot. Left out: `defaultAddressedFrom`. */
  readonly addressedFrom?: number | undefined;
}

/** The confidence from which on words count as directed at the bot, where the session does not set one. */
export const defaultAddressedFrom = 0.7;

/** The reasons why a speaker may stop a node. */
export const standingGrounds = [
  'runtime',
  'role',
  'initiator',
  'addressee',
  'delegate',
  'policy',
  'addressed',
  'only_participant',
] as const;

/** The reasons why a speaker may not stop a node. `not_allowed`: a rule of the embedder. */
export const standingRefusals = Object.keys(standingCodes) as readonly StandingCode[]; // of an object literal

export type Verdict =
  | { readonly may: true; readonly because: (typeof standingGrounds)[number] }
  | { readonly may: false; readonly because: StandingCode };

/**
 * An embedder's rule of who may stop what. It replaces the rules of `standing` below, except for the CANCEL of an `emergency`. It must be pure: the same
 * arguments give the same verdict. It is not called for causes of the runtime. `policy`: the one that the session was opened with.
 */
export type StandingRule = (node: StandingNode, speaker: Speaker, evidence: Evidence, policy: Policy) => Verdict;

/** Whether the speaker has the role of a moderator. */
export const isModerator = ({ roles }: Speaker): boolean => roles.includes('moderator');

/** Whether a CANCEL opens shields: only that of an emergency does, by `force`. */
export const opensShields = (by: Speaker | null, force: boolean): boolean =>
  force && by?.roles.includes('emergency') === true;

/** Whether a role lets the speaker answer what others are asked. An emergency stops, and answers nothing. */
export const answersByRole = isModerator;

/** Returns the policy of a session for which none is set. */
export const defaultPolicyOf = (kind: SessionKind): Policy => (kind === 'voice' ? 'addressed' : 'anyone');

/** Returns the verdict on one node. `speaker` is null only for a cause of the runtime. */
export function standing(
  node: StandingNode,
  speaker: Speaker | null,
  evidence: Evidence,
  policy: Policy,
  customRule?: StandingRule,
): Verdict {
  if (!ruleOfCause(evidence.source).needsStanding) return { may: true, because: 'runtime' };
  if (speaker === null) return { may: false, because: 'not_owner' }; // a command without a speaker stops nothing
  if (speaker.roles.includes('emergency')) return { may: true, because: 'role' };
  if (customRule) return customRule(node, speaker, evidence, policy);
  if (speaker.roles.includes('moderator')) return { may: true, because: 'role' };
  return ownStanding(node, speaker) ?? standingOverOthers(evidence, policy);
}

/** The standing that a speaker has by the node itself, whatever the policy is; null: none. */
function ownStanding({ owner, requester, addressee, isDelegated }: StandingNode, { id }: Speaker): Verdict | null {
  if (owner === id || requester === id) return { may: true, because: 'initiator' };
  if (addressee === id) return { may: true, because: 'addressee' };
  if (isDelegated) return { may: true, because: 'delegate' };
  return null;
}

/** The verdict on a node of another speaker, by the policy. A voice session receives every word of the room: even under `anyone` words count only if they were directed at the bot. */
function standingOverOthers(
  { source, participants, kind, addressed, addressedFrom }: Evidence,
  policy: Policy,
): Verdict {
  const isWords = source === 'phrase';
  const needsAddressing = isWords && (policy === 'addressed' || (policy === 'anyone' && kind === 'voice'));
  if (policy === 'anyone' && !needsAddressing) return { may: true, because: 'policy' };
  if (needsAddressing && addressed !== undefined && addressed >= (addressedFrom ?? defaultAddressedFrom))
    return { may: true, because: 'addressed' };
  if (participants <= 1) return { may: true, because: 'only_participant' };
  return { may: false, because: needsAddressing ? 'words_not_addressed' : 'not_owner' };
}
