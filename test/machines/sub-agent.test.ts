// Every reachable state of a sub-agent, without starting anything.
import { expect, test } from 'vitest';
import { type AnyMachineSnapshot, fromCallback, transition } from 'xstate';
import { getAdjacencyMap } from 'xstate/graph';
import { subAgentMachine } from '../../machines/sub-agent.ts';
import type { Outcome } from '../../machines/vocabulary.ts';
import { callOf, cancelOf, parentStub, stateOf, workerDone } from '../support/statechart.ts';

const idle = fromCallback(() => {});
const agent = subAgentMachine.provide({ actors: { screen: idle, turn: idle } as never });
const completed: Outcome = { kind: 'completed', effect: 'done' };

type Event = { readonly type: string; readonly [field: string]: unknown };

const task = { name: 'helper', task: 'x', turn: 'U', detached: false };

/** Returns the events that a sub-agent may get in its state: of its screening, and of the turn that it has started. */
function toAgent(snapshot: AnyMachineSnapshot): Event[] {
  const at = stateOf(snapshot);
  if (at.startsWith('screening')) {
    const ends = [{ kind: 'go' }, { kind: 'denied', effect: 'not_started' }].map((end) => workerDone('screen', end));
    return at === 'screening.interrupted' ? [...ends, { type: 'OVERDUE' }] : ends;
  }
  if (snapshot.context.children.length === 0) return [];
  const gone = at === 'settled' ? [workerDone('turn')] : [];
  return [{ type: 'OUTCOME', node: 'U', outcome: completed }, ...gone];
}

test.each([{ needs: [] as const }, { needs: ['screening'] as const }])(
  'needing $needs is cancelled from every state in which it works, and reports one outcome [cancel.phases] [agent.tree]',
  ({ needs }) => {
    const input = {
      call: callOf('c', { kind: 'sub-agent', needs, agent: task }),
      parentId: 'T',
      parent: parentStub,
      depth: 0,
    };
    const map = getAdjacencyMap(agent, {
      input,
      events: (snapshot) => [...toAgent(snapshot), cancelOf(['c', 'U']), cancelOf(['c']), cancelOf(['U'])] as never[],
      serializeState: (snapshot) =>
        [stateOf(snapshot), snapshot.context.stopOutcome, snapshot.context.awaited, snapshot.context.children].join(
          '|',
        ),
    });
    const states = Object.values(map).map(({ state }) => state as AnyMachineSnapshot);
    const phases = new Set(states.map(stateOf));
    for (const phase of ['delegating.active', 'delegating.interrupted', 'settled', 'gone'])
      expect([...phases]).toContain(phase);
    for (const state of states.filter((it) => stateOf(it).endsWith('.active'))) {
      const [obeyed] = transition(agent, state as never, cancelOf(['c', 'U']) as never);
      expect(stateOf(obeyed)).toBe(stateOf(state).replace('active', 'interrupted'));
      const [alone] = transition(agent, state as never, cancelOf(['c']) as never);
      if (stateOf(state) === 'delegating.active') expect(stateOf(alone), 'its turn is refused').toBe('settled');
      const [refused, actions] = transition(agent, state as never, cancelOf(['U']) as never);
      expect(stateOf(refused)).toBe(stateOf(state));
      const relayed = actions.some(({ type }) => type === 'xstate.sendTo');
      expect(relayed, 'the CANCEL of its turn goes on').toBe(stateOf(state) === 'delegating.active');
    }
    for (const { state, transitions } of Object.values(map))
      if (!(state as AnyMachineSnapshot).hasTag('settled') && stateOf(state as never) !== 'gone')
        expect(Object.keys(transitions), `${stateOf(state as never)} can move on`).not.toEqual([]);
  },
);
