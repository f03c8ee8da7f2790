// The front of a wave: the line on which the machines got the CANCEL, and the area from there to their outcomes.
import { isToStop, type Wave, type WaveRow } from './wave-model.ts';
import type { Scale } from './wave-scale.ts';

interface WaveFrontProps {
  readonly wave: Wave;
  readonly scale: Scale;
  readonly nowMs: number | null;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** The width of the drawing, whose height is one for each row; it is stretched over the rows. */
const width = 1_000;

/** Draws the front behind the rows. */
export function WaveFront({ wave: { rows, acceptedAt }, scale, nowMs }: WaveFrontProps) {
  const x = (at: number) => scale.at(Math.max(0, at - acceptedAt)) * width;
  const reached = rows.flatMap((row, y): Point[] => {
    const at = startOf(row);
    return at === null ? [] : [{ x: x(at), y: y + 0.5 }];
  });
  const ended = rows.flatMap((row, y): Point[] => {
    if (startOf(row) === null) return [];
    const at = row.settledAt ?? (nowMs === null ? null : acceptedAt + nowMs);
    return at === null ? [] : [{ x: x(at), y: y + 0.5 }];
  });
  if (reached.length < 2) return null;
  const back = ended.toReversed();
  const area = `${curve(reached, 'M')}${curve(back, 'L')}Z`;
  return (
    <svg className="wave-front" viewBox={`0 0 ${width} ${rows.length}`} preserveAspectRatio="none" aria-hidden="true">
      {ended.length === reached.length && <path className="wave-area" d={area} />}
      <path className="wave-line-down" d={curve(reached, 'M')} vectorEffect="non-scaling-stroke" />
    </svg>
  );
}

const startOf = ({ verdict, cancelAt, cutAt }: WaveRow): number | null =>
  isToStop(verdict) ? (cancelAt ?? cutAt) : null;

/** A path through points, upright in each of them. */
function curve(points: readonly Point[], start: 'M' | 'L'): string {
  return points
    .map(({ x, y }, i) => {
      const before = points[i - 1];
      if (!before) return `${start}${number(x)},${number(y)}`;
      const middle = (before.y + y) / 2;
      return `C${number(before.x)},${number(middle)} ${number(x)},${number(middle)} ${number(x)},${number(y)}`;
    })
    .join('');
}

const number = (value: number): string => value.toFixed(2);
