// Finds dead peers: a ping in each interval, and a sign of life before the next one is due.
import type { Clock, Disarm } from '../sources/sources.ts';

export interface Heartbeat {
  /** The peer has given a sign of life. */
  sign(): void;
  stop(): void;
}

export function startHeartbeat(clock: Clock, everyMs: number, peer: { ping(): void; lost(): void }): Heartbeat {
  let unanswered = 0;
  let disarm: Disarm = clock.after(everyMs, beat);
  function beat(): void {
    if (unanswered > 0) return peer.lost();
    unanswered += 1;
    disarm = clock.after(everyMs, beat);
    peer.ping();
  }
  return {
    sign() {
      unanswered = 0;
    },
    stop: () => disarm(),
  };
}
