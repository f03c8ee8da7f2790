// The next frame of the screen: what changes many times in between is drawn once.
import type { Disarm } from './page-clock.ts';

/** Runs `fn` once, before the next frame is drawn. A page that is not visible draws none. */
export function onNextFrame(fn: () => void): Disarm {
  const frame = requestAnimationFrame(fn);
  return () => cancelAnimationFrame(frame);
}
