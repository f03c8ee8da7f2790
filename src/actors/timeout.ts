// The timers of a call at work: its timeout, which stands still while a person is waited for and sends a CANCEL like any other,
// and its progress, which is told every few seconds.
import type { NodeId } from '../../machines/vocabulary.ts';
import type { Plane } from './plane.ts';

export interface Timers {
  /** A person is waited for. */
  pause(): void;
  resume(): void;
  end(): void;
}

/** `timeoutMs` 0: it may take for ever. */
export function startTimers(node: NodeId, timeoutMs: number, plane: Plane): Timers {
  const endProgress = startProgress(node, plane);
  const timeout = startTimeout(node, timeoutMs, plane);
  return {
    ...timeout,
    end() {
      timeout.end();
      endProgress();
    },
  };
}

function startTimeout(node: NodeId, ms: number, plane: Plane): Timers {
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

function startProgress(node: NodeId, { limits, outlet, sources: { clock } }: Plane): () => void {
  const began = clock.now();
  let disarm = () => {};
  const arm = () => {
    disarm = clock.after(limits.progressMs, () => {
      outlet.progress(node, clock.now() - began);
      arm();
    });
  };
  arm();
  return () => disarm();
}
