// A turn whose calls are stopped before they are opened, without starting anything: the response goes on, and these calls never start.
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

/** A turn that gets one event after the other, with the facts that it has appended and what its workers were given to write. */
class Play {
  #at: AnyMachineSnapshot;
  readonly #facts: Fact[] = [];

  constructor() {
    [this.#at] = initialTransition(machine, turnOf());
  }

  get state(): string {
    return stateOf(this.#at);
  }

  /** The calls that have a machine. */
  get started(): readonly string[] {
    return this.#at.context.children;
  }

  /** The ends of calls and of the turn, and each start, as short texts. */
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
        // the worker that writes a round, or the closing
        const { src, input } = fieldsOf(params);
        if (type === 'xstate.spawnChild' && src === 'append') this.#facts.push(...(input as readonly Fact[]));
      }
    }
    return this;
  }
}

const generating = () => new Play().send({ type: 'ADMIT' }, workerDone('prepare', { kind: 'go' }));
const respond = workerDone('model', replyOf(calls));
const written = workerDone('append');
const completed = (node: string) => ({ type: 'OUTCOME', node, outcome: { kind: 'completed', effect: 'done' } });

test('while the model writes: the response goes on, the stopped call has its end, and the others start [cancel.tools] [cancel.phases]', () => {
  const turn = generating().send(cancelOf(['c']));
  expect(turn.state).toBe('generating.active');
  turn.send(respond);
  expect(turn.state).toBe('dispatching.active');
  turn.send(written);
  expect([turn.state, turn.started]).toEqual(['acting.active', ['d', 's']]);
  expect(turn.facts).toEqual(['d starts', 's starts', 'c cancelled not_started']);
  turn.send(completed('d'), completed('s'));
  expect(turn.state).toBe('preparing.active');
});

test('while its calls are written: none starts, and the model is asked again with their ends [cancel.tools] [cancel.tools.goes_on]', () => {
  const turn = generating().send(respond, cancelOf(['c', 'd', 's']));
  expect(turn.state).toBe('dispatching.active');
  turn.send(written);
  expect([turn.state, turn.started]).toEqual(['preparing.active', []]);
  expect(turn.facts.filter((fact) => fact.includes('cancelled'))).toEqual([
    'c cancelled not_started',
    'd cancelled not_started',
    's cancelled not_started',
  ]);
});

test('a second CANCEL leaves the outcome of the first, also one of the whole turn [cancel.tools] [cancel.phases.causes]', () => {
  const again = generating().send(cancelOf(['c'], 'deadline'), cancelOf(['c', 'd']), respond, written);
  expect(again.facts).toEqual(['s starts', 'c timed_out not_started', 'd cancelled not_started']);

  const whole = generating().send(cancelOf(['c'], 'deadline'), cancelOf(['T', 'c', 'd', 's']));
  expect(whole.state).toBe('generating.interrupted');
  whole.send({ ...respond, output: { ...replyOf(calls), kind: 'stopped' } });
  expect(whole.state).toBe('dispatching.interrupted');
  whole.send(written, written);
  expect([whole.state, whole.started]).toEqual(['gone', []]);
  expect(whole.facts).toEqual([
    'c timed_out not_started',
    'd cancelled not_started',
    's cancelled not_started',
    'turn cancelled',
  ]);
});

test('what is withheld in one round does not touch the next one [cancel.tools]', () => {
  const turn = generating().send(cancelOf(['c', 'd', 's']), respond, written, workerDone('prepare', { kind: 'go' }));
  turn.send(workerDone('model', replyOf([callOf('e')])), written);
  expect([turn.state, turn.started]).toEqual(['acting.active', ['e']]);
});

test('a response that fails ends the turn, and nothing is left of the stopped call [cancel.tools]', () => {
  const turn = generating().send(
    cancelOf(['c']),
    workerDone('model', { ...replyOf([]), kind: 'failed', code: 'model_cut_off' }),
    written,
  );
  expect([turn.state, turn.started]).toEqual(['gone', []]);
  expect(turn.facts).toEqual(['turn failed']);
});
