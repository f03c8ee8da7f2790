// The features of a gateway that a command needs, and the advice where a gateway lacks them.
import { readTarget, type TargetReachKind } from '../core/receipt/cancel-target.ts';
import type { SessionFrame } from '../wire/client-frames.ts';
import type { WireFeature } from '../wire/frame-limits.ts';

export interface RequiredFeature {
  readonly feature: WireFeature;
  /** What to do instead, for the message of the error. */
  readonly advice: string;
}

const byType: { readonly [T in SessionFrame['type']]?: RequiredFeature } = {
  SET_TIMEOUT: { feature: 'tool_timeouts', advice: 'Set `toolTimeouts` in its configuration.' },
  RENAME: { feature: 'rename', advice: 'Its first words name the session.' },
  INVITE_LINK: { feature: 'rooms', advice: 'Invite by name.' },
  REVOKE: { feature: 'rooms', advice: 'It has no invite links.' },
  OPEN_CALL: { feature: 'open_calls', advice: 'Give it a tool instead.' },
  FORK: { feature: 'fork', advice: 'Begin a new session instead.' },
};

/** Words and sounds of a speaker who is no bridge. */
const ownSpeech: RequiredFeature = { feature: 'own_speech', advice: 'Say the words instead.' };

/** Returns the feature that a frame needs; null: every gateway knows it. */
export function featureOfFrame(frame: SessionFrame): RequiredFeature | null {
  const isOwn = (frame.type === 'TRANSCRIPT' || frame.type === 'BARGE_IN') && frame.as === undefined;
  return isOwn ? ownSpeech : (byType[frame.type] ?? null);
}

const byReach: Readonly<Record<TargetReachKind, RequiredFeature | null>> = {
  node: null,
  tools: { feature: 'cancel_tools', advice: 'Cancel the turn, or single calls.' },
  lane: { feature: 'cancel_lane', advice: 'Cancel each of the turns.' },
};

/** Returns the feature that a CANCEL of this target needs; null: every gateway knows it. */
export const featureOfTarget = (target: string): RequiredFeature | null => byReach[readTarget(target).reach];
