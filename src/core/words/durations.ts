// Durations as people read them.

/** Formats the time of something that runs, in whole seconds: `7 s`, `2 min 05 s`. */
export function runningText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  const rest = String(seconds % 60).padStart(2, '0');
  return minutes < 60 ? `${minutes} min ${rest} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Formats a length of time: `48 ms`, `3.1 s`, `2 min 05 s`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : runningText(ms);
}

/** Formats the time that is left of a wait, in whole seconds, rounded up: `3 s`, and `0 s` when it is over. */
export const leftText = (ms: number): string => runningText(Math.ceil(ms / 1_000) * 1_000);

/** Formats the time of an event since the first one, to the millisecond: `61.204 s`. */
export const sinceFirstText = (ms: number): string => `${(ms / 1_000).toFixed(3)} s`;

/** Formats a measured time with as many digits as one reads: `0.3 ms`, `48 ms`, `1.55 s`. */
export function measuredText(ms: number): string {
  if (ms >= 999.5) return `${trimmed(ms / 1_000, ms < 9_995 ? 2 : 1)} s`;
  return `${trimmed(ms, ms < 0.995 ? 2 : ms < 9.95 ? 1 : 0)} ms`;
}

const trimmed = (value: number, digits: number): string => String(Number(value.toFixed(digits)));
