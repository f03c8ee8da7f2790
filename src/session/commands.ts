// The commands of a session that its doors send: each becomes a message in the inbox, and a promise of its reply.
import type { NodeId, SpeakerId } from '../../machines/vocabulary.ts';
import type { LiveTree } from '../live/tree.ts';
import type { Ids } from '../sources/sources.ts';
import type { ToolContext } from '../tools/tool.ts';
import type { Appender } from '../transcript/journal.ts';
import type { AgentCanceller } from '../workers/services.ts';
import type { AnswerReply, AnswerRequest, Caller, CancelReply, CancelRequest, SayReply, SayRequest } from './api.ts';
import type { IdempotencyKeys, SayInFlight } from './idempotency-keys.ts';
import type { CancelMessage, Inbox } from './inbox.ts';
import type { ReceiptIndex } from './receipt-index.ts';
import type { Replies } from './replies.ts';
import { refusedSay } from './replies.ts';

export interface CommandsParts {
  readonly inbox: Inbox;
  readonly tree: LiveTree;
  readonly journal: Appender;
  readonly keys: IdempotencyKeys;
  readonly index: ReceiptIndex;
  readonly replies: Replies;
  readonly ids: Ids;
  /** Characters (UTF-16 code units) that a SAY may have. */
  readonly sayChars: number;
}

export class Commands implements AgentCanceller {
  readonly #parts: CommandsParts;

  constructor(parts: CommandsParts) {
    this.#parts = parts;
  }

  async say({ speaker, connection }: Caller, { text, ref }: SayRequest): Promise<SayReply> {
    const { keys, ids, sayChars } = this.#parts;
    if (text.length > sayChars) {
      const message = `text has ${text.length} characters; the limit is ${sayChars}`;
      return { type: 'say_refused', code: 'text_too_long', message };
    }
    if (ref === undefined) return this.#openTurn(ids('turn'), speaker.id, text, null);
    if (keys.isRefused(connection, ref)) return refusedSay('cancelled_before_start');
    const before = keys.sayInFlight(speaker.id, ref) ?? this.#saidBefore(speaker.id, ref);
    const turn = before?.turn ?? ids('turn');
    keys.keepTurn(connection, ref, turn);
    if (before) return before.reply;
    const reply = this.#openTurn(turn, speaker.id, text, ref);
    keys.keepInFlight(speaker.id, ref, { turn, reply });
    return reply;
  }

  async cancel({ speaker, connection }: Caller, { target, ref, reason, force }: CancelRequest): Promise<CancelReply> {
    const { keys } = this.#parts;
    const say = target.startsWith('say:') ? target.slice('say:'.length) : null;
    const node = say === null ? target : keys.turnOf(connection, say);
    if (node === undefined) {
      keys.refuseNextSay(connection, say ?? '');
      return { type: 'unknown_target', target };
    }
    return this.#postCancel({
      type: 'CANCEL',
      source: 'client',
      by: speaker,
      target: node,
      ref: ref ?? null,
      reason: reason ?? null,
      force: force ?? false,
    });
  }

  answer({ speaker }: Caller, { target, answer, text, ref }: AnswerRequest): Promise<AnswerReply> {
    const { inbox, replies, ids } = this.#parts;
    const id = ids('answer');
    const { promise, resolve } = Promise.withResolvers<AnswerReply>();
    replies.awaitAnswer(id, resolve);
    inbox.post({ type: 'ANSWER', id, answer, text: text ?? null, by: speaker, target, ref: ref ?? null });
    return promise;
  }

  /** For a model: only a detached agent of the same speaker is its to cancel. */
  async cancelAgent(agent: NodeId, by: SpeakerId, reason: string): ReturnType<ToolContext['cancelAgent']> {
    const entry = this.#parts.tree.get(agent);
    if (!entry) return 'already_settled';
    if (entry.ancestors.length === 0 || entry.owner !== by) return 'not_yours';
    const speaker = { id: by, roles: ['member'] as const };
    const reply = await this.#postCancel({ type: 'CANCEL', source: 'client', by: speaker, target: agent, reason });
    if (reply.type === 'cancel_refused') return 'not_allowed';
    if (reply.type !== 'cancel_accepted') return 'already_settled';
    // or only nodes below it were stopped
    return reply.receipt.refused.some(({ node }) => node === agent) ? 'not_allowed' : 'cancelled';
  }

  #openTurn(turn: NodeId, owner: SpeakerId, text: string, ref: string | null): Promise<SayReply> {
    const { inbox, replies } = this.#parts;
    const { promise, resolve } = Promise.withResolvers<SayReply>();
    replies.awaitSay(turn, resolve);
    inbox.post({ type: 'SAY', lane: owner, turn: { id: turn, owner, depth: 0, text, agent: null }, ref });
    return promise;
  }

  /** An earlier SAY under the ref: its turn, and the reply after its commit. */
  #saidBefore(by: SpeakerId, ref: string): SayInFlight | undefined {
    const { index, journal } = this.#parts;
    const repeated = index.openedUnder(by, ref);
    if (!repeated) return undefined;
    const { turn } = repeated;
    return { turn, reply: journal.append([]).then((): SayReply => ({ type: 'turn_opened', turn, repeated })) };
  }

  #postCancel(message: CancelMessage): Promise<CancelReply> {
    const { promise, resolve } = Promise.withResolvers<CancelReply>();
    this.#parts.inbox.post({ ...message, reply: resolve });
    return promise;
  }
}
