// Performs the CANCEL of an `emergency` in a session that its connection has not joined: it stops, and shows nothing that others have written.
import type { CancelAccepted, CancelSettled } from '../../machines/facts.ts';
import type { SpeakerId } from '../../machines/vocabulary.ts';
import { dropUndefined } from '../core/collections/fields.ts';
import type { CancelFrame } from '../wire/client-frames.ts';
import { encodeFrame } from '../wire/codec.ts';
import { problem } from '../wire/errors.ts';
import type { FactFrame } from '../wire/fact-frames.ts';
import { cancelReplyFrame, cancelRequestOf } from './cancel-frames.ts';
import { withoutTime } from './event-frames.ts';
import { callerOfCommand } from './joined-session.ts';
import type { JoinedSessionServices } from './joined-session-services.ts';
import { problemOf } from './runtime-problems.ts';

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
  // a SAY of this connection would need a joined session
  if (frame.target.startsWith('say:'))
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
    send({ session, ...ownWords(receipt, speaker.id), ...extras });
    const settled = await runtime.settled(session, receipt.cancel);
    if (settled) send({ session, ...ownCause(settled, speaker.id), ...extras });
  } catch (error) {
    errors.sendError(problemOf(error, `The session ${session} could not execute CANCEL`), { ref, session });
  }
}

/** The reason of another speaker's CANCEL is for those who have joined. */
export const ownWords = (receipt: CancelAccepted, speaker: SpeakerId): CancelAccepted =>
  receipt.by === speaker ? withoutTime(receipt) : { ...withoutTime(receipt), reason: null };

/** The same of the end of a receipt. */
export const ownCause = (settled: CancelSettled, speaker: SpeakerId): CancelSettled =>
  settled.cause.by === speaker
    ? withoutTime(settled)
    : { ...withoutTime(settled), cause: { ...settled.cause, reason: null } };
