// Every reachable state of a turn with its calls, without starting anything: what the actors would do is done by hand.
import { describe, expect, test } from 'vitest';
import { type AnyMachineSnapshot, fromCallback, initialTransition, transition } from 'xstate';
import { getAdjacencyMap } from 'xstate/graph';
import { nodeAt, placeOf } from '../../machines/child-id.ts';
import type { Call } from '../../machines/contracts.ts';
import { toolCallMachine } from '../../machines/tool-call.ts';
import { turnMachine } from '../../machines/turn.ts';
import { type NodeId, noUsage, type Outcome, type SpeakerId } from '../../machines/vocabulary.ts';
import { callOf, cancelOf, nobody, replyOf, stateOf, turnOf, workerDone } from '../support/statechart.ts';

const idle = fromCallback(() => {});
const call = toolCallMachine.provide({ actors: { acquire: idle, start: idle, work: idle } as never });
const turn = turnMachine.provide({
  actors: { prepare: idle, compact: idle, model: idle, append: idle, tool: idle, sub: idle } as never,
});

const workers: Record<string, string> = { queued: 'acquire', starting: 'start', running: 'work' };
const completed: Outcome = { kind: 'completed', effect: 'done' };

type Event = { readonly type: string; readonly [field: string]: unknown };

/** What the world may say to a call where it stands. */
function toCall(snapshot: AnyMachineSnapshot): Event[] {
  const [phase = '', at] = stateOf(snapshot).split('.');
  const worker = workers[phase];
  if (!worker) return [];
  const ends = phase === 'running' ? [completed] : [{ kind: 'go' }, { kind: 'failed', effect: 'not_started' }];
  const said = ends.map((output) => workerDone(worker, output));
  return at === 'interrupted' ? [...said, { type: 'OVERDUE' }] : said;
}

/** What the world may say to a turn where it stands; the model asks for `calls` once. */
function toTurn(snapshot: AnyMachineSnapshot, calls: readonly Call[]): Event[] {
  const at = stateOf(snapshot);
  const { round } = snapshot.context;
  if (at === 'queued') return [{ type: 'ADMIT' }];
  if (at.startsWith('preparing')) {
    const built = [workerDone('prepare', { kind: 'go' })];
    return snapshot.context.mayCompact ? [...built, workerDone('prepare', { kind: 'go', compact: true })] : built;
  }
  if (at.startsWith('compacting')) return [workerDone('compact', { usage: noUsage })];
  if (at.startsWith('generating')) {
    const answers = [
      workerDone('model', replyOf([])),
      workerDone('model', { ...replyOf([]), kind: 'failed', code: 'model_cut_off' }),
    ];
    return round === 0 ? [...answers, workerDone('model', replyOf(calls))] : answers;
  }
  if (at.startsWith('dispatching') || at === 'settling.appending') return [workerDone('append')];
  return [];
}

describe('a tool call alone', () => {
  test.each([
    { needs: [] as const, least: 3 },
    { needs: ['queued'] as const, least: 9 },
  ])('needing $needs is cancelled from every state in which it works [cancel.phases]', ({ needs, least }) => {
    const map = getAdjacencyMap(call, {
      input: { call: callOf('c', { needs }), parentId: 'T', parent: nobody, depth: 0 },
      events: (snapshot) => [...toCall(snapshot), cancelOf(['c']), cancelOf([])] as never[],
      serializeState: (snapshot) => `${stateOf(snapshot)}|${snapshot.context.verdict}`,
    });
    const states = Object.values(map);
    expect(states.length).toBeGreaterThanOrEqual(least);
    for (const { state } of states.filter(({ state }) => stateOf(state).endsWith('.active'))) {
      const [obeyed] = transition(call, state as never, cancelOf(['c']) as never);
      expect(stateOf(obeyed)).toBe(stateOf(state).replace('active', 'interrupted'));
      const [refused] = transition(call, state as never, cancelOf([]) as never);
      expect(stateOf(refused), "a stranger's plan changes nothing").toBe(stateOf(state));
    }
  });
});

interface Tree {
  readonly turn: AnyMachineSnapshot;
  readonly calls: ReadonlyMap<NodeId, AnyMachineSnapshot>;
  /** What the session has marked. */
  readonly cut: ReadonlySet<NodeId>;
  readonly told: ReadonlyMap<NodeId, number>;
}

