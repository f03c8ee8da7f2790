// The time axis of a wave: where a time lies, and which times are written on it.
import { measuredText } from '../../../core/words/durations.ts';
//
// A stop has parts of very different lengths: machines get the CANCEL within a millisecond, a budget is seconds. So the axis is logarithmic unless the
// person chooses otherwise; it is straight near zero, where the acceptance is.

export type ScaleKind = 'log' | 'linear';

/** The visible part of the axis, as parts of its whole length: 0 is the acceptance, 1 the end. */
export interface AxisSpan {
  readonly from: number;
  readonly to: number;
}

export const wholeSpan: AxisSpan = { from: 0, to: 1 };

export interface Tick {
  readonly ms: number;
  /** Parts of the visible width. */
  readonly at: number;
  /** The number at the line; empty: it has none. */
  readonly label: string;
}

export interface Scale {
  /** Where a time lies, in parts of the visible width: below 0 or above 1 it is outside. */
  at(ms: number): number;
  /** Which time lies there. */
  msAt(part: number): number;
  readonly ticks: readonly Tick[];
}

export interface ScaleOptions {
  readonly kind: ScaleKind;
  /** The time at the end of the whole axis, in milliseconds. */
  readonly endMs: number;
  /** The shortest time that must look different from zero. */
  readonly finestMs: number;
  readonly span: AxisSpan;
}

/** Creates the scale of an axis. */
export function createScale({ kind, endMs, finestMs, span }: ScaleOptions): Scale {
  const { toPart, toMs } = kind === 'log' ? logarithmic(endMs, finestMs) : linear(endMs);
  const width = span.to - span.from;
  const at = (ms: number) => (toPart(ms) - span.from) / width;
  const msAt = (part: number) => toMs(span.from + part * width);
  const [fromMs, toMsEnd] = [Math.max(0, msAt(0)), msAt(1)];
  const times = kind === 'log' ? logTimes(fromMs, toMsEnd, finestMs) : linearTimes(fromMs, toMsEnd);
  return {
    at,
    msAt,
    ticks: spaced(
      times.map(({ ms, isNamed }) => ({ ms, at: at(ms), label: !isNamed ? '' : ms === 0 ? '0' : measuredText(ms) })),
    ),
  };
}

const linear = (endMs: number) => ({
  toPart: (ms: number) => ms / endMs,
  toMs: (part: number) => part * endMs,
});

function logarithmic(endMs: number, finestMs: number) {
  const whole = Math.log1p(endMs / finestMs);
  return {
    toPart: (ms: number) => Math.log1p(Math.max(0, ms) / finestMs) / whole,
    toMs: (part: number) => Math.expm1(part * whole) * finestMs,
  };
}

interface NamedTime {
  readonly ms: number;
  readonly isNamed: boolean;
}

/** Powers of ten with their numbers, and lines between; where the part is short, even steps. */
function logTimes(fromMs: number, toMs: number, finestMs: number): readonly NamedTime[] {
  if (toMs < fromMs * 20) return linearTimes(fromMs, toMs);
  const times: NamedTime[] = fromMs === 0 ? [{ ms: 0, isNamed: true }] : [];
  for (let power = Math.floor(Math.log10(finestMs)); 10 ** power <= toMs; power += 1)
    for (let digit = 1; digit < 10; digit += 1) {
      const ms = digit * 10 ** power;
      if (ms >= fromMs && ms <= toMs && ms >= finestMs) times.push({ ms, isNamed: digit === 1 });
    }
  return times;
}

const wantedTicks = 6;

function linearTimes(fromMs: number, toMs: number): readonly NamedTime[] {
  const rough = (toMs - fromMs) / wantedTicks;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  const times: NamedTime[] = [];
  for (let n = Math.ceil(fromMs / step); n * step <= toMs; n += 1) times.push({ ms: n * step, isNamed: true });
  return times;
}

const labelWidth = 0.08;
/** A number further to the right would lie over what is beside the axis. */
const lastLabel = 0.97;

/** Leaves out the numbers that would lie on the one before. */
function spaced(ticks: readonly Tick[]): readonly Tick[] {
  let last = Number.NEGATIVE_INFINITY;
  return ticks.map((tick) => {
    if (tick.label === '' || tick.at - last < labelWidth || tick.at > lastLabel) return { ...tick, label: '' };
    last = tick.at;
    return tick;
  });
}

/** Returns a part of the axis that is so many times as long, around a place of the visible part. */
export function zoomedSpan({ from, to }: AxisSpan, factor: number, around = 0.5): AxisSpan {
  const width = Math.min(1, Math.max(0.02, (to - from) * factor));
  const start = from + (to - from) * around - width * around;
  return movedSpan({ from: start, to: start + width }, 0);
}

/** Moves the visible part by parts of its width, within the axis. */
export function movedSpan({ from, to }: AxisSpan, by: number): AxisSpan {
  const width = to - from;
  const start = Math.min(1 - width, Math.max(0, from + by * width));
  return { from: start, to: start + width };
}
