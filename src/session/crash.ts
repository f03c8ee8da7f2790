// When a machine throws: what is below it is cut and told one by one, and its closing is written as recovery would.
//
// The dead machine can pass nothing on. Its siblings run on; its parent hears OUTCOME and CHILD_GONE as from any child.
import type { Plan } from '../../machines/cancel.ts';
import type { Cause, NodeId, Outcome } from '../../machines/vocabulary.ts';
import { unknownUsage } from '../../machines/vocabulary.ts';
import type { Entry } from '../live/tree.ts';
import { closingOf, lateEndsOf } from '../transcript/close-turns.ts';
import type { Plane } from '../workers/services.ts';

/** How often a dead machine's worker is looked at: nobody hears its end. */
const lookMs = 5;

export function createUnwind(plane: Plane) {
  const { tree, budgets, limits, sources } = plane;
  const { clock } = sources;
  /** Closings of several dead machines are written one after the other. */
  let closings: Promise<unknown> = Promise.resolve();

  const below = (dead: Entry) => tree.all().filter((entry) => entry !== dead && tree.isBelow(entry, dead.id));

  /** Behind all that is in flight: what a fold over the turns of the dead node finds missing. */
  const write = (fold: typeof closingOf, turns: readonly NodeId[]) => {
    const written = closings.then(async () => {
      await plane.append([]);
      await plane.append(turns.flatMap((turn) => fold(plane.history.facts(), turn, 'machine_failed')));
    });
    closings = written;
    return written;
  };

  return async function unwind(id: NodeId): Promise<void> {
    await null; // XState is still inside the step that threw
    const dead = tree.get(id);
    if (!dead) return;
    const parent = dead.parent === null ? undefined : tree.get(dead.parent);
    const wasSettled = dead.state === 'settled';
    const orphans = below(dead).filter(({ state }) => state !== 'settled');
    const crash: Cause = { source: 'crash', by: null, reason: 'a machine threw', target: id };
    const stop = new Map<NodeId, Cause>([dead, ...orphans].map((entry) => [entry.id, entry.cut ?? crash]));
    const plan: Plan = { stop, pending: [], refused: [], detached: [] };
    tree.cut(stop);
    budgets.arm(
      orphans.map((entry) => entry.id),
      limits.toolCancelMs,
    );
    for (const orphan of orphans) orphan.actor?.send({ type: 'CANCEL', plan } as { type: string });

    const tell = (outcome: Outcome | { kind: 'ended_late' }) => {
      if (parent?.thrown) return;
      const event = { type: 'OUTCOME', node: id, outcome } as const;
      if (parent) parent.actor?.send(event);
      else plane.deliver(event);
    };
    const waitUntil = (over: () => boolean) =>
      new Promise<void>((resolve) => {
        const look = () => (over() ? resolve() : void clock.after(lookMs, look));
        look();
      });

    // a machine that threw tells nothing: its worker is watched instead, within the budget of a leaf
    const overdueAt = clock.now() + limits.toolCancelMs;
    const isQuiet = (entry: Entry) =>
      entry.thrown ? entry.working === 0 || clock.now() >= overdueAt : entry.state === 'settled';
    await waitUntil(() => [dead, ...below(dead)].every(isQuiet));

    const kind = dead.working > 0 && dead.kind === 'tool-call' ? 'abandoned' : 'failed';
    // a child's own log facts have its turn: a tool call's belong to its parent
    const turns = dead.kind === 'turn' ? [id] : turnsBelow(plane, id);
    await write(closingOf, turns);
    if (!wasSettled) {
      const code =
        kind === 'failed' ? ({ code: 'machine_failed', message: 'A machine of the runtime threw.' } as const) : {};
      tell({ kind, effect: 'unknown', ...code, ...(dead.kind !== 'tool-call' && { usage: unknownUsage }) });
    }
    tree.settle(id);

    await waitUntil(() => below(dead).length === 0 && dead.working === 0);
    await write(lateEndsOf, turns);
    if (kind === 'abandoned' || (wasSettled && dead.kind === 'tool-call')) tell({ kind: 'ended_late' });
    tree.leave(id);
    if (!parent) plane.deliver({ type: 'TURN_GONE', node: id });
    else if (!parent.thrown) parent.actor?.send({ type: 'CHILD_GONE', node: id } as { type: string });
  };
}

/** The turn that a sub-agent has started. */
function turnsBelow(plane: Plane, agent: NodeId): readonly NodeId[] {
  return plane.history
    .facts()
    .flatMap((fact) => (fact.type === 'turn_started' && fact.parent === agent ? [fact.turn] : []));
}
