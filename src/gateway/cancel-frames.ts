// CANCEL of a joined session: what its frame asks of the runtime, and the frames of its replies.
import type { CancelSettled } from '../../machines/facts.ts';
import type { NodeId } from '../../machines/vocabulary.ts';
import { dropUndefined } from '../core/collections/fields.ts';
import type { CancelDecision, CancelRequest } from '../core/session/api.ts';
import type { CancelFrame } from '../wire/client-frames.ts';
import { problem } from '../wire/errors.ts';
import type { FactFrame } from '../wire/fact-frames.ts';
import type { ServerFrame } from '../wire/server-frames.ts';
import type { CommandContext, CommandReply } from './command-context.ts';
import { repeatedFrame, withoutTime } from './command-replies.ts';

/**
 * Cancels what the frame names. A receipt and a refusal are sent as facts, to every connection that has joined; a repeat, and a target that is not live, get a
 * reply of their own. After the reply to a repeat comes the end of the first receipt.
 */
export async function performCancel(
  frame: CancelFrame,
  { runtime, session, caller }: CommandContext,
): Promise<CommandReply> {
  const reply = await runtime.cancel(session, caller, cancelRequestOf(frame));
  if (reply.type === 'ref_reused') return { problem: problem(reply.type, { field: 'ref' }) };
  const replyFrame = cancelReplyFrame(session, frame, reply);
  if (replyFrame === null) return null;
  if (reply.type !== 'cancel_accepted') return { frame: replyFrame };
  const settled = runtime.settled(session, reply.receipt.cancel);
  return { frame: replyFrame, next: settled.then((end) => end && repeatedSettledFrame(session, frame, end)) };
}

/** Returns the request of a CANCEL. */
export function cancelRequestOf({ ref, target, reason, force, seen, says }: CancelFrame): CancelRequest {
  return { ref, target, reason, force, seen, says };
}

/** Returns the reply to a CANCEL; null if a fact, or an acceptance before its commit, is the reply, which is sent to every connection. */
export function cancelReplyFrame(session: string, { ref }: CancelFrame, reply: CancelDecision): ServerFrame | null {
  switch (reply.type) {
    case 'cancel_accepted': {
      if (!reply.repeated) return null;
      const { running: _, ...receipt } = repeatedFrame(session, reply.receipt);
      const durable = reply.durable ? undefined : false;
      return { ...receipt, ref: ref ?? null, ...dropUndefined({ running: runningOf(reply), durable }) };
    }
    case 'cancel_refused':
      return null;
    case 'already_settled':
      return {
        type: 'already_settled',
        session,
        target: reply.target,
        receipt: reply.receipt && withoutTime(reply.receipt),
        ...dropUndefined({ ref, running: runningOf(reply) }),
      };
    case 'unknown_target':
      return { type: 'unknown_target', session, target: reply.target, ...dropUndefined({ ref }) };
  }
}

/** The end of a repeated CANCEL: the end of the first receipt, under the ref of the repeat. */
const repeatedSettledFrame = (session: string, { ref }: CancelFrame, settled: CancelSettled): FactFrame => ({
  ...repeatedFrame(session, settled),
  ref: ref ?? null,
});

/** The field is left out where it is empty. */
const runningOf = ({ running = [] }: { readonly running?: readonly NodeId[] | undefined }) =>
  running.length > 0 ? running : undefined;
