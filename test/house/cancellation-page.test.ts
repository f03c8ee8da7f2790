// The table of docs/cancellation.md has each phase of a node, with what a CANCEL does there and how the nodes end that it finds there.
import { expect, test } from 'vitest';
import { effects, outcomeKinds } from '../../machines/vocabulary.ts';
import {
  pagePhases,
  pageProblems,
  phasePage,
  phasePageWith,
  phaseRowsOf,
} from '../../scripts/prove/coverage/phase-page.ts';
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

test('a page that has not what was seen is a problem, and the page that is written from it is none', () => {
  const page = read(phasePage);
  const seen = { 'tool-call running.active': ['cancelled, unknown', 'denied, none'] };
  expect(pageProblems(page, seen, false)).toMatchObject([expect.stringContaining('tool call, running')]);
  expect(pageProblems(phasePageWith(page, seen), seen, true)).toEqual([]);
  expect(pageProblems(page, {}, true).length).toBeGreaterThan(5);
});
