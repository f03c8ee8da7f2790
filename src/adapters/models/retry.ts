// Computes how long to wait before a failed request is sent again.
import type { Clock, Random } from '../../core/sources/sources.ts';

export const firstRetryMs = 500;
export const maxRetryMs = 8_000;
/** An endpoint that asks for a longer wait gets no retry. */
export const maxRetryAfterMs = 30_000;

/** Milliseconds to wait before the retry with this number (from 0); null: the endpoint asks for more than `maxRetryAfterMs`. */
export function retryDelayMs(retry: number, retryAfterMs: number | null, random: Random): number | null {
  if (retryAfterMs !== null) return retryAfterMs > maxRetryAfterMs ? null : retryAfterMs;
  const delay = Math.min(firstRetryMs * 2 ** retry, maxRetryMs);
  return delay * (0.75 + random() * 0.25); // so that many clients do not return at once
}

/** Returns the pause that `retry-after` (seconds or a date) or `retry-after-ms` asks for, in milliseconds from now; null: none. */
export function retryAfterMs(headers: Headers | undefined, clock: Clock): number | null {
  const ms = Number.parseFloat(headers?.get('retry-after-ms') ?? '');
  if (ms >= 0) return ms;
  const text = headers?.get('retry-after') ?? '';
  const seconds = Number.parseFloat(text);
  if (!Number.isNaN(seconds)) return seconds >= 0 ? seconds * 1_000 : null;
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, date - clock.now());
}
