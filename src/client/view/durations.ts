// Durations as people read them, and the color that they have.

/** Of a call that runs: `fast` under 10 s, `slow` to 30 s, `long` past it. */
export type Pace = 'fast' | 'slow' | 'long';

const slowMs = 10_000;
const longMs = 30_000;

/** Returns the pace of something that has run for so long. */
export function paceOf(ms: number): Pace {
  if (ms < slowMs) return 'fast';
  return ms <= longMs ? 'slow' : 'long';
}

/** Formats the time of something that runs, in whole seconds: `7 s`, `2 min 05 s`. */
export function runningText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  const rest = String(seconds % 60).padStart(2, '0');
  return minutes < 60 ? `${minutes} min ${rest} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Formats the time of something that is over: `48 ms`, `3.1 s`, `2 min 05 s`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : runningText(ms);
}
