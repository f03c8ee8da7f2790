// Performs the CANCEL of a speaker with the role `emergency` in a session that the connection has not joined. Its replies have no words of others.
import type { CancelAccepted, CancelSettled } from '../../machines/facts.ts';
import type { SpeakerId } from '../../machines/vocabulary.ts';
import { dropUndefined } from '../core/collections/fields.ts';
import { readTarget } from '../core/receipt/cancel-target.ts';
import type { CancelFrame } from '../wire/client-frames.ts';
import { encodeFrame } from '../wire/codec.ts';
import { problem } from '../wire/errors.ts';
import type { FactFrame } from '../wire/fact-frames.ts';
import { cancelReplyFrame, cancelRequestOf } from './cancel-frames.ts';
import { problemOf, withoutTime } from './command-replies.ts';
import { callerOfCommand } from './joined-session.ts';
import type { JoinedSessionServices } from './joined-session-services.ts';

/** Whether a connection may send this CANCEL without having joined the session. */
export const mayCancelFromOutside = ({ speaker }: JoinedSessionServices, { as }: CancelFrame): boolean =>
  speaker.roles.includes('emergency') && as === undefined;

/** Stops what the CANCEL names. Sends the reply, and the receipt when all of it has settled, to this connection only. Never rejects. */
export async function cancelFromOutside(
  services: JoinedSessionServices,
  session: string,
  frame: CancelFrame,
): Promise<void> {
  const { runtime, outbox, errors, speaker } = services;
  const send = (reply: FactFrame) => outbox.frame(encodeFrame(reply));
  const { ref } = frame;
  // `say:` names a SAY of this connection, which can have sent none to a session that it has not joined
  if (readTarget(frame.target).say !== null)
    return outbox.frame(
      encodeFrame({ type: 'unknown_target', session, target: frame.target, ...dropUndefined({ ref }) }),
    );
  try {
    const reply = await runtime.cancel(session, callerOfCommand(services, undefined), cancelRequestOf(frame));
    if (reply.type === 'ref_reused') return errors.sendError(problem('ref_reused', { field: 'ref' }), { ref, session });
    if (reply.type === 'cancel_refused') return send({ session, ...withoutTime(reply.refusal) });
    if (reply.type !== 'cancel_accepted') {
      const found = cancelReplyFrame(session, frame, reply);
      return found ? outbox.frame(encodeFrame(found)) : undefined;
    }
    const { receipt, repeated } = reply;
    const extras = { ref: ref ?? null, ...dropUndefined({ repeated: repeated || undefined }) };
    send({ session, ...receiptForOutsider(receipt, speaker.id), ...extras });
    const settled = await runtime.settled(session, receipt.cancel);
    if (settled) send({ session, ...settledForOutsider(settled, speaker.id), ...extras });
  } catch (error) {
    errors.sendError(problemOf(error, `The session ${session} could not execute CANCEL`), { ref, session });
  }
}

/** Returns a receipt for a connection that has not joined: without the reason of another speaker's CANCEL. */
export const receiptForOutsider = (receipt: CancelAccepted, speaker: SpeakerId): CancelAccepted =>
  receipt.by === speaker ? withoutTime(receipt) : { ...withoutTime(receipt), reason: null };

/** Returns the end of a receipt in the same way. */
export const settledForOutsider = (settled: CancelSettled, speaker: SpeakerId): CancelSettled =>
  settled.cause.by === speaker
    ? withoutTime(settled)
    : { ...withoutTime(settled), cause: { ...settled.cause, reason: null } };
