// The part of a drawing that is seen: how it is moved, scaled and fitted into its frame.

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A point of the drawing is seen at `x + scale * point`. */
export interface Viewport {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

const scales = { smallest: 0.25, largest: 4, largestFit: 1.35 } as const;
/** How much of the drawing stays in sight at least. */
const leastSeen = 60;

const between = (least: number, value: number, most: number): number => Math.min(Math.max(value, least), most);

/** Returns the viewport that shows all of a drawing, in the middle of its frame. */
export function fitted(drawing: Size, frame: Size): Viewport {
  const room = Math.min(frame.width / drawing.width, frame.height / drawing.height);
  const scale = between(scales.smallest, room, scales.largestFit);
  return {
    x: Math.max(0, (frame.width - drawing.width * scale) / 2),
    y: Math.max(0, (frame.height - drawing.height * scale) / 2),
    scale,
  };
}

/** Returns the viewport after a move, in pixels. A part of the drawing stays in sight. */
export function movedViewport({ x, y, scale }: Viewport, dx: number, dy: number, drawing: Size, frame: Size): Viewport {
  return {
    x: between(leastSeen - drawing.width * scale, x + dx, frame.width - leastSeen),
    y: between(leastSeen - drawing.height * scale, y + dy, frame.height - leastSeen),
    scale,
  };
}

/** Returns the viewport after a change of scale; the point of the frame at `x`, `y` stays where it is. */
export function zoomedViewport(viewport: Viewport, factor: number, [x, y]: readonly [number, number]): Viewport {
  const scale = between(scales.smallest, viewport.scale * factor, scales.largest);
  const change = scale / viewport.scale;
  return { x: x - (x - viewport.x) * change, y: y - (y - viewport.y) * change, scale };
}
