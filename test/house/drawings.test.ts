// The drawings of the page show the machines as they are, and are readable: no state, label or line covers another.
import { describe, expect, test } from 'vitest';
import { drawings } from '../../scripts/drawings/write-drawings.ts';
import type { Box, ChartDrawing } from '../../src/page/inspector-view/statechart/chart-drawing.ts';
import { filesBelow, read } from './tree.ts';

const folder = 'src/page/inspector-view/statechart/drawings';
const drawn = drawings();

/** What an inspector leaves for a chart on a screen of 1280 x 800. */
const screen = { width: 980, height: 660 };
/** Below it the smallest type, 10.5 in the drawing, is under 9 pixels. */
const smallestScale = 0.87;

const overlaps = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

function overlapping(boxes: readonly (readonly [string, Box])[]): string[] {
  return boxes.flatMap(([a, box], i) =>
    boxes.slice(i + 1).flatMap(([b, other]) => (overlaps(box, other) ? [`${a} over ${b}`] : [])),
  );
}

function textsAndStates({ states, transitions }: ChartDrawing): (readonly [string, Box])[] {
  const solid = states.filter(({ kind }) => kind !== 'compound').map((state) => [state.path, state] as const);
  const labels = transitions.flatMap(({ id, label }) => (label ? [[`the label of ${id}`, label] as const] : []));
  return [...solid, ...labels];
}

test('the drawings are fresh (npm run draw)', () => {
  expect(filesBelow(folder).toSorted()).toEqual([...drawn.keys()].map((name) => `${folder}/${name}`).toSorted());
  for (const [name, drawing] of drawn) expect(JSON.parse(read(`${folder}/${name}`))).toEqual(drawing);
});

describe.each([...drawn.values()])('$id', (drawing) => {
  test('no state and no label covers another', () => {
    expect(overlapping(textsAndStates(drawing))).toEqual([]);
  });

  test('it fits on a screen of 1280 x 800, and is readable there', () => {
    const { width, height } = drawing;
    expect(Math.min(screen.width / width, screen.height / height)).toBeGreaterThanOrEqual(smallestScale);
  });

  test('each state but the first can be reached by a line', () => {
    const reached = new Set([
      drawing.initial?.path,
      ...drawing.states.map(({ initial }) => initial?.path),
      ...drawing.transitions.map(({ to }) => to),
    ]);
    const unreached = drawing.states.filter(({ path }) => !reached.has(path)).map(({ path }) => path);
    expect(unreached).toEqual([]);
  });
});
