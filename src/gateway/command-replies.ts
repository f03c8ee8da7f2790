// Replies to commands that are no event of a session: the frames of a JOIN and of a repeat, and the problem of what could not be executed.
import type { CancelAccepted, CancelSettled, Fact, InputDeferred, TurnOpened } from '../../machines/facts.ts';
import type { Speaker } from '../../machines/vocabulary.ts';
import { dropUndefined, fieldsOf } from '../core/collections/fields.ts';
import type { Caller, ForkRefusal, Joined, JoinedSessionEnd, Runtime } from '../core/session/api.ts';
import { errorText } from '../core/text/error-text.ts';
import { closeCodes } from '../wire/close-codes.ts';
import { type FrameProblem, frameErrorCodes, problem } from '../wire/errors.ts';
import { subprotocol, wireFeatures } from '../wire/frame-limits.ts';
import type { JoinedFrame, SoundTerms, WelcomeFrame } from '../wire/server-frames.ts';
import { type GatewayLimits, publishedLimits } from './gateway-limits.ts';

/** Returns the reply to HELLO. `sound`: what was agreed on. `now`: the time of day. */
export function welcomeFrame({ connection, speaker: { id, roles }, limits, sound, now }: AboutWelcome): WelcomeFrame {
  return {
    type: 'welcome',
    protocol: subprotocol,
    connection,
    speaker: id,
    roles,
    limits: publishedLimits(limits),
    features: [...wireFeatures],
    ...dropUndefined({ sound }),
    now,
  };
}

interface AboutWelcome {
  readonly connection: string;
  readonly speaker: Speaker;
  readonly limits: GatewayLimits;
  readonly sound: SoundTerms | undefined;
  readonly now: number;
}

/** Returns the reply to a JOIN. `ref`: of the JOIN. */
export function joinedFrame(
  ref: string,
  { session, kind, policy, models, toolTimeouts, title, seq, nodes, blocks, questions, voice, room, tail }: Joined,
): JoinedFrame {
  return {
    type: 'joined',
    ref,
    session,
    kind,
    policy,
    seq,
    nodes,
    blocks: blocks.map(({ turn, index, offset, text }) => ({ turn, index, offset, text })),
    questions,
    ...(models && models.length > 0 && { models }),
    ...(title != null && { title }),
    ...(toolTimeouts && toolTimeouts.size > 0 && { toolTimeouts: Object.fromEntries(toolTimeouts) }),
    ...dropUndefined({ voice, room, tail }),
  };
}

/** Returns a fact without the time of its append: one that answers a repeat has none. */
export function withoutTime<F extends Fact>(fact: F): F {
  const { at: _, ...rest }: F & { readonly at?: number } = fact;
  return rest as F; // without a field that no fact has
}

/** Returns the frame of a fact that is the reply to a repeated command. */
export const repeatedFrame = <F extends TurnOpened | InputDeferred | CancelAccepted | CancelSettled>(
  session: string,
  fact: F,
) => ({
  session,
  ...withoutTime(fact),
  repeated: true as const,
});

/** An invite link has let nobody in. */
export class RefusedInvite extends Error {
  override readonly name = 'RefusedInvite';
  readonly code: 'bad_invite' | 'rate_limited' | 'too_many_members';

  constructor(code: RefusedInvite['code']) {
    super(
      code === 'rate_limited' ? 'Too many invite links that let nobody in. Try again later.' : frameErrorCodes[code],
    );
    this.code = code;
  }
}

/** Lets the caller into a session by an invite link. Rejects with `RefusedInvite`. */
export async function enterByInvite(runtime: Runtime, session: string, caller: Caller, secret: string): Promise<void> {
  const { type } = await runtime.redeemInvite(session, caller, secret);
  if (type !== 'redeemed') throw new RefusedInvite(type);
}

/** Returns the problem of a frame that the runtime could not execute. `what`: the sentence before the reason. */
export function problemOf(error: unknown, what: string): FrameProblem {
  if (error instanceof RefusedInvite) return problem(error.code, { message: error.message });
  const { code, limit } = fieldsOf(error);
  if (code === 'access_denied') return problem(code, { message: errorText(error) });
  if (code === 'too_many_opens') return problem(code, { message: errorText(error), limit: Number(limit) });
  const isHeldElsewhere = code === 'held_elsewhere';
  return problem(isHeldElsewhere ? 'held_elsewhere' : 'unavailable', { message: `${what}: ${errorText(error)}` });
}

/** Returns the problem of a FORK that was refused. */
export function forkProblem(refusal: ForkRefusal): FrameProblem {
  switch (refusal.type) {
    case 'turn_not_forkable':
      return problem(refusal.type, { message: refusal.message, field: 'turn' });
    case 'fork_too_large':
      return problem(refusal.type, { message: refusal.message, limit: refusal.limit });
    case 'session_exists':
      return problem(refusal.type, { field: 'to' });
    case 'ref_reused':
      return problem(refusal.type, { field: 'ref' });
  }
}

/** Returns the error of a session that ended before it was joined. */
export function endError(reason: JoinedSessionEnd): Error {
  if (reason === 'removed')
    return Object.assign(new Error('The speaker was removed from the session.'), { code: 'access_denied' });
  if (reason === 'deleted') return new Error('The session was deleted.');
  const error = new Error(closeCodes[reason].message);
  return reason === 'fenced' ? Object.assign(error, { code: 'held_elsewhere' }) : error;
}
