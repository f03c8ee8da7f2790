// Waits for the `cancel_settled` of an accepted cancel.
import type { CancelSettled } from '../../machines/facts.ts';
import type { CancelReply } from '../../src/core/session/api.ts';
import type { BoundSession } from '../../src/embed/bound-session.ts';

/** Resolves with the `cancel_settled`. Throws where the cancel was not accepted. */
export async function settledReceipt(session: BoundSession, reply: CancelReply): Promise<CancelSettled> {
  if (reply.type !== 'cancel_accepted') throw new Error(reply.type);
  const settled = await session.settled(reply.receipt.cancel);
  if (!settled) throw new Error(`no receipt ${reply.receipt.cancel}`);
  return settled;
}
