// Makes SVG paths of the lines of a drawing: with round corners, and a head for the arrow.

type Point = readonly [x: number, y: number];

const radius = 6;
const headLength = 8;
const headWidth = 3.6;

/** Reads `x,y x,y`. */
function pointsOf(line: string): Point[] {
  return line.split(' ').map((pair) => {
    const [x = 0, y = 0] = pair.split(',').map(Number);
    return [x, y];
  });
}

/** Returns the point at a distance from one towards another. */
function towards([x, y]: Point, [toX, toY]: Point, distance: number): Point {
  const length = Math.hypot(toX - x, toY - y) || 1;
  return [x + ((toX - x) / length) * distance, y + ((toY - y) / length) * distance];
}

/** Returns the path of a line. It ends inside the arrow's head. */
export function roundedPath(line: string): string {
  const points = pointsOf(line);
  const [first = [0, 0], ...rest] = points;
  const parts = [`M${first}`];
  for (const [i, point] of rest.entries()) {
    const before = points[i] ?? point;
    const after = rest[i + 1];
    if (!after) {
      parts.push(`L${towards(point, before, headLength / 2)}`);
      continue;
    }
    const reach = (other: Point) => Math.min(radius, Math.hypot(other[0] - point[0], other[1] - point[1]) / 2);
    parts.push(`L${towards(point, before, reach(before))}Q${point} ${towards(point, after, reach(after))}`);
  }
  return parts.join('');
}

/** Returns the path of the arrow's head at the end of a line. */
export function arrowHead(line: string): string {
  const points = pointsOf(line);
  const end = points.at(-1) ?? [0, 0];
  const [x, y] = towards(end, points.at(-2) ?? end, headLength);
  const across: Point = [((end[1] - y) / headLength) * headWidth, ((x - end[0]) / headLength) * headWidth];
  return `M${end}L${x + across[0]},${y + across[1]}L${x - across[0]},${y - across[1]}Z`;
}

/** Returns where a line starts. */
export function startOf(line: string): Point {
  return pointsOf(line)[0] ?? [0, 0];
}
