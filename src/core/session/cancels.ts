// CANCEL in a session, before and after its decision: what doors and models send, and what follows. event-reader.ts and the machine make the decision.
import type { CancelCommand, Plan } from '../../../machines/cancel.ts';
import type { CancelAccepted, CancelDecided, CancelRefused, QueuedInput } from '../../../machines/facts.ts';
import type { DecidedCancel, DecidedPhrase } from '../../../machines/session.ts';
import { opensShields } from '../../../machines/standing.ts';
import type { NodeId } from '../../../machines/vocabulary.ts';
import { dropUndefined } from '../collections/fields.ts';
import type { StopBudgets } from '../live/budgets.ts';
import { readTarget, targetOf } from '../receipt/cancel-target.ts';
import { msUntil } from '../sources/monotonic-time.ts';
import { commandKeyFor, unmatchedCancel, withCommand } from '../transcript/decided-commands.ts';
import type { Appender } from '../transcript/journal.ts';
import type { Services, SessionCancelActions } from '../workers/services.ts';
import { inspectPlan } from '../workers/session-bindings.ts';
import type { Acknowledgements } from './acknowledgements.ts';
import type { Caller, CancelReply, CancelRequest } from './api.ts';
import type { CommandsParts } from './commands.ts';
import type { DeferredInputs } from './deferred-inputs.ts';
import { UnansweredRequests } from './inbox.ts';
import type { ReceiptLookup } from './receipt-lookup.ts';
import type { Receipt, Receipts } from './receipts.ts';

export interface CancelCommandsParts
  extends Pick<CommandsParts, 'inbox' | 'tree' | 'keys' | 'decided' | 'rooms' | 'clock'> {
  /** How long a CANCEL may wait for its reply when the session has ended, in milliseconds: an accepted one has it by then. */
  readonly acceptWaitMs: number;
}

/** CANCEL as the doors of a session send it: it becomes a message in the inbox, and a promise of its reply. */
export class CancelCommands {
  readonly #parts: CancelCommandsParts;
  readonly #unanswered = new UnansweredRequests();

  constructor(parts: CancelCommandsParts) {
    this.#parts = parts;
  }

  /** See `Runtime.cancel`. */
  cancel(caller: Caller, request: CancelRequest): Promise<CancelReply> {
    return this.#unanswered.add(this.#cancel(caller, request));
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
    const { speaker, connection, via, door } = this.#parts.rooms.withRoles(caller);
    const { reach, say } = readTarget(target);
    const node = say === null ? target : keys.turnOf(connection, say);
    if (node === undefined) {
      if (reach !== 'tools') keys.refuseNextSay(connection, say ?? '');
      return { type: 'unknown_target', target };
    }
    const key = ref === undefined ? null : commandKeyFor(caller, ref);
    const says = request.seen === undefined ? [] : (request.says ?? []).map((one) => commandKeyFor(caller, one));
    const old = [...says, ...(key ? [key] : [])].filter((one) => decided.needsLookup(one));
    // a failing store must not delay a stop
    if (old.length > 0) await Promise.all(old.map((one) => decided.findLogged(one).catch(() => null)));
    const named = say === null ? { target } : { target: targetOf(reach, node), say: target };
    const { promise, resolve } = Promise.withResolvers<CancelReply>();
    const source = request.source ?? 'client';
    this.#parts.inbox.post({
      type: 'CANCEL',
      by: speaker,
      via,
      door,
      ref,
      ...named,
      ...request,
      source,
      reply: resolve,
    });
    return promise;
  }
}

export interface CancelActionsParts extends Pick<CommandsParts, 'tree' | 'keys' | 'decided' | 'replies' | 'presence'> {
  readonly inputs: DeferredInputs;
  readonly budgets: StopBudgets;
  readonly journal: Appender;
  readonly receipts: Receipts;
  readonly lookup: ReceiptLookup;
  readonly acknowledgements: Acknowledgements;
}

/** The actions of the session's machine that follow from its decision on a CANCEL: the receipt, the cut and the reply, all in the tick of the decision. */
export class CancelActions implements SessionCancelActions {
  readonly #services: Services;
  readonly #parts: CancelActionsParts;
  /** The inputs and verdicts of the last repeat, as JSON; null: there was none. */
  #lastRepeat: string | null = null;

