// Unwinds a node whose machine threw: the nodes below it are cut and cancelled one by one, and its closing is written as recovery would.
//
// 1. A machine that threw relays no event. Its siblings continue; its parent receives OUTCOME and CHILD_GONE as from any child.
// 2. A closing is written after everything that is in flight, and closings of several crashes one after the other.
import { planFor } from '../../../machines/cancel.ts';
import type { Cause, NodeId, Outcome } from '../../../machines/vocabulary.ts';
import { unknownUsage } from '../../../machines/vocabulary.ts';
import type { StopBudgets } from '../live/budgets.ts';
import type { NodeEntry } from '../live/node-entry.ts';
import type { LiveTree } from '../live/tree.ts';
import type { Clock } from '../sources/sources.ts';
import { closingOf, lateEndsOf } from '../transcript/close-turns.ts';
import type { FactSource } from '../transcript/history.ts';
import type { Appender } from '../transcript/journal.ts';
import type { Inbox } from './inbox.ts';

export interface CrashHandlerParts {
  readonly tree: LiveTree;
  readonly budgets: StopBudgets;
  readonly journal: Appender;
  readonly history: FactSource;
  readonly inbox: Inbox;
  readonly clock: Clock;
}

export class CrashHandler {
  readonly #parts: CrashHandlerParts;
  #lastClosing: Promise<void> = Promise.resolve();

  constructor(parts: CrashHandlerParts) {
    this.#parts = parts;
  }

  /** Resolves when nothing of the node is left, and its parent has received its end. */
  async unwind(id: NodeId): Promise<void> {
    await null; // XState is still inside the step that threw
    const { tree } = this.#parts;
    const dead = tree.get(id);
    if (!dead) return;
    const wasSettled = dead.isSettled;
    this.#cancelBelow(dead);
    await this.#waitUntilQuiet(dead);

    const kind = dead.workers > 0 && dead.kind === 'tool-call' ? 'abandoned' : 'failed';
    // the facts of a tool call belong to its parent's turn
    const turns = dead.kind === 'turn' ? [id] : this.#turnsOf(id);
    dead.unopened?.drop(); // its facts come before the end of the turn
    await this.#write(closingOf, turns);
    if (!wasSettled) this.#reportOutcome(dead, kind);
    tree.settle(id);

    await tree.waitUntil(() => this.#below(dead).length === 0 && dead.workers === 0);
    await this.#write(lateEndsOf, turns);
    if (kind === 'abandoned' || (wasSettled && dead.kind === 'tool-call')) this.#report(dead, { kind: 'ended_late' });
    tree.remove(id);
    this.#reportGone(dead);
  }

  #below(dead: NodeEntry): readonly NodeEntry[] {
    const { tree } = this.#parts;
    // inputs have no machine: the session opens turns for them when it has the outcome; nor have calls that are not opened yet
    return tree.entries().filter((entry) => entry !== dead && entry.actor !== null && tree.isBelow(entry, dead.id));
  }

  #cancelBelow(dead: NodeEntry): void {
    const { tree, budgets } = this.#parts;
    const orphans = this.#below(dead).filter(({ isSettled }) => !isSettled);
    const crash: Cause = { source: 'crash', by: null, reason: 'a machine threw', target: dead.id };
    const stop = new Map<NodeId, Cause>([dead, ...orphans].map((entry) => [entry.id, entry.cut ?? crash]));
    tree.cut(stop);
    budgets.arm(
      orphans.map((entry) => entry.id),
      { force: false },
    );
    const cancel = { type: 'CANCEL', plan: { ...planFor(dead.id, crash), stop } };
    for (const orphan of orphans) orphan.send(cancel);
  }

  /** A machine that threw reports nothing: its workers are watched instead, within the longest of their budgets. */
  async #waitUntilQuiet(dead: NodeEntry): Promise<void> {
    const { tree, clock, budgets } = this.#parts;
    const nodes = () => [dead, ...this.#below(dead)];
    const ms = Math.max(...nodes().map((entry) => budgets.msOf(entry, { force: false })));
    const isQuiet = (entry: NodeEntry) => (entry.hasCrashed ? entry.workers === 0 : entry.isSettled);
    await tree.waitUntil(() => nodes().every(isQuiet), { budget: { clock, ms } });
    // after the budget only crashed nodes are given up
    await tree.waitUntil(() => nodes().every((entry) => entry.hasCrashed || isQuiet(entry)));
  }

  /** Appends the facts that a fold over the turns finds missing. */
  #write(fold: typeof closingOf, turns: readonly NodeId[]): Promise<void> {
    const { journal, history } = this.#parts;
    this.#lastClosing = this.#lastClosing.then(async () => {
      await journal.append([]);
      await journal.append(turns.flatMap((turn) => fold(history.facts(), turn, 'machine_failed')));
    });
    return this.#lastClosing;
  }

  /** The turns that a sub-agent has started. */
  #turnsOf(agent: NodeId): readonly NodeId[] {
    return this.#parts.history
      .facts()
      .flatMap((fact) => (fact.type === 'turn_started' && fact.parent === agent ? [fact.turn] : []));
  }

  #reportOutcome(dead: NodeEntry, kind: 'failed' | 'abandoned'): void {
    const failure =
      kind === 'failed' ? ({ code: 'machine_failed', message: 'A machine of the runtime threw.' } as const) : {};
    const usage = dead.kind === 'tool-call' ? {} : { usage: unknownUsage };
    this.#report(dead, { kind, effect: 'unknown', ...failure, ...usage });
  }

  #report(dead: NodeEntry, outcome: Outcome | { readonly kind: 'ended_late' }): void {
    const event = { type: 'OUTCOME', node: dead.id, outcome } as const;
    const parent = this.#parentOf(dead);
    if (parent) parent.send(event);
    else this.#parts.inbox.deliver(event);
  }

  #reportGone(dead: NodeEntry): void {
    const parent = this.#parentOf(dead);
    const childGone = { type: 'CHILD_GONE', node: dead.id };
    if (parent) parent.send(childGone);
    else this.#parts.inbox.deliver({ type: 'TURN_GONE', node: dead.id });
  }

  #parentOf(dead: NodeEntry): NodeEntry | undefined {
    return dead.parent === null ? undefined : this.#parts.tree.get(dead.parent);
  }
}
