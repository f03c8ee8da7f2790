// Walks every machine: each phase handles each command that may stop or change what runs, or gives a reason.
import { describe, expect, test } from 'vitest';
import { type AnyStateMachine, createMachine, fromCallback, fromPromise, initialTransition, transition } from 'xstate';
import { connectionMachine } from '../../machines/connection.ts';
import { responseMachine } from '../../machines/response.ts';
import { sessionMachine } from '../../machines/session.ts';
import { speechMachine } from '../../machines/speech.ts';
import { subAgentMachine } from '../../machines/sub-agent.ts';
import { toolCallMachine } from '../../machines/tool-call.ts';
import { turnMachine } from '../../machines/turn.ts';
import { causeSources, noUsage } from '../../machines/vocabulary.ts';
import { callOf, cancelOf, parentStub, replyOf, stateOf, turnOf, workerDone } from '../support/statechart.ts';

type Node = AnyStateMachine['root'];

const machines: Record<string, AnyStateMachine> = {
  connection: connectionMachine,
  session: sessionMachine,
  turn: turnMachine,
  'tool-call': toolCallMachine,
  'sub-agent': subAgentMachine,
  speech: speechMachine,
  response: responseMachine,
};

const leavesOf = (node: Node): Node[] => {
  const states = Object.values(node.states) as Node[];
  return states.length === 0 ? [node] : states.flatMap(leavesOf);
};
/** Returns a state and the states around it, without the machine's root: a handler there counts for no phase. */
const pathOf = (leaf: Node): Node[] => {
  const path: Node[] = [];
  for (let at: Node | undefined = leaf; at?.parent; at = at.parent) path.push(at);
  return path;
};
const transitionsOf = (node: Node, event: string) => node.transitions.get(event) ?? [];

/** Returns the reason that a state gives for not handling an event; null: none. A reason at the root counts if it is `not applicable`. */
function reasonOf(leaf: Node, event: string, root: Node): string | null {
  for (const node of [...pathOf(leaf), root]) {
    const reason: unknown = node.meta?.[event];
    if (typeof reason !== 'string' || reason === '') continue;
    if (node !== root || reason.startsWith('not applicable: ')) return reason;
  }
  return null;
}

/** Whether a transition handles the command. One for a CANCEL has a guard, which judges it, and does something. */
const isHandler = ({ guard, target, actions }: ReturnType<typeof transitionsOf>[number], event: string): boolean =>
  event !== 'CANCEL' || (guard !== undefined && (target !== undefined || actions.length > 0));

/** Whether a phase handles a command, or needs not: it is final, left at once, or gives a reason. */
function hasAnswer(leaf: Node, event: string, root: Node): boolean {
  if (leaf.type === 'final') return true;
  if (leaf.always?.some(({ guard }) => !guard)) return true;
  const handles = pathOf(leaf).some((node) => transitionsOf(node, event).some((row) => isHandler(row, event)));
  return handles || reasonOf(leaf, event, root) !== null;
}

/** Returns the phases of a machine that neither handle a command nor give a reason. */
const silentIn = ({ root }: AnyStateMachine, event: string): readonly string[] =>
  leavesOf(root)
    .filter((leaf) => !hasAnswer(leaf, event, root))
    .map(({ id }) => id);

/** Returns the states that no transition leads to, and that are not the initial one of the state around them. */
function unreachedIn({ root }: AnyStateMachine): readonly string[] {
  const all: Node[] = [];
  const visit = (node: Node): void => {
    all.push(node);
    for (const child of Object.values(node.states) as Node[]) visit(child);
  };
  visit(root);
  const targets = all.flatMap((node) => [
    ...[...node.transitions.values()].flat().flatMap(({ target }) => target ?? []),
    ...(node.always ?? []).flatMap(({ target }) => target ?? []),
    ...(node.initial?.target ?? []),
    ...(node.type === 'parallel' ? Object.values(node.states) : []),
  ]) as Node[];
  const entered = new Set(targets.flatMap(pathOf));
  return all.filter((node) => node.parent && !entered.has(node)).map(({ id }) => id);
}

describe.each(Object.entries(machines))('%s', (_, machine) => {
  test('every state can be reached', () => {
    expect(unreachedIn(machine)).toEqual([]);
  });

  test('every phase handles a CANCEL, or says why not [cancel.phases]', () => {
    expect(silentIn(machine, 'CANCEL')).toEqual([]);
  });

  test('every phase handles a STEER, or says why not [cancel.phases.steer]', () => {
    expect(silentIn(machine, 'STEER')).toEqual([]);
  });

  test('every phase handles a BARGE_IN, or says why not [cancel.phases.barge_in]', () => {
    expect(silentIn(machine, 'BARGE_IN')).toEqual([]);
  });
});

test('a phase that is silent is found, also if the root handles the command', () => {
  const silent = createMachine({
    initial: 'a',
    on: { STEER: { actions: [] } },
    states: { a: {}, b: { meta: { STEER: 'not applicable: nobody speaks' } }, c: { on: { STEER: 'a' } } },
  });
  expect(silentIn(silent, 'STEER')).toEqual(['(machine).a']);
});

