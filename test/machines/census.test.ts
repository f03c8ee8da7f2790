// Walks every machine: no phase may be without an answer to CANCEL.
import { describe, expect, test } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { connectionMachine } from '../../machines/connection.ts';
import { sessionMachine } from '../../machines/session.ts';
import { subAgentMachine } from '../../machines/sub-agent.ts';
import { toolCallMachine } from '../../machines/tool-call.ts';
import { turnMachine } from '../../machines/turn.ts';

type Node = AnyStateMachine['root'];

const machines: Record<string, AnyStateMachine> = {
  connection: connectionMachine,
  session: sessionMachine,
  turn: turnMachine,
  'tool-call': toolCallMachine,
  'sub-agent': subAgentMachine,
};

const leaves = (node: Node): Node[] => {
  const states = Object.values(node.states) as Node[];
  return states.length === 0 ? [node] : states.flatMap(leaves);
};
/** The state and what it lies in, without the machine's root: a handler for everything would answer for nobody. */
const line = (leaf: Node): Node[] => {
  const above: Node[] = [];
  for (let at: Node | undefined = leaf; at?.parent; at = at.parent) above.push(at);
  return above;
};
const transitionsOf = (node: Node, event: string) => node.transitions.get(event) ?? [];

/** How a state answers a CANCEL; null: it does not. */
function answerOf(leaf: Node): string | null {
  if (leaf.type === 'final') return 'nothing lives';
  if (leaf.always?.some(({ guard }) => !guard)) return 'passed through';
  if (leaf.key === 'interrupted') return 'obeys already';
  for (const node of line(leaf)) {
    const reason: unknown = node.meta?.CANCEL;
    if (typeof reason === 'string' && reason !== '') return reason;
    const obeys = transitionsOf(node, 'CANCEL').some(
      ({ guard, target, actions }) => guard && (target || actions.length > 0),
    );
    if (obeys) return 'judged';
  }
  return null;
}

describe.each(Object.entries(machines))('%s', (_, machine) => {
  test('every phase answers a CANCEL, or says why not [cancel.phases]', () => {
    const silent = leaves(machine.root).filter((leaf) => answerOf(leaf) === null);
    expect(silent.map(({ id }) => id)).toEqual([]);
  });
});

describe.each(['turn', 'tool-call', 'sub-agent'])('%s', (name) => {
  const machine = machines[name] as AnyStateMachine;

  test('every phase with a worker has a way to be interrupted, and waits there for it [cancel.phases]', () => {
    const phases = (Object.values(machine.root.states) as Node[]).filter(({ states }) => 'active' in states);
    expect(phases.length).toBeGreaterThan(0);
    for (const phase of phases) {
      expect(Object.keys(phase.states), phase.id).toContain('interrupted');
      const [obey] = transitionsOf(phase.states['active'] as Node, 'CANCEL');
      expect(obey?.guard, phase.id).toBe('hasStanding');
      expect(
        obey?.target?.map(({ id }) => id),
        phase.id,
      ).toEqual([`${phase.id}.interrupted`]);
      const interrupted = phase.states['interrupted'] as Node;
      expect(interrupted.invoke, `${phase.id} keeps its worker on the phase`).toEqual([]);
    }
  });

  test('a child that throws is heard, so that XState stops nobody else', () => {
    if (name === 'tool-call') return; // it has no children, and its workers never reject
    expect(transitionsOf(machine.root, 'xstate.error.actor.*').length).toBe(1);
  });
});
