// Moves and scales a drawing by mouse, touch and keys. Until somebody does, it fits into its frame, whatever size that has.
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import { fitted, movedViewport, type Size, type Viewport, zoomedViewport } from './viewport.ts';

type Point = readonly [x: number, y: number];

const step = { pixels: 48, factor: 1.25 } as const;
/** A pointer that moves less has clicked. */
const clickPixels = 4;

const arrows: Readonly<Record<string, Point>> = {
  ArrowLeft: [step.pixels, 0],
  ArrowRight: [-step.pixels, 0],
  ArrowUp: [0, step.pixels],
  ArrowDown: [0, -step.pixels],
};

const middleOf = (points: readonly Point[]): Point => [
  points.reduce((sum, [x]) => sum + x, 0) / points.length,
  points.reduce((sum, [, y]) => sum + y, 0) / points.length,
];

/** Returns the distance of two fingers; that of one finger is always the same. */
const spreadOf = ([a, b]: readonly Point[]): number => (a && b ? Math.hypot(a[0] - b[0], a[1] - b[1]) : 1);

/** The viewport of a drawing, and how it is changed. */
export function useViewport(drawing: Size) {
  const frame = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  const [changed, setChanged] = useState<Viewport | null>(null);
  const viewport = changed ?? fitted(drawing, size);
  const change = (make: (before: Viewport) => Viewport) =>
    setChanged((before) => make(before ?? fitted(drawing, size)));
  const zoomBy = (factor: number, at: Point = [size.width / 2, size.height / 2]) =>
    change((before) => zoomedViewport(before, factor, at));
  const moveBy = (dx: number, dy: number) => change((before) => movedViewport(before, dx, dy, drawing, size));

  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const observer = new ResizeObserver(([entry]) => entry && setSize(entry.contentRect));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useWheel(frame, zoomBy);
  return {
    frame,
    viewport,
    fits: changed === null,
    fit: () => setChanged(null),
    zoomIn: () => zoomBy(step.factor),
    zoomOut: () => zoomBy(1 / step.factor),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const arrow = arrows[event.key];
      if (arrow) moveBy(...arrow);
      else if (event.key === '+' || event.key === '=') zoomBy(step.factor);
      else if (event.key === '-') zoomBy(1 / step.factor);
      else if (event.key === '0') setChanged(null);
      else return;
      event.preventDefault();
    },
    pointers: usePointers((from, to) => {
      const box = frame.current?.getBoundingClientRect();
      const [x, y] = middleOf(to);
      const [fromX, fromY] = middleOf(from);
      moveBy(x - fromX, y - fromY);
      if (to.length > 1 && box) zoomBy(spreadOf(to) / spreadOf(from), [x - box.left, y - box.top]);
    }),
  };
}

/** Zooms by a wheel with ctrl: a pinch on a touchpad is the same. A wheel alone scrolls the page, as everywhere. */
function useWheel(frame: { readonly current: HTMLElement | null }, zoomBy: (factor: number, at: Point) => void): void {
  const latest = useRef(zoomBy);
  latest.current = zoomBy;
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault(); // the browser would scale the page
      const { left, top } = element.getBoundingClientRect();
      latest.current(Math.exp(-event.deltaY / 200), [event.clientX - left, event.clientY - top]);
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [frame]);
}

/** Follows one finger, or two. `isDrag` says of a click whether it is the end of a move. */
function usePointers(onMove: (from: readonly Point[], to: readonly Point[]) => void) {
  const down = useRef(new Map<number, Point>());
  const dragged = useRef(false);
  const start = useRef<Point>([0, 0]);
  const release = (event: PointerEvent) => {
    down.current.delete(event.pointerId);
  };
  return {
    isDrag: () => dragged.current,
    handlers: {
      onPointerDown: (event: PointerEvent) => {
        if (event.button !== 0) return;
        if (down.current.size === 0) {
          dragged.current = false;
          start.current = [event.clientX, event.clientY];
        }
        down.current.set(event.pointerId, [event.clientX, event.clientY]);
      },
      onPointerMove: (event: PointerEvent) => {
        if (!down.current.has(event.pointerId)) return;
        const [x, y] = start.current;
        if (!dragged.current && Math.hypot(event.clientX - x, event.clientY - y) < clickPixels) return;
        dragged.current = true;
        event.currentTarget.setPointerCapture(event.pointerId); // not before it moves: a click belongs to what is under it
        const from = [...down.current.values()];
        down.current.set(event.pointerId, [event.clientX, event.clientY]);
        onMove(from, [...down.current.values()]);
      },
      onPointerUp: release,
      onPointerCancel: release,
    },
  };
}
