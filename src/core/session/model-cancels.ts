// Performs the CANCEL that a model asks for by a tool: it stops work of the same speaker, outside the call that asks.
import { standingCodeOf } from '../../../machines/codes.ts';
import type { NodeId } from '../../../machines/vocabulary.ts';
import type { CancelCallReply } from '../contracts/tool.ts';
import type { LiveTree } from '../live/tree.ts';
import type { CallCanceller } from '../workers/services.ts';
import type { CancelCommands } from './cancels.ts';

export interface ModelCancelsParts {
  readonly tree: LiveTree;
  readonly cancels: Pick<CancelCommands, 'cancel'>;
}

export class ModelCancels implements CallCanceller {
  readonly #parts: ModelCancelsParts;

  constructor(parts: ModelCancelsParts) {
    this.#parts = parts;
  }

  /** Cancels with the standing of a member: the model has no other role of its speaker. The bot's speech, and a turn or an input that a person has said, is `not_yours`. */
  async cancelCall(target: NodeId, from: NodeId, reason: string): Promise<CancelCallReply> {
    const { tree, cancels } = this.#parts;
    const entry = tree.get(target);
    if (!entry?.isOpen) return 'already_settled';
    const asking = tree.get(from);
    const owner = asking && tree.get(asking.parent ?? '')?.owner;
    if (asking && tree.isBelow(asking, target)) return 'own_work';
    const isWork =
      entry.kind !== 'input' && entry.kind !== 'speech' && (entry.parent !== null || entry.ancestors.length > 0);
    if (owner === undefined || entry.owner !== owner || !isWork) return 'not_yours';
    const caller = { speaker: { id: owner, roles: ['member'] as const }, connection: '' };
    const reply = await cancels.cancel(caller, { target, reason, source: 'model' });
    if (reply.type === 'cancel_refused') return standingCodeOf(reply.refusal.refused[0]?.reason);
    if (reply.type !== 'cancel_accepted') return 'already_settled';
    // a CANCEL is accepted, too, if it stops only nodes below the target
    const refused = reply.receipt.refused.find(({ node }) => node === target);
    return refused ? standingCodeOf(refused.reason) : 'cancelled';
  }
}
