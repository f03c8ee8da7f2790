// The page finds the active states of a chart, and the lines of its last step.
import { expect, test } from 'vitest';
import { allMachines } from '../../scripts/all-machines.ts';
import { drawMachine } from '../../scripts/drawings/draw-machine.ts';
import { activeLeaf, activePaths } from '../../src/page/inspector-view/statechart/active-paths.ts';
import { type LastStep, transitionsTaken } from '../../src/page/inspector-view/statechart/transitions-taken.ts';

function drawingOf(id: string) {
  const machine = allMachines.find((each) => each.machine.id === id);
  if (!machine) throw new Error(`There is no machine ${id}.`);
  return drawMachine(machine);
}

const turn = drawingOf('turn');
const taken = (last: LastStep, drawing = turn) => transitionsTaken(drawing, last);

test('the active states are those of the value, with the ones around them', () => {
  expect(activePaths(null)).toEqual([]);
  expect(activePaths('queued')).toEqual(['queued']);
  expect(activePaths({ acting: 'interrupted' })).toEqual(['acting', 'acting.interrupted']);
  expect(activePaths({ a: { b: 'c' }, d: 'e' })).toEqual(['a', 'a.b', 'a.b.c', 'd', 'd.e']);
  expect(activeLeaf({ acting: 'interrupted' })).toBe('acting.interrupted');
  expect(activeLeaf(null)).toBeNull();
});

test('a CANCEL leads to `interrupted`', () => {
  const last = { event: 'CANCEL', from: { generating: 'active' }, to: { generating: 'interrupted' } };
  expect(taken(last).transitions).toEqual(['generating.active→generating.interrupted stop']);
});

test('the end of a worker leads to the phase that its guard has chosen, and on from there', () => {
  const done = { event: 'xstate.done.actor.model', from: { generating: 'active' } };
  expect(taken({ ...done, to: { dispatching: 'active' } }).transitions).toEqual(['generating.active→dispatching']);
  expect(taken({ ...done, to: { settling: 'appending' } }).transitions).toEqual([
    'generating.active→settling',
    'settling.branching→settling.appending',
  ]);
});

test('an event that is handled in place lets the machine go on', () => {
  const last = { event: 'OUTCOME', from: { acting: 'active' }, to: { preparing: 'active' } };
  expect(taken(last)).toEqual({ transitions: ['acting.active→preparing'], handledBy: '' });
});

test('an event that is handled in place takes no transition', () => {
  const inside = { acting: 'interrupted' };
  expect(taken({ event: 'CANCEL', from: inside, to: inside })).toEqual({
    transitions: [],
    handledBy: 'acting.interrupted',
  });
  expect(taken({ event: 'xstate.done.actor.call.3', from: inside, to: inside }).handledBy).toBe('');
  expect(taken({ event: 'UNKNOWN', from: inside, to: inside }).handledBy).toBeNull();
});

test('the end of all that is inside a phase leads on', () => {
  const last = { event: 'OUTCOME', from: { delegating: 'active' }, to: 'gone' };
  expect(taken(last, drawingOf('sub-agent')).transitions).toEqual([
    'delegating.active→delegating.reported',
    'delegating→settled',
    'settled→gone',
  ]);
});

test('a step to a state that the chart does not know takes nothing', () => {
  expect(taken({ event: 'CANCEL', from: 'queued', to: 'elsewhere' }).transitions).toEqual([]);
  expect(transitionsTaken(turn, null)).toEqual({ transitions: [], handledBy: null });
});