/** Explores the product of a turn and its calls, each CANCEL with the plan that the session would make; lists what is wrong. */
function explore(calls: readonly Call[], speakers: readonly SpeakerId[]) {
  const wrong = new Set<string>();
  const seen = new Set<string>();
  const todo: Tree[] = [];
  let edges = 0;
  const keyOf = (tree: Tree) => {
    const { verdict, failure, round, awaited, results, mayCompact } = tree.turn.context;
    const parts = [...tree.calls].map(([id, it]) => `${id}:${stateOf(it)}:${it.context.verdict}`);
    return [
      stateOf(tree.turn),
      mayCompact,
      verdict,
      failure?.code,
      round,
      awaited,
      results,
      parts,
      [...tree.cut].sort(),
    ].join('|');
  };
  const push = (tree: Tree) => {
    const key = keyOf(tree);
    if (seen.has(key)) return;
    seen.add(key);
    todo.push(tree);
  };

  /** One event, and all that follows from it inside the tree. */
  const step = (from: Tree, target: NodeId, event: Event, cut: ReadonlySet<NodeId>): Tree => {
    let root = from.turn;
    const children = new Map(from.calls);
    const told = new Map(from.told);
    const queue: [NodeId, Event][] = [[target, event]];
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [id, said] = next;
      const before = id === 'T' ? root : children.get(id);
      if (before?.status !== 'active') continue;
      const machine = id === 'T' ? turn : call;
      const [after, actions] = transition(machine as typeof turn, before as never, said as never);
      if (id === 'T') {
        root = after;
        for (const child of after.context.children as NodeId[]) {
          if (children.has(child)) continue;
          const made = calls.find((it) => it.id === child) as Call;
          children.set(child, initialTransition(call, { call: made, parent: nobody, parentId: 'T', depth: 0 })[0]);
          if (cut.has('T')) wrong.add(`opened behind the cut: ${child}`);
        }
      } else {
        children.set(id, after);
        if (cut.has(id) && stateOf(before) !== stateOf(after) && stateOf(after).endsWith('.active'))
          wrong.add(`began behind the cut: ${id} ${stateOf(after)}`);
        if (after.status === 'done') queue.push(['T', workerDone(placeOf(root.context.dispatched, id))]);
      }
      for (const action of actions) {
        if (action.type !== 'xstate.sendTo') continue;
        const {
          targetId,
          target: to,
          event: sent,
        } = action.params as { targetId?: string; target?: { id: string }; event: Event };
        if (sent.type === 'CANCEL') queue.push([nodeAt(root.context.dispatched, targetId ?? to?.id ?? '') ?? '', sent]);
        if (sent.type === 'OUTCOME' && id !== 'T') {
          queue.push(['T', sent]);
          if ((sent['outcome'] as { kind: string }).kind !== 'ended_late') told.set(id, (told.get(id) ?? 0) + 1);
          if ((told.get(id) ?? 0) > 1) wrong.add(`told twice: ${id}`);
        }
      }
    }
    return { turn: root, calls: children, cut, told };
  };

  const check = ({ turn: at, cut, calls: children }: Tree) => {
    for (const [id, it] of children)
      if (cut.has(id) && stateOf(it).endsWith('.active')) wrong.add(`cut, yet it was not told: ${id}`);
    if (stateOf(at) === 'acting.interrupted') {
      const waitsFor: readonly NodeId[] = at.context.awaited;
      const stopped = [...cut].filter((id) => at.context.dispatched.includes(id) && !at.context.results.includes(id));
      if ([...waitsFor].sort().join() !== stopped.sort().join()) wrong.add(`waits for ${waitsFor}, not for ${stopped}`);
    }
    if (!['settling.appending', 'settled', 'gone'].includes(stateOf(at))) return;
    const { dispatched, results, closing, verdict } = at.context;
    const covered = [...results, ...closing.flatMap((fact: { type: string; node?: string }) => fact.node ?? [])];
    for (const id of dispatched)
      if (covered.filter((node) => node === id).length !== 1) wrong.add(`not exactly one result: ${id}`);
    if (cut.has('T') !== (verdict !== null)) wrong.add(`cut: ${cut.has('T')}, yet ${verdict}`);
    if (closing.filter(({ type }: { type: string }) => type === 'turn_ended').length !== 1)
      wrong.add('not exactly one end');
  };

  push({ turn: initialTransition(turn, turnOf())[0], calls: new Map(), cut: new Set(), told: new Map() });
  for (let tree = todo.pop(); tree; tree = todo.pop()) {
    check(tree);
    const living = [...tree.calls].filter(([, it]) => it.status === 'active');
    const world: [NodeId, Event][] = [
      ...toTurn(tree.turn, calls).map((said): [NodeId, Event] => ['T', said]),
      ...living.flatMap(([id, it]) => toCall(it).map((said): [NodeId, Event] => [id, said])),
    ];
    const open = !tree.turn.hasTag('settled') && tree.turn.status === 'active';
    const fixed = tree.turn.hasTag('fixed');
    const stoppable = living.filter(([, it]) => !it.hasTag('settled')).map(([id]) => id);
    // from every unsettled state the world can move on: nothing waits for a CANCEL to be over
    if (world.length === 0 && open && tree.turn.context.awaited.length === 0) wrong.add(`stuck: ${keyOf(tree)}`);
    for (const [id, said] of world) {
      edges++;
      push(step(tree, id, said, tree.cut));
    }
    for (const speaker of speakers) {
      const owns = (id: NodeId) => (id === 'T' ? 'A' : calls.find((it) => it.id === id)?.owner) === speaker;
      const below = [...(open && !fixed ? ['T'] : []), ...stoppable];
      const fresh = below.filter((id) => owns(id) && !tree.cut.has(id));
      const stop = below.filter((id) => owns(id) || tree.cut.has(id));
      if (fresh.length === 0) {
        const before = keyOf(tree);
        if (stop.length === 0 && keyOf(step(tree, 'T', { ...cancelOf([]) }, tree.cut)) !== before)
          wrong.add(`a stranger's CANCEL changes ${before}`);
        continue;
      }
      edges++;
      push(step(tree, 'T', { ...cancelOf(stop) }, new Set([...tree.cut, ...fresh])));
    }
  }
  return { states: seen.size, edges, wrong: [...wrong] };
}

describe('a turn with its calls, CANCEL by A and by B in every state', () => {
  test.each([
    { name: 'one call', calls: [callOf('c0')] },
    { name: 'two calls of two owners', calls: [callOf('c0'), callOf('c1', { owner: 'B' })] },
    { name: 'two calls, one keyed', calls: [callOf('c0', { needs: ['queued'] }), callOf('c1', { owner: 'B' })] },
    { name: 'three calls', calls: [callOf('c0'), callOf('c1', { owner: 'B' }), callOf('c2')] },
  ])('$name: the outcome covers every dispatched call once, a stranger changes nothing [cancel.reach]', ({ calls }) => {
    const { states, edges, wrong } = explore(calls, ['A', 'B', 'C']);
    expect(wrong).toEqual([]);
    expect(edges).toBeGreaterThan(states);
  });
});
