// The inbox of a session: whatever can change it posts a message here, and each is handled on a fresh stack, in the order of the posts.
//
// It depends on nothing: presence, deadlines, timeouts, workers and doors depend on it.
import type { LinkInput } from '../../../machines/contracts.ts';
import type { SessionEvent } from '../../../machines/session-events.ts';
import type { NodeId, Speaker } from '../../../machines/vocabulary.ts';
import { measuredText } from '../words/durations.ts';
import type { WorkerInbox } from '../workers/services.ts';
import type { InboxMessage } from './inbox-messages.ts';

export class Inbox implements WorkerInbox {
  #handle: ((message: InboxMessage) => void) | null = null;

  /** Handles every message with `handle` from now on. Messages that were posted before and are still in the queue count. */
  open(handle: (message: InboxMessage) => void): void {
    this.#handle = handle;
  }

  /** Drops every message from now on. */
  close(): void {
    this.#handle = null;
  }

  post(message: InboxMessage): void {
    queueMicrotask(() => this.#handle?.(message));
  }

  deliver(event: SessionEvent): void {
    this.post({ type: 'EVENT', event });
  }

  spawn(turn: LinkInput): void {
    this.post({ type: 'SPAWN', turn });
  }

  expire(node: NodeId, reason: string, isArmed?: () => boolean): void {
    this.post({ type: 'CANCEL', source: 'deadline', by: null, target: node, reason, armedFor: [node], isArmed });
  }

  timeOut(node: NodeId, timeoutMs: number): void {
    const reason = `no result within ${measuredText(timeoutMs)}`;
    this.post({ type: 'CANCEL', source: 'deadline', by: null, target: node, reason, armedFor: [node], timeoutMs });
  }

  supersede(earlier: NodeId, heir: NodeId, by: Speaker): void {
    const reason = `${heir} takes its place`;
    this.post({ type: 'CANCEL', source: 'superseded', by, target: earlier, reason, armedFor: [earlier, heir] });
  }
}
