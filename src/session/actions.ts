// What follows from the session's decision on a CANCEL: the receipt, the cut and the answer; and how a SAY is answered.
import type { CancelWish, Plan } from '../../machines/cancel.ts';
import { type AnswerCode, type RefusalCode, refusalCodes } from '../../machines/codes.ts';
import type { CancelAccepted, CancelRefused, CancelSettled } from '../../machines/facts.ts';
import type { AnswerEvent, SayEvent, SessionCancelEvent } from '../../machines/session.ts';
import type { NodeId, SpeakerId } from '../../machines/vocabulary.ts';
import type { Plane } from '../workers/services.ts';
import type { AnswerReply, CancelReply, SayReply, SessionListener } from './api.ts';
import type { Register } from './receipt-index.ts';
import type { Receipt, Receipts } from './receipts.ts';

export interface DecisionsOptions {
  readonly plane: Plane;
  readonly receipts: Receipts;
  readonly register: Register;
  listeners(): readonly SessionListener[];
  /** All that there ever was, from the log. */
  wholeRegister(): Promise<Register>;
}

export const sayRefused = (code: RefusalCode): SayReply => ({
  type: 'say_refused',
  code,
  message: refusalCodes[code],
});

export type Decisions = ReturnType<typeof createDecisions>;

export function createDecisions({ plane, receipts, register, listeners, wholeRegister }: DecisionsOptions) {
  const { tree, budgets, limits, sources } = plane;
  /** Who waits for the answer to a wish or a SAY, by the id of the receipt or the turn. */
  const cancels = new Map<string, (answer: CancelReply) => void>();
  const says = new Map<NodeId, (answer: SayReply) => void>();
  const answers = new WeakMap<AnswerEvent, (answer: AnswerReply) => void>();
  const commits = new WeakMap<Receipt, Promise<void>>();

  const answerCancel = (wish: CancelWish, answer: CancelReply) => {
    cancels.get(wish.cancel)?.(answer);
    cancels.delete(wish.cancel);
  };
  const answerSay = (turn: NodeId, answer: SayReply) => {
    says.get(turn)?.(answer);
    says.delete(turn);
  };
  /** With the commit of the acceptance, or after `acceptWaitMs` without it. */
  const answerAccepted = (wish: CancelWish, receipt: Receipt, repeated: boolean) => {
    const answer = (durable: boolean) => {
      answerCancel(wish, { type: 'cancel_accepted', receipt: receipt.accepted, durable, repeated });
    };
    const disarm = sources.clock.after(limits.acceptWaitMs, () => {
      if (!repeated) for (const listener of listeners()) listener.accepted(receipt.accepted);
      answer(false);
    });
    void commits.get(receipt)?.then(() => {
      disarm();
      answer(true);
    });
  };
  const skipGrace = (ids: Iterable<NodeId>) => {
    const all = [...ids];
    for (const id of all) tree.kill(id);
    // what is shielded has its budget from the shield's end on
    const open = all.filter((id) => shieldEnd(id) === null);
    budgets.arm(open, limits.forceCancelMs);
  };
  const shieldEnd = (id: NodeId) => {
    const entry = tree.get(id);
    return entry ? tree.shieldedUntil(entry) : null;
  };
  const longestShield = (ids: readonly NodeId[]) =>
    Math.max(...ids.map((id) => (shieldEnd(id) ?? 0) - sources.clock.now()));

  return {
    awaitCancel(cancel: string, answer: (answer: CancelReply) => void): void {
      cancels.set(cancel, answer);
    },
    awaitSay(turn: NodeId, answer: (answer: SayReply) => void): void {
      says.set(turn, answer);
    },

    /** What an earlier SAY under the ref has led to: the turn, and the answer behind its commit. */
    openedAs(by: SpeakerId, ref: string): { readonly turn: NodeId; readonly answer: Promise<SayReply> } | undefined {
      const repeated = register.openedAs(by, ref);
      if (!repeated) return undefined;
      const { turn } = repeated;
      return { turn, answer: plane.append([]).then(() => ({ type: 'turn_opened', turn, repeated })) };
    },

    awaitAnswer(event: AnswerEvent, answer: (answer: AnswerReply) => void): void {
      answers.set(event, answer);
    },
    /** One answer wins: it closes the question. */
    answer(event: AnswerEvent): void {
      const { answer, text, by, ref, target } = event;
      tree.get(target)?.question?.answer({ answer, text, by: by.id, ref });
      answers.get(event)?.({ type: 'answer_taken' });
    },
    /** Behind the commit of what has closed the question: who repeats an answer hears first that it was taken. */
    refuseAnswer(event: AnswerEvent, code: AnswerCode): void {
      const told = plane.append([]);
      void told.then(() => answers.get(event)?.({ type: 'answer_refused', target: event.target, code }));
    },

    accept(plan: Plan, { wish }: SessionCancelEvent): void {
      const { stop, pending, refused, detached } = plan;
      const fresh = [...stop.keys()].filter((id) => !tree.get(id)?.cut);
      const earlier = fresh.length === 0 ? receipts.covering(stop.keys()) : undefined;
      if (earlier) {
        if (wish.force) skipGrace(stop.keys());
        answerAccepted(wish, earlier, true);
        return;
      }
      const { cancel, ref, source, reason, target, force } = wish;
      const accepted: CancelAccepted = {
        type: 'cancel_accepted',
        cancel,
        ref,
        source,
        by: wish.by?.id ?? null,
        reason,
        target,
        force,
        stopping: [...stop.keys()].filter((id) => !pending.includes(id)),
        pending,
        ...(pending.length > 0 && { pendingMs: longestShield(pending) }),
        refused,
        detached,
      };
      const receipt = receipts.open(accepted);
      // numbered before anything is aborted: what an abort makes the workers write stands behind its cause
      commits.set(receipt, plane.append([accepted]));
      tree.cut(stop);
      if (force) skipGrace(stop.keys());
      else
        budgets.arm(
          fresh.filter((id) => !pending.includes(id)),
          limits.toolCancelMs,
        );
      answerAccepted(wish, receipt, false);
    },

    refuse({ refused }: Plan, { wish }: SessionCancelEvent): void {
      const { ref, source, target } = wish;
      const refusal: CancelRefused = { type: 'cancel_refused', ref, source, by: wish.by?.id ?? null, target, refused };
      void plane.append([refusal]);
      answerCancel(wish, { type: 'cancel_refused', refusal });
    },

    /** Resolves when every node of the receipt has settled; null: there was no such acceptance. */
    async settled(cancel: string): Promise<CancelSettled | null> {
      const open = receipts.byId(cancel);
      if (open) return open.settled;
      return register.settledAs(cancel) ?? (await wholeRegister()).settledAs(cancel) ?? null;
    },

    /** What is said of a wish when nothing at or below its target can be planned. */
    async nothingToPlan(wish: CancelWish): Promise<CancelReply> {
      const { target, ref } = wish;
      const by = wish.by?.id ?? null;
      const isKnown = (one: Register) => one.known(target) || (ref !== null && one.acceptedAs(by, ref) !== undefined);
      const memory = isKnown(register) || register.isWhole() ? register : await wholeRegister();
      const recorded = ref === null ? undefined : memory.acceptedAs(by, ref);
      if (recorded && (memory.settledAs(recorded.cancel) || receipts.byId(recorded.cancel)))
        return { type: 'cancel_accepted', receipt: recorded, durable: true, repeated: true };
      const there = target === 'session' || target === 'mine' || memory.known(target) || tree.get(target) !== undefined;
      return there
        ? { type: 'already_settled', target, receipt: memory.receiptOf(target) }
        : { type: 'unknown_target', target };
    },

    opened({ turn: { id: turn, owner, text }, lane, ref }: SayEvent): void {
      void plane.append([{ type: 'turn_opened', turn, kind: 'say', owner, lane, text, ref }]).then(() => {
        answerSay(turn, { type: 'turn_opened', turn });
      });
    },

    refuseSay({ turn: { id: turn } }: SayEvent, code: RefusalCode): void {
      answerSay(turn, sayRefused(code));
    },
  };
}
