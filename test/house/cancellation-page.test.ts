// The tables of docs/cancellation.md have each phase: of a node, with what a CANCEL does there and how the nodes end that it finds there; of a turn, with what a
// CANCEL of its tools does, and the other verbs.
import { expect, test } from 'vitest';
import { turnMachine } from '../../machines/turn.ts';
import { effects, outcomeKinds } from '../../machines/vocabulary.ts';
import {
  pagePhases,
  pageProblems,
  phasePage,
  phasePageWith,
  phaseRowsOf,
} from '../../scripts/prove/coverage/phase-page.ts';
import { toolRowsOf, verbRowsOf } from './phase-tables.ts';
import { read } from './tree.ts';

test('each phase in which a CANCEL finds a node has a row, in the order of the machines [cancel.phases]', () => {
  expect(phaseRowsOf(read(phasePage)).map(([phase]) => phase)).toEqual(pagePhases);
});

test('each row says what a CANCEL does, and names ends that there are', () => {
  const known: readonly string[] = [...outcomeKinds, ...effects];
  for (const [phase, onCancel, ends] of phaseRowsOf(read(phasePage))) {
    expect(onCancel.length, phase).toBeGreaterThan(10);
    const named = [...ends.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
    expect(
      named.filter((name) => !known.includes(name)),
      phase,
    ).toEqual([]);
    expect(named.length > 0, `${phase} has ends`).toBe(phase !== 'turn, settling');
  }
});

/** The phases of a turn that a verb can find. */
const turnPhases = Object.entries(turnMachine.states).flatMap(([name, { type }]) => (type === 'final' ? [] : [name]));

test('each phase of a turn has a row on a CANCEL of its tools, and what it does [cancel.phases] [cancel.tools]', () => {
  const { rows } = toolRowsOf(read(phasePage));
  expect(rows.flatMap(([names = '']) => names.split(', '))).toEqual(turnPhases);
  for (const [names, does = ''] of rows) expect(does.length, names).toBeGreaterThan(10);
});

test('each phase of a turn has a row on the other verbs, with a cell for each [cancel.phases]', () => {
  const { head, rows } = verbRowsOf(read(phasePage));
  const named = rows.flatMap(([name = '']) => (name.startsWith('any,') ? [] : [name.replace(/:.*/, '')]));
  expect([...new Set(named)]).toEqual(turnPhases);
  for (const row of rows) expect(row, row[0]).toHaveLength(head.length);
});

test('a page that has not what was seen is a problem, and the page that is written from it is none', () => {
  const page = read(phasePage);
  const seen = { 'tool-call running.active': ['cancelled, unknown', 'denied, none'] };
  expect(pageProblems(page, seen, false)).toMatchObject([expect.stringContaining('tool call, running')]);
  expect(pageProblems(phasePageWith(page, seen), seen, true)).toEqual([]);
  expect(pageProblems(page, {}, true).length).toBeGreaterThan(5);
});
