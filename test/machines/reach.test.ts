// Every reachable state of a turn with its calls, without starting anything: what the actors would do is done by hand.
import { describe, expect, test } from 'vitest';
import { type AnyMachineSnapshot, fromCallback, initialTransition, transition } from 'xstate';
import { getAdjacencyMap } from 'xstate/graph';
import type { Call } from '../../machines/contracts.ts';
import { toolCallMachine } from '../../machines/tool-call.ts';
import { childIdOf, nodeOfChild, turnMachine } from '../../machines/turn.ts';
import { type NodeId, noUsage, type Outcome, type SpeakerId } from '../../machines/vocabulary.ts';
import { callOf, cancelOf, parentStub, replyOf, stateOf, turnOf, workerDone } from '../support/statechart.ts';

const idle = fromCallback(() => {});
const call = toolCallMachine.provide({
  actors: { screen: idle, ask: idle, acquire: idle, start: idle, work: idle } as never,
});
const turn = turnMachine.provide({
  actors: { prepare: idle, compact: idle, model: idle, append: idle, tool: idle, sub: idle } as never,
});

const workers: Record<string, string> = {
  screening: 'screen',
  approving: 'ask',
  queued: 'acquire',
  starting: 'start',
  running: 'work',
};
const completed: Outcome = { kind: 'completed', effect: 'done' };

type Event = { readonly type: string; readonly [field: string]: unknown };

/** Returns the events that a call may get in its state. */
function toCall(snapshot: AnyMachineSnapshot): Event[] {
  const [phase = '', at] = stateOf(snapshot).split('.');
  const worker = workers[phase];
  if (!worker) return [];
  const ends = phase === 'running' ? [completed] : [{ kind: 'go' }, { kind: 'failed', effect: 'not_started' }];
  const said = ends.map((output) => workerDone(worker, output));
  return at === 'interrupted' ? [...said, { type: 'OVERDUE' }] : said;
}

/** Returns the events that a turn may get in its state; the model asks for `calls` once. */
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
    { needs: ['screening'] as const, least: 9 },
    { needs: ['approving'] as const, least: 9 },
    { needs: ['screening', 'approving', 'queued'] as const, least: 15 },
  ])('needing $needs is cancelled from every state in which it works [cancel.phases]', ({ needs, least }) => {
    const map = getAdjacencyMap(call, {
      input: { call: callOf('c', { needs }), parentId: 'T', parent: parentStub, depth: 0 },
      events: (snapshot) => [...toCall(snapshot), cancelOf(['c']), cancelOf([])] as never[],
      serializeState: (snapshot) => `${stateOf(snapshot)}|${snapshot.context.stopOutcome}`,
    });
    const states = Object.values(map);
    expect(states.length).toBeGreaterThanOrEqual(least);
    for (const { state } of states.filter(({ state }) => stateOf(state).endsWith('.active'))) {
      const [obeyed] = transition(call, state as never, cancelOf(['c']) as never);
      expect(stateOf(obeyed)).toBe(stateOf(state).replace('active', 'interrupted'));
      const [refused] = transition(call, state as never, cancelOf([]) as never);
      expect(stateOf(refused), 'a plan without it changes nothing').toBe(stateOf(state));
    }
  });
});

interface Tree {
  readonly turn: AnyMachineSnapshot;
  readonly calls: ReadonlyMap<NodeId, AnyMachineSnapshot>;
  /** What the session has marked. */
  readonly cut: ReadonlySet<NodeId>;
  /** How many outcomes each call has reported. */
  readonly outcomes: ReadonlyMap<NodeId, number>;
}

/** Explores the product of a turn and its calls, each CANCEL with the plan that the session would make. */
class Exploration {
  readonly wrong = new Set<string>();
  edges = 0;
  readonly #calls: readonly Call[];
  readonly #seen = new Set<string>();
  readonly #todo: Tree[] = [];

  constructor(calls: readonly Call[]) {
    this.#calls = calls;
  }

  get states(): number {
    return this.#seen.size;
  }