  constructor(services: Services, parts: CancelActionsParts) {
    this.#services = services;
    this.#parts = parts;
  }

  accept({ plan, event: { command, repeats }, decision, queue }: DecidedCancel): void {
    inspectPlan(this.#services, this.#parts.budgets, plan, command);
    const { receipts, acknowledgements, journal } = this.#parts;
    const earlier = repeats === null ? undefined : receipts.find(repeats);
    if (earlier) {
      const recorded = this.#recordRepeat(command, decision, earlier);
      this.#stop(plan, command);
      return this.#replyAccepted(command, earlier, recorded, plan.running);
    }
    const receipt = receipts.open(this.#acceptanceOf(plan, command, queue));
    acknowledgements.expect(receipt);
    // numbered before the cut, so that no fact of a stopped node comes before it
    const recorded = journal.append([...(decision ? [decision] : []), receipt.accepted]);
    this.#stop(plan, command);
    this.#replyAccepted(command, receipt, recorded, null);
  }

  stopDeferred({ stop }: Plan): void {
    const { tree, budgets } = this.#parts;
    const forced = [...stop.keys()].filter((id) => {
      const state = tree.get(id)?.state;
      return state?.kind === 'pending' && state.deferred.force;
    });
    tree.cut(stop);
    budgets.arm(stop.keys(), { force: false });
    this.#skipGrace(forced);
  }

  refuse({ plan, event: { command, earlier }, decision }: DecidedCancel): void {
    inspectPlan(this.#services, this.#parts.budgets, plan, command);
    const { ref, cancel } = command;
    const { lookup, journal, replies } = this.#parts;
    if (earlier) {
      // it gets its receipt again: all that it stopped has ended, and what is left was refused to it
      const left = [...plan.refused.map(({ node }) => node), ...plan.running];
      void lookup.replyWithoutPlan(command, earlier, left).then((reply) => replies.cancels.reply(cancel, reply));
      return;
    }
    const refusal = refusalOf(plan, command, { ref });
    void journal.append([...(decision ? [decision] : []), refusal]);
    replies.cancels.reply(cancel, { type: 'cancel_refused', refusal });
  }

  /** The reply to the SAY comes when that to a CANCEL would: with the commit of the acceptance, or after `acceptWaitMs`. */
  acceptPhrase({ say: { turn }, decided }: DecidedPhrase): void {
    const { keys, replies } = this.#parts;
    keys.markRefused(turn.id); // it opens no turn
    replies.cancels.add(decided.event.command.cancel, (reply) => {
      if (reply.type !== 'cancel_accepted') return;
      const { receipt, repeated } = reply;
      replies.says.reply(turn.id, { type: 'stop_phrase', cancel: receipt.cancel, repeated });
    });
    this.accept(decided);
  }

  /** Its speaker may know before the model reads the words that they have stopped nothing. Words that were not meant for the bot are refused to nobody. */
  recordPhrase({ say: { turn }, decided: { decision, plan, event } }: DecidedPhrase): void {
    const isMeant = plan.refused.some(({ reason }) => reason !== 'words_not_addressed');
    // without the ref, which is that of the words: they are decided as words
    const refusal = isMeant ? [refusalOf(plan, event.command, { ref: null, words: turn.id })] : [];
    void this.#parts.journal.append([...(decision ? [decision] : []), ...refusal]);
  }

  /** A repeat of another CANCEL adds no receipt: its own ref is recorded apart, so that it counts once and is dated. */
  #recordRepeat(command: CancelCommand, decision: CancelDecided | null, { accepted }: Receipt): Promise<void> {
    const { journal, decided } = this.#parts;
    const unrecorded = unmatchedCancel(command, accepted.cancel).filter((fact) => !decided.isDecided(fact));
    return journal.append([...(decision && this.#isNewDecision(decision) ? [decision] : []), ...unrecorded]);
  }

  /** Whether a repeat has other inputs or verdicts than the one before. Equal repeats are not recorded: a key that is pressed again and again must not fill the log. */
  #isNewDecision({ cancel: _, ...decision }: CancelDecided): boolean {
    const before = this.#lastRepeat;
    this.#lastRepeat = JSON.stringify(decision);
    return this.#lastRepeat !== before;
  }

  /** All nodes are marked, then their signals abort: all in the tick of the acceptance. */
  #stop({ stop, deferred }: Plan, { by, force }: CancelCommand): void {
    const { tree, inputs, budgets } = this.#parts;
    const newlyCut = [...stop.keys()].filter((id) => !tree.get(id)?.cut);
    if (opensShields(by, force)) tree.endRegions(stop.keys());
    tree.defer(deferred, force);
    tree.cut(stop);
    for (const id of stop.keys()) if (tree.get(id)?.kind === 'input') inputs.cancel(id);
    if (force) return this.#skipGrace(stop.keys());
    budgets.arm(newlyCut, { force: false });
  }

  #acceptanceOf(
    { stop, pending, refused, detached, running }: Plan,
    command: CancelCommand,
    queue: readonly QueuedInput[],
  ): CancelAccepted {
    const { by, via, door, command: _, ...sent } = command;
    const accepted: CancelAccepted = {
      type: 'cancel_accepted',
      ...sent,
      by: by?.id ?? null,
      ...dropUndefined({ via, door }),
      stopping: [...stop.keys()].filter((id) => !pending.includes(id)),
      pending,
      ...(pending.length > 0 && dropUndefined({ pendingMs: this.#longestShield(pending) })),
      refused,
      detached,
      ...(running.length > 0 && { running }),
      ...(queue.length > 0 && { queue }),
    };
    return withCommand(accepted, command.command);
  }

  /**
   * Replies with the commit of the acceptance, or after `acceptWaitMs` without it. `running`: of a repeat, what the CANCEL does not reach; null: it
   * is no repeat.
   */
  #replyAccepted(
    { cancel }: CancelCommand,
    receipt: Receipt,
    recorded: Promise<void>,
    running: readonly NodeId[] | null,
  ): void {
    const repeated = running !== null;
    const { sources, limits } = this.#services.runtime;
    const { presence, replies } = this.#parts;
    const reply = ({ durable }: { readonly durable: boolean }) =>
      replies.cancels.reply(cancel, {
        type: 'cancel_accepted',
        receipt: receipt.accepted,
        durable,
        repeated,
        running: running ?? undefined,
      });
    const disarm = sources.clock.after(limits.acceptWaitMs, () => {
      if (!repeated) presence.accepted(receipt.accepted);
      reply({ durable: false });
    });
    void recorded.then(() => {
      disarm();
      reply({ durable: true });
    });
  }

  #skipGrace(ids: Iterable<NodeId>): void {
    const { tree, budgets } = this.#parts;
    const all = [...ids];
    for (const id of all) tree.kill(id);
    budgets.arm(all, { force: true });
  }

  /** Milliseconds; undefined: nothing shields the nodes any more, or a shield has no end of its own. */
  #longestShield(ids: readonly NodeId[]): number | undefined {
    const { tree } = this.#parts;
    const { clock } = this.#services.runtime.sources;
    const entries = ids.flatMap((id) => tree.get(id) ?? []);
    const ofTurns = entries.flatMap((entry) => tree.turnShieldOver(entry) ?? []).map(({ until }) => until);
    const ends = [...ofTurns, ...entries.flatMap((entry) => tree.shieldedUntil(entry) ?? [])];
    if (ends.length === 0) return;
    const leftMs = ends.map((end) => (end === null ? Number.POSITIVE_INFINITY : msUntil(clock, end)));
    const longestMs = Math.max(0, ...leftMs);
    return longestMs === Number.POSITIVE_INFINITY ? undefined : longestMs;
  }
}

/** Returns the fact of a CANCEL whose speaker has standing over nothing. */
const refusalOf = (
  { refused }: Plan,
  { source, by, via, target }: CancelCommand,
  { ref, ...words }: Pick<CancelRefused, 'ref' | 'words'>,
): CancelRefused => ({
  type: 'cancel_refused',
  ref,
  source,
  by: by?.id ?? null,
  ...dropUndefined({ via }),
  target,
  refused,
  ...words,
});
