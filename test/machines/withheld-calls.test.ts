// A turn whose calls are stopped before they start: the response goes on, and these calls never start. The pure transitions of the machine, without actors.
import { expect, test } from 'vitest';
import { type AnyMachineSnapshot, fromCallback, initialTransition, transition } from 'xstate';
import type { Fact } from '../../machines/facts.ts';
import { turnMachine } from '../../machines/turn.ts';
import { fieldsOf } from '../../src/core/collections/fields.ts';
import { callOf, cancelOf, replyOf, stateOf, turnOf, workerDone } from '../support/statechart.ts';

const idle = fromCallback(() => {});
const machine = turnMachine.provide({
  actors: { prepare: idle, compact: idle, model: idle, append: idle, tool: idle, sub: idle } as never,
});

const calls = [callOf('c'), callOf('d'), callOf('s', { kind: 'sub-agent' })];

/** The machine of a turn at one state after another, with the facts that it has appended, itself or by its workers. */
class PlayedTurn {
  #at: AnyMachineSnapshot;
  readonly #facts: Fact[] = [];

  constructor() {
    [this.#at] = initialTransition(machine, turnOf());
  }

  get state(): string {
    return stateOf(this.#at);
  }

  /** The calls whose machines were spawned. */
  get started(): readonly string[] {
    return this.#at.context.children;
  }

  /** The starts and ends of calls, and the end of the turn, as short texts. */
  get facts(): readonly string[] {
    return this.#facts.flatMap((fact) => {
      if (fact.type === 'tool_result') return `${fact.node} ${fact.outcome} ${fact.effect}`;
      if (fact.type === 'tool_started') return `${fact.node} starts`;
      return fact.type === 'turn_ended' ? `turn ${fact.outcome}` : [];
    });
  }

  send(...events: readonly object[]): this {
    for (const event of events) {
      const [next, actions] = transition(machine, this.#at as never, event as never);
      this.#at = next as AnyMachineSnapshot;
      for (const { type, params } of actions) {
        if (type === 'appendFacts') this.#facts.push(...(params as unknown as readonly Fact[]));
        // the worker that appends the calls of a round, or the end of the turn
        const { src, input } = fieldsOf(params);
        if (type === 'xstate.spawnChild' && src === 'append') this.#facts.push(...(input as readonly Fact[]));
      }
    }
    return this;
  }
}

const startGenerating = () => new PlayedTurn().send({ type: 'ADMIT' }, workerDone('prepare', { kind: 'go' }));
const responded = workerDone('model', replyOf(calls));
const appended = workerDone('append');
const completed = (node: string) => ({ type: 'OUTCOME', node, outcome: { kind: 'completed', effect: 'done' } });

test('a call that is stopped while the model responds has its end, and the other calls start [cancel.tools] [cancel.phases]', () => {
  const turn = startGenerating().send(cancelOf(['c']));
  expect(turn.state).toBe('generating.active');
  turn.send(responded);
  expect(turn.state).toBe('dispatching.active');
  turn.send(appended);
  expect([turn.state, turn.started]).toEqual(['acting.active', ['d', 's']]);
  expect(turn.facts).toEqual(['d starts', 's starts', 'c cancelled not_started']);
  turn.send(completed('d'), completed('s'));
  expect(turn.state).toBe('preparing.active');
});

test('of calls that are stopped while the turn is dispatching none starts, and the model is called again with their ends [cancel.tools] [cancel.tools.goes_on]', () => {
  const turn = startGenerating().send(responded, cancelOf(['c', 'd', 's']));
  expect(turn.state).toBe('dispatching.active');
  turn.send(appended);
  expect([turn.state, turn.started]).toEqual(['preparing.active', []]);
  expect(turn.facts.filter((fact) => fact.includes('cancelled'))).toEqual([
    'c cancelled not_started',
    'd cancelled not_started',
    's cancelled not_started',
  ]);
});

test('a call keeps the outcome of its first CANCEL, also after one of the whole turn [cancel.tools] [cancel.phases.causes]', () => {
  const again = startGenerating().send(cancelOf(['c'], 'deadline'), cancelOf(['c', 'd']), responded, appended);
  expect(again.facts).toEqual(['s starts', 'c timed_out not_started', 'd cancelled not_started']);

  const whole = startGenerating().send(cancelOf(['c'], 'deadline'), cancelOf(['T', 'c', 'd', 's']));
  expect(whole.state).toBe('generating.interrupted');
  whole.send({ ...responded, output: { ...replyOf(calls), kind: 'stopped' } });
  expect(whole.state).toBe('dispatching.interrupted');
  whole.send(appended, appended);
  expect([whole.state, whole.started]).toEqual(['gone', []]);
  expect(whole.facts).toEqual([
    'c timed_out not_started',
    'd cancelled not_started',
    's cancelled not_started',
    'turn cancelled',
  ]);
});

test('a stop of calls in one round does not change the next round [cancel.tools]', () => {
  const turn = startGenerating().send(
    cancelOf(['c', 'd', 's']),
    responded,
    appended,
    workerDone('prepare', { kind: 'go' }),
  );
  turn.send(workerDone('model', replyOf([callOf('e')])), appended);
  expect([turn.state, turn.started]).toEqual(['acting.active', ['e']]);
});

test('a response that fails ends the turn, without a fact of the stopped call [cancel.tools]', () => {
  const turn = startGenerating().send(
    cancelOf(['c']),
    workerDone('model', { ...replyOf([]), kind: 'failed', code: 'model_cut_off' }),
    appended,
  );
  expect([turn.state, turn.started]).toEqual(['gone', []]);
  expect(turn.facts).toEqual(['turn failed']);
});
