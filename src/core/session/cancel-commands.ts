// CANCEL as the doors of a session and its models send it: it becomes a message in the inbox, and a promise of its reply.
import type { NodeId, SpeakerId } from '../../../machines/vocabulary.ts';
import type { ToolContext } from '../contracts/tool.ts';
import { commandKeyFor } from '../transcript/decided-commands.ts';
import type { AgentCanceller } from '../workers/services.ts';
import type { Caller, CancelReply, CancelRequest } from './api.ts';
import type { CommandsParts } from './commands.ts';
import type { CancelMessage } from './inbox-messages.ts';
import { UnansweredRequests } from './replies.ts';

export interface CancelCommandsParts
  extends Pick<CommandsParts, 'inbox' | 'tree' | 'keys' | 'decided' | 'rooms' | 'clock'> {
  /** How long a CANCEL may wait for its reply when the session has ended, in milliseconds: an accepted one has it by then. */
  readonly acceptWaitMs: number;
}

export class CancelCommands implements AgentCanceller {
  readonly #parts: CancelCommandsParts;
  readonly #unanswered = new UnansweredRequests();

  constructor(parts: CancelCommandsParts) {
    this.#parts = parts;
  }

  /** See `Runtime.cancel`. */
  cancel(caller: Caller, request: CancelRequest): Promise<CancelReply> {
    return this.#unanswered.add(this.#cancel(caller, request));
  }

  /** For a model: only a detached agent of the same speaker is its to cancel. */
  async cancelAgent(agent: NodeId, by: SpeakerId, reason: string): ReturnType<ToolContext['cancelAgent']> {
    const entry = this.#parts.tree.get(agent);
    if (!entry) return 'already_settled';
    if (entry.ancestors.length === 0 || entry.owner !== by) return 'not_yours';
    const speaker = { id: by, roles: ['member'] as const };
    const message = { type: 'CANCEL', source: 'client', by: speaker, target: agent, reason } as const;
    const reply = await this.#unanswered.add(this.#postCancel(message));
    if (reply.type === 'cancel_refused') return 'not_allowed';
    if (reply.type !== 'cancel_accepted') return 'already_settled';
    // or only nodes below it were stopped
    return reply.receipt.refused.some(({ node }) => node === agent) ? 'not_allowed' : 'cancelled';
  }

  /** Rejects later ones at once, and those without a reply after `acceptWaitMs`. */
  close(error: unknown): void {
    const { clock, acceptWaitMs } = this.#parts;
    const unanswered = this.#unanswered;
    unanswered.refuse(error);
    if (unanswered.size > 0) clock.after(acceptWaitMs, () => unanswered.close(error));
  }

  async #cancel(caller: Caller, { target, ref, ...request }: CancelRequest): Promise<CancelReply> {
    const { keys, decided } = this.#parts;
    const { speaker, connection, via } = this.#parts.rooms.withRoles(caller);
    const say = target.startsWith('say:') ? target.slice('say:'.length) : null;
    const node = say === null ? target : keys.turnOf(connection, say);
    if (node === undefined) {
      keys.refuseNextSay(connection, say ?? '');
      return { type: 'unknown_target', target };
    }
    const key = ref === undefined ? null : commandKeyFor(caller, ref);
    const says = request.seen === undefined ? [] : (request.says ?? []).map((one) => commandKeyFor(caller, one));
    const old = [...says, ...(key ? [key] : [])].filter((one) => decided.needsLookup(one));
    // a failing store must not delay a stop
    if (old.length > 0) await Promise.all(old.map((one) => decided.findLogged(one).catch(() => null)));
    const sent = { by: speaker, via, target: node, say: say === null ? undefined : target, ref };
    return this.#postCancel({ type: 'CANCEL', ...sent, ...request, source: request.source ?? 'client' });
  }

  #postCancel(message: CancelMessage): Promise<CancelReply> {
    const { promise, resolve } = Promise.withResolvers<CancelReply>();
    this.#parts.inbox.post({ ...message, reply: resolve });
    return promise;
  }
}
