// A drawing on the page: how it fits into its frame, is moved and scaled; and the paths of its lines.
import { expect, test } from 'vitest';
import { arrowHead, roundedPath } from '../../src/page/inspector-view/statechart/line-path.ts';
import { fitted, movedViewport, zoomedViewport } from '../../src/page/inspector-view/statechart/viewport.ts';

const drawing = { width: 500, height: 800 };
const frame = { width: 1_000, height: 400 };

test('a drawing fits wholly, in the middle', () => {
  expect(fitted(drawing, frame)).toEqual({ x: 375, y: 0, scale: 0.5 });
});

test('a small drawing is not blown up', () => {
  expect(fitted({ width: 100, height: 50 }, frame).scale).toBeLessThan(1.5);
});

test('the point under the mouse stays where it is', () => {
  const before = { x: 10, y: 20, scale: 1 };
  const after = zoomedViewport(before, 2, [110, 220]);
  expect(after.scale).toBe(2);
  expect([(110 - after.x) / after.scale, (220 - after.y) / after.scale]).toEqual([100, 200]);
});

test('no move and no scale takes the drawing out of sight', () => {
  const far = movedViewport({ x: 0, y: 0, scale: 1 }, 99_999, -99_999, drawing, frame);
  expect(far.x).toBeLessThan(frame.width);
  expect(far.y).toBeGreaterThan(-drawing.height);
  expect(zoomedViewport({ x: 0, y: 0, scale: 1 }, 1e9, [0, 0]).scale).toBeLessThanOrEqual(4);
});

test('a line has round corners, and a head where it ends', () => {
  expect(roundedPath('0,0 0,100')).toBe('M0,0L0,96');
  expect(roundedPath('0,0 0,100 50,100')).toBe('M0,0L0,94Q0,100 6,100L46,100');
  expect(arrowHead('0,0 0,100')).toBe('M0,100L3.6,92L-3.6,92Z');
});