  /** Visits every state that events of the world and cancels of these speakers lead to. */
  run(speakers: readonly SpeakerId[]): void {
    this.#push({ turn: initialTransition(turn, turnOf())[0], calls: new Map(), cut: new Set(), outcomes: new Map() });
    for (let tree = this.#todo.pop(); tree; tree = this.#todo.pop()) {
      this.#check(tree);
      this.#moveOn(tree);
      for (const speaker of speakers) this.#cancel(tree, speaker);
    }
  }

  #keyOf(tree: Tree): string {
    const { stopOutcome, failure, round, awaited, results, mayCompact } = tree.turn.context;
    const parts = [...tree.calls].map(([id, it]) => `${id}:${stateOf(it)}:${it.context.stopOutcome}`);
    const fields = [stateOf(tree.turn), mayCompact, stopOutcome, failure?.code, round, awaited, results, parts];
    return [...fields, [...tree.cut].sort()].join('|');
  }

  #push(tree: Tree): void {
    const key = this.#keyOf(tree);
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#todo.push(tree);
  }

  /** Takes one event, and all that follows from it inside the tree. */
  #step(from: Tree, target: NodeId, event: Event, cut: ReadonlySet<NodeId>): Tree {
    let root = from.turn;
    const children = new Map(from.calls);
    const outcomes = new Map(from.outcomes);
    const queue: [NodeId, Event][] = [[target, event]];
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [id, received] = next;
      const before = id === 'T' ? root : children.get(id);
      if (before?.status !== 'active') continue;
      const machine = id === 'T' ? turn : call;
      const [after, actions] = transition(machine as typeof turn, before as never, received as never);
      if (id === 'T') {
        root = after;
        this.#open(root, children, cut);
      } else {
        children.set(id, after);
        if (cut.has(id) && stateOf(before) !== stateOf(after) && stateOf(after).endsWith('.active'))
          this.wrong.add(`started after the cut: ${id} ${stateOf(after)}`);
        if (after.status === 'done') queue.push(['T', workerDone(childIdOf(root.context.dispatched, id))]);
      }
      queue.push(...this.#sentBy(id, actions, root, outcomes));
    }
    return { turn: root, calls: children, cut, outcomes };
  }

  #open(root: AnyMachineSnapshot, children: Map<NodeId, AnyMachineSnapshot>, cut: ReadonlySet<NodeId>): void {
    for (const child of root.context.children as NodeId[]) {
      if (children.has(child)) continue;
      const made = this.#calls.find((it) => it.id === child) as Call;
      children.set(child, initialTransition(call, { call: made, parent: parentStub, parentId: 'T', depth: 0 })[0]);
      if (cut.has('T')) this.wrong.add(`opened after the cut: ${child}`);
    }
  }

  /** Returns the events that the actions send within the tree, and counts the outcomes among them. */
  #sentBy(
    id: NodeId,
    actions: readonly { readonly type: string; readonly params?: unknown }[],
    root: AnyMachineSnapshot,
    outcomes: Map<NodeId, number>,
  ): [NodeId, Event][] {
    return actions.flatMap((action): [NodeId, Event][] => {
      if (action.type !== 'xstate.sendTo') return [];
      const params = action.params as { targetId?: string; target?: { id: string }; event: Event };
      const { targetId, target: to, event: sent } = params;
      if (sent.type === 'CANCEL') return [[nodeOfChild(root.context.dispatched, targetId ?? to?.id ?? '') ?? '', sent]];
      if (sent.type !== 'OUTCOME' || id === 'T') return [];
      if ((sent['outcome'] as { kind: string }).kind !== 'ended_late') outcomes.set(id, (outcomes.get(id) ?? 0) + 1);
      if ((outcomes.get(id) ?? 0) > 1) this.wrong.add(`two outcomes: ${id}`);
      return [['T', sent]];
    });
  }

  #check({ turn: at, cut, calls: children }: Tree): void {
    const { wrong } = this;
    for (const [id, it] of children)
      if (cut.has(id) && stateOf(it).endsWith('.active')) wrong.add(`cut, but it got no CANCEL: ${id}`);
    if (stateOf(at) === 'acting.interrupted') {
      const waitsFor: readonly NodeId[] = at.context.awaited;
      const stopped = [...cut].filter((id) => at.context.dispatched.includes(id) && !at.context.results.includes(id));
      if ([...waitsFor].sort().join() !== stopped.sort().join()) wrong.add(`waits for ${waitsFor}, not for ${stopped}`);
    }
    if (!['settling.appending', 'settled', 'gone'].includes(stateOf(at))) return;
    const { dispatched, results, closing, stopOutcome } = at.context;
    const covered = [...results, ...closing.flatMap((fact: { type: string; node?: string }) => fact.node ?? [])];
    for (const id of dispatched)
      if (covered.filter((node) => node === id).length !== 1) wrong.add(`not exactly one result: ${id}`);
    if (cut.has('T') !== (stopOutcome !== null)) wrong.add(`cut: ${cut.has('T')}, but ${stopOutcome}`);
    if (closing.filter(({ type }: { type: string }) => type === 'turn_ended').length !== 1)
      wrong.add('not exactly one end');
  }

  /** From every unsettled state the world can move on: nothing waits for a CANCEL to be over. */
  #moveOn(tree: Tree): void {
    const world: [NodeId, Event][] = [
      ...toTurn(tree.turn, this.#calls).map((event): [NodeId, Event] => ['T', event]),
      ...livingOf(tree).flatMap(([id, it]) => toCall(it).map((event): [NodeId, Event] => [id, event])),
    ];
    if (world.length === 0 && isOpen(tree) && tree.turn.context.awaited.length === 0)
      this.wrong.add(`stuck: ${this.#keyOf(tree)}`);
    for (const [id, event] of world) {
      this.edges++;
      this.#push(this.#step(tree, id, event, tree.cut));
    }
  }

  #cancel(tree: Tree, speaker: SpeakerId): void {
    const owns = (id: NodeId) => (id === 'T' ? 'A' : this.#calls.find((it) => it.id === id)?.owner) === speaker;
    const stoppable = livingOf(tree).flatMap(([id, it]) => (it.hasTag('settled') ? [] : [id]));
    const below = [...(isOpen(tree) && !tree.turn.hasTag('fixed') ? ['T'] : []), ...stoppable];
    const fresh = below.filter((id) => owns(id) && !tree.cut.has(id));
    const stop = below.filter((id) => owns(id) || tree.cut.has(id));
    if (fresh.length === 0) {
      const before = this.#keyOf(tree);
      if (stop.length === 0 && this.#keyOf(this.#step(tree, 'T', { ...cancelOf([]) }, tree.cut)) !== before)
        this.wrong.add(`a CANCEL without standing changes ${before}`);
      return;
    }
    this.edges++;
    this.#push(this.#step(tree, 'T', { ...cancelOf(stop) }, new Set([...tree.cut, ...fresh])));
  }
}