describe.each(['turn', 'tool-call', 'sub-agent'])('%s', (name) => {
  const machine = machines[name] as AnyStateMachine;

  test('every phase with a worker has a way to be interrupted, and waits there for it [cancel.phases]', () => {
    const phases = (Object.values(machine.root.states) as Node[]).filter(({ states }) => 'active' in states);
    expect(phases.length).toBeGreaterThan(0);
    for (const phase of phases) {
      expect(Object.keys(phase.states), phase.id).toContain('interrupted');
      const [obey] = transitionsOf(phase.states['active'] as Node, 'CANCEL');
      expect(obey?.guard, phase.id).toBe('planStopsNode');
      expect(
        obey?.target?.map(({ id }) => id),
        phase.id,
      ).toEqual([`${phase.id}.interrupted`]);
      const interrupted = phase.states['interrupted'] as Node;
      expect(interrupted.invoke, `${phase.id} keeps its worker on the phase`).toEqual([]);
    }
  });
});

// a tool call has no children, and its workers never reject
test.each(['turn', 'sub-agent'])('%s: the error of a child is handled, so that XState stops no other actor', (name) => {
  expect(transitionsOf((machines[name] as AnyStateMachine).root, 'xstate.error.actor.*').length).toBe(1);
});

describe.each(causeSources)('a CANCEL with the cause %s', (source) => {
  const [idle, work] = [fromCallback(() => {}), fromPromise(() => new Promise(() => {}))];
  const outcomes = { deadline: 'timed_out', superseded: 'superseded' } as const;
  const outcome = source in outcomes ? outcomes[source as keyof typeof outcomes] : 'cancelled';
  const call = toolCallMachine.provide({
    actors: { screen: work, ask: work, acquire: work, start: work, work } as never,
  });
  const agent = subAgentMachine.provide({ actors: { screen: work, turn: idle } as never });

  test.each([
    { phase: 'screening', needs: ['screening'] as const, effect: 'not_started' },
    { phase: 'approving', needs: ['approving'] as const, effect: 'not_started' },
    { phase: 'queued', needs: ['queued'] as const, effect: 'not_started' },
    { phase: 'running', needs: [] as const, effect: 'unknown' },
  ])(
    'interrupts a call while it is $phase, and gives it its outcome [cancel.phases] [cancel.phases.causes] [cancel.sources]',
    ({ phase, needs }) => {
      const input = { call: callOf('c', { needs }), parentId: 'T', parent: parentStub, depth: 0 };
      const [before] = initialTransition(call, input);
      expect(before.value).toEqual({ [phase]: 'active' });
      const [after] = transition(call, before, cancelOf(['c'], source));
      expect([after.value, after.context.stopOutcome]).toEqual([{ [phase]: 'interrupted' }, outcome]);
    },
  );

  test.each([
    { phase: 'screening', needs: ['screening'] as const },
    { phase: 'delegating', needs: [] as const },
  ])(
    'interrupts a sub-agent while it is $phase [cancel.phases] [cancel.phases.causes] [cancel.sources]',
    ({ phase, needs }) => {
      const task = { name: 'helper', task: 'x', turn: 'U', detached: false };
      const input = {
        call: callOf('c', { kind: 'sub-agent', needs, agent: task }),
        parentId: 'T',
        parent: parentStub,
        depth: 0,
      };
      const [before] = initialTransition(agent, input);
      expect(before.value).toEqual({ [phase]: 'active' });
      const [after] = transition(agent, before, cancelOf(['c', 'U'], source));
      expect([after.value, after.context.stopOutcome]).toEqual([{ [phase]: 'interrupted' }, outcome]);
    },
  );

  test('interrupts a turn in each phase, and settles one that is queued [cancel.phases] [cancel.phases.causes] [cancel.sources]', () => {
    const turn = turnMachine.provide({
      actors: { prepare: idle, compact: idle, model: idle, append: idle, tool: idle, sub: idle } as never,
    });
    const steps = [
      { type: 'ADMIT' },
      workerDone('prepare', { kind: 'go', compact: true }),
      workerDone('compact', { usage: noUsage }),
      workerDone('prepare', { kind: 'go' }),
      workerDone('model', replyOf([callOf('c')])),
      workerDone('append'),
    ];
    let [at] = initialTransition(turn, turnOf());
    const reached: string[] = [];
    for (const step of [null, ...steps]) {
      if (step) [at] = transition(turn, at, step as never);
      const phase = stateOf(at);
      reached.push(phase);
      const [after] = transition(turn, at, cancelOf(['T', 'c'], source));
      expect(stateOf(after)).toBe(phase === 'queued' ? 'settling.appending' : phase.replace('active', 'interrupted'));
      expect(after.context.stopOutcome, phase).toBe(outcome);
    }
    expect(reached).toEqual([
      'queued',
      'preparing.active',
      'compacting.active',
      'preparing.active',
      'generating.active',
      'dispatching.active',
      'acting.active',
    ]);
  });
});
