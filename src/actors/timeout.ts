// The timeout of a running call. It stands still while the call waits for a person; what it sends is a CANCEL like any other.
import type { NodeId } from '../../machines/vocabulary.ts';
import type { Plane } from './plane.ts';

export interface Timeout {
  pause(): void;
  resume(): void;
  end(): void;
}

/** `ms` 0: none. */
export function startTimeout(node: NodeId, ms: number, plane: Plane): Timeout {
  const { clock } = plane.sources;
  let left = ms;
  let since = clock.now();
  let disarm = () => {};
  const pause = () => {
    disarm();
    disarm = () => {};
    left -= clock.now() - since;
  };
  const resume = () => {
    since = clock.now();
    if (ms > 0) disarm = clock.after(Math.max(0, left), () => plane.timeOut(node, ms));
  };
  resume();
  return { pause, resume, end: () => disarm() };
}

/** Tells every `everyMs` how long a call has been running, until the returned function is called. */
export function startProgress(node: NodeId, everyMs: number, plane: Plane): () => void {
  const { clock } = plane.sources;
  const began = clock.now();
  let disarm = () => {};
  const arm = () => {
    disarm = clock.after(everyMs, () => {
      plane.outlet.progress(node, clock.now() - began);
      arm();
    });
  };
  arm();
  return () => disarm();
}
