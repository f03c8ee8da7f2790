// The actions of the session's machine: what follows from its decision on a CANCEL, a SAY, an answer, and a crash.

import type { CancelCommand, Plan } from '../../machines/cancel.ts';
import type { AnswerCode, RefusalCode } from '../../machines/codes.ts';
import type { CancelAccepted, CancelRefused, TurnOpened } from '../../machines/facts.ts';
import type { AnswerEvent, SayEvent, SessionCancelEvent } from '../../machines/session.ts';
import type { NodeId } from '../../machines/vocabulary.ts';
import { dropUndefined } from '../collections/drop-undefined.ts';
import type { RuntimeServices, SessionActions } from '../workers/services.ts';
import type { CrashHandler } from './crash.ts';
import type { SessionParts } from './parts.ts';
import type { Receipt } from './receipts.ts';
import { refusedSay } from './replies.ts';

export interface ActionsOptions {
  readonly runtime: RuntimeServices;
  readonly parts: Pick<SessionParts, 'tree' | 'budgets' | 'journal' | 'presence' | 'receipts' | 'replies'>;
  readonly crashes: CrashHandler;
  /** Claims the session and closes what a dead process left open. */
  recover(): Promise<void>;
}

export class Actions implements SessionActions {
  readonly #runtime: RuntimeServices;
  readonly #parts: ActionsOptions['parts'];
  readonly #crashes: CrashHandler;
  readonly #recover: () => Promise<void>;
  /** The commits of acceptances, as long as their receipts are held. */
  readonly #commits = new WeakMap<Receipt, Promise<void>>();

  constructor({ runtime, parts, crashes, recover }: ActionsOptions) {
    this.#runtime = runtime;
    this.#parts = parts;
    this.#crashes = crashes;
    this.#recover = recover;
  }

  recover(): Promise<void> {
    return this.#recover();
  }

  accept(plan: Plan, { command }: SessionCancelEvent): void {
    const { tree, receipts } = this.#parts;
    const newlyCut = [...plan.stop.keys()].filter((id) => !tree.get(id)?.cut);
    const earlier = newlyCut.length === 0 ? receipts.findCovering(plan.stop.keys()) : undefined;
    if (earlier) {
      if (command.force) this.#skipGrace(plan.stop.keys());
      this.#replyAccepted(command, earlier, plan.running);
      return;
    }
    this.#replyAccepted(command, this.#cut(plan, command, newlyCut), null);
  }

  refuse({ refused }: Plan, { command }: SessionCancelEvent): void {
    const { ref, source, target, cancel, via } = command;
    const by = command.by?.id ?? null;
    const refusal: CancelRefused = {
      type: 'cancel_refused',
      ref,
      source,
      by,
      ...dropUndefined({ via }),
      target,
      refused,
    };
    void this.#parts.journal.append([refusal]);
    this.#parts.replies.replyToCancel(cancel, { type: 'cancel_refused', refusal });
  }

  confirmSay({ turn: { id: turn, owner, text }, lane, ref, via }: SayEvent): void {
    const { journal, replies } = this.#parts;
    const opened: TurnOpened = {
      type: 'turn_opened',
      turn,
      kind: 'say',
      owner,
      lane,
      text,
      ref,
      ...dropUndefined({ via }),
    };
    void journal.append([opened]).then(() => {
      replies.replyToSay(turn, { type: 'turn_opened', turn });
    });
  }

  refuseSay({ turn }: SayEvent, code: RefusalCode): void {
    this.#parts.replies.replyToSay(turn.id, refusedSay(code));
  }

  closeQuestion({ id, answer, text, by, via, ref, target }: AnswerEvent): void {
    const { tree, replies } = this.#parts;
    tree.get(target)?.question?.answer({ answer, text, by: by.id, via, ref });
    replies.replyToAnswer(id, { type: 'answer_taken' });
  }

  /** Replies after the commit of what closed the question: a repeated answer gets the reply to the first one before. */
  refuseAnswer({ id, target }: AnswerEvent, code: AnswerCode): void {
    const { journal, replies } = this.#parts;
    void journal.append([]).then(() => replies.replyToAnswer(id, { type: 'answer_refused', target, code }));
  }

  unwindCrash(node: NodeId): void {
    this.#crashes.unwind(node).catch((error: unknown) => this.#runtime.warn(`${node} could not be unwound.`, error));
  }

  /** The acceptance gets its number first, then all nodes are marked, then their signals abort: all in this tick. */
  #cut(plan: Plan, command: CancelCommand, newlyCut: readonly NodeId[]): Receipt {
    const { tree, budgets, journal, receipts } = this.#parts;
    const accepted = this.#acceptanceOf(plan, command);
    const receipt = receipts.open(accepted);
    this.#commits.set(receipt, journal.append([accepted]));
    tree.cut(plan.stop);
    if (command.force) this.#skipGrace(plan.stop.keys());
    else
      budgets.arm(
        newlyCut.filter((id) => !plan.pending.includes(id)),
        this.#runtime.limits.toolCancelMs,
      );
    return receipt;
  }

  #acceptanceOf({ stop, pending, refused, detached, running }: Plan, command: CancelCommand): CancelAccepted {
    const { cancel, ref, source, by, via, reason, target, force } = command;
    return {
      type: 'cancel_accepted',
      cancel,
      ref,
      source,
      by: by?.id ?? null,
      ...dropUndefined({ via }),
      reason,
      target,
      force,
      stopping: [...stop.keys()].filter((id) => !pending.includes(id)),
      pending,
      ...dropUndefined({ pendingMs: pending.length > 0 ? this.#longestShield(pending) : undefined }),
      refused,
      detached,
      ...dropUndefined({ running: running.length > 0 ? running : undefined }),
    };
  }

  /**
   * With the commit of the acceptance, or after `acceptWaitMs` without it. `running`: of a repeat, what the CANCEL does not reach; null: it
   * is no repeat.
   */
  #replyAccepted({ cancel }: CancelCommand, receipt: Receipt, running: readonly NodeId[] | null): void {
    const repeated = running !== null;
    const { sources, limits } = this.#runtime;
    const { presence, replies } = this.#parts;
    const reply = ({ durable }: { readonly durable: boolean }) =>
      replies.replyToCancel(cancel, {
        ...{ type: 'cancel_accepted', receipt: receipt.accepted, durable, repeated },
        running: running ?? undefined,
      });
    const disarm = sources.clock.after(limits.acceptWaitMs, () => {
      if (!repeated) presence.accepted(receipt.accepted);
      reply({ durable: false });
    });
    void this.#commits.get(receipt)?.then(() => {
      disarm();
      reply({ durable: true });
    });
  }

  #skipGrace(ids: Iterable<NodeId>): void {
    const { tree, budgets } = this.#parts;
    const all = [...ids];
    for (const id of all) tree.kill(id);
    // the budget of a shielded node starts at the shield's end
    budgets.arm(
      all.filter((id) => this.#shieldEnd(id) === null),
      this.#runtime.limits.forceCancelMs,
    );
  }

  #shieldEnd(id: NodeId): number | null {
    const { tree } = this.#parts;
    const entry = tree.get(id);
    return entry ? tree.shieldedUntil(entry) : null;
  }

  #longestShield(ids: readonly NodeId[]): number {
    const now = this.#runtime.sources.clock.now();
    return Math.max(...ids.map((id) => (this.#shieldEnd(id) ?? 0) - now));
  }
}