const livingOf = (tree: Tree) => [...tree.calls].filter(([, it]) => it.status === 'active');
const isOpen = (tree: Tree): boolean => !tree.turn.hasTag('settled') && tree.turn.status === 'active';

describe('a turn with its calls, CANCEL by A and by B in every state', () => {
  test.each([
    { name: 'one call', calls: [callOf('c0')] },
    { name: 'two calls of two owners', calls: [callOf('c0'), callOf('c1', { owner: 'B' })] },
    { name: 'two calls, one keyed', calls: [callOf('c0', { needs: ['queued'] }), callOf('c1', { owner: 'B' })] },
    {
      name: 'two calls, one screened and approved',
      calls: [callOf('c0', { needs: ['screening', 'approving'] }), callOf('c1', { owner: 'B' })],
    },
    { name: 'three calls', calls: [callOf('c0'), callOf('c1', { owner: 'B' }), callOf('c2')] },
  ])(
    '$name: the outcome covers every dispatched call once, a CANCEL without standing changes nothing [cancel.reach]',
    ({ calls }) => {
      const exploration = new Exploration(calls);
      exploration.run(['A', 'B', 'C']);
      expect([...exploration.wrong]).toEqual([]);
      expect(exploration.edges).toBeGreaterThan(exploration.states);
    },
  );
});
