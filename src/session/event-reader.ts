// Turns a message of the inbox into an event of the session's machine, with the live tree read in the tick of its handling.
//
// What was armed earlier (an expiry, a supersession, a timeout) is checked again here, and void when the reason for it is over.
import type { CancelCommand } from '../../machines/cancel.ts';
import type { AnswerEvent, SessionCancelEvent, SessionEvent } from '../../machines/session.ts';
import type { NodeEntry } from '../live/node-entry.ts';
import type { LiveTree } from '../live/tree.ts';
import type { Ids } from '../sources/sources.ts';
import type { Appender } from '../transcript/journal.ts';
import type { AnswerMessage, CancelMessage, Message } from './inbox.ts';
import type { Presence } from './presence.ts';
import type { ReceiptLookup } from './receipt-lookup.ts';
import type { Replies } from './replies.ts';

export interface EventReaderParts {
  readonly tree: LiveTree;
  readonly presence: Presence;
  readonly journal: Appender;
  readonly lookup: ReceiptLookup;
  readonly replies: Replies;
  readonly ids: Ids;
  /** Whether nobody is in the session and nothing happens there. */
  isIdle(): boolean;
}

const questionKinds = { approval_requested: 'approval', question_asked: 'question' } as const;

export class EventReader {
  readonly #parts: EventReaderParts;

  constructor(parts: EventReaderParts) {
    this.#parts = parts;
  }

  /** Null: the message is void. */
  read(message: Message): SessionEvent | null {
    switch (message.type) {
      case 'EVENT':
        return message.event;
      case 'SAY':
        return message;
      case 'SPAWN':
        return { ...message, cut: this.#parts.tree.get(message.turn.id)?.cut ?? null };
      case 'ANSWER':
        return this.#readAnswer(message);
      case 'CANCEL':
        return this.#readCancel(message);
      case 'CLOSE':
        return message.when === 'now' || this.#parts.isIdle() ? { type: 'CLOSE' } : null;
    }
  }

  #readCancel(message: CancelMessage): SessionEvent | null {
    const { tree, journal, lookup, replies } = this.#parts;
    const { target, by, armedFor = [], isArmed = () => true, timeoutMs, reply } = message;
    if (!armedFor.every((id) => tree.get(id)?.isRunning) || !isArmed()) return null;
    if (timeoutMs !== undefined) void journal.append([{ type: 'tool_timeout', node: target, ms: timeoutMs }]);
    const command = this.#commandOf(message);
    const nodes = tree.below(target, by?.id ?? null);
    if (nodes.length === 0) {
      reply?.(lookup.replyWithoutPlan(command));
      return null;
    }
    if (reply) replies.awaitCancel(command.cancel, reply);
    return this.#cancelEvent(command, nodes);
  }

  #commandOf({ source, by, target, ref, reason, force }: CancelMessage): CancelCommand {
    const cancel = this.#parts.ids('cancel');
    return { cancel, ref: ref ?? null, source, by, reason: reason ?? null, target, force: force ?? false };
  }

  #cancelEvent(command: CancelCommand, nodes: readonly NodeEntry[]): SessionCancelEvent {
    const { tree, presence } = this.#parts;
    const { source, target } = command;
    const by = command.by?.id ?? null;
    return {
      type: 'CANCEL',
      command,
      nodes: nodes.map((entry) => ({
        id: entry.id,
        kind: entry.kind,
        owner: entry.owner,
        addressee: entry.cut ? null : (entry.question?.asked.to ?? null),
        cut: entry.cut,
        shielded: tree.shieldedUntil(entry) !== null,
      })),
      detached: tree.detachedFrom(target, by),
      evidence: { source, participants: presence.countParticipants(by) },
    };
  }

  #readAnswer(message: AnswerMessage): AnswerEvent {
    const entry = this.#parts.tree.get(message.target);
    const open = entry && !entry.cut ? entry.question : null;
    return { ...message, question: open && { to: open.asked.to, kind: questionKinds[open.asked.type] } };
  }
}
