// The pace of a call that runs: the color of its time.

/** `fast` under 10 s, `slow` to 30 s, `long` past it. */
type Pace = 'fast' | 'slow' | 'long';

const slowMs = 10_000;
const longMs = 30_000;

/** Returns the pace of something that has run for so long. */
export function paceOf(ms: number): Pace {
  if (ms < slowMs) return 'fast';
  return ms <= longMs ? 'slow' : 'long';
}
