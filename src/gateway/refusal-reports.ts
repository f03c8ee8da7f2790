// Reports connections and requests that the gateway refuses before it knows the speaker, at a bounded rate: whoever is refused can come back at once.
import type { Clock } from '../core/sources/sources.ts';
import { type Rate, TokenBucket } from '../core/sources/token-bucket.ts';
import type { CloseName } from '../wire/close-codes.ts';

/** Whether a connection that is closed for this before its speaker is known is refused. */
export const isRefusal: Readonly<Record<CloseName, boolean>> = {
  unauthorized: true,
  flood: true,
  hello_timeout: true,
  too_many_unproven: true,
  too_many_connections: true,
  too_many_errors: false,
  token_expired: false,
  heartbeat_lost: false,
  slow_reader: false,
  shutdown: false,
  store_failed: false,
  fenced: false,
  session_failed: false,
  gateway_failed: false,
};

/** A connection or a request that is refused. It has no token, and nothing else that the client has made up. */
export interface ConnectionRefusal {
  /** `socket`, `http`, or the name of a door with a protocol of its own. */
  readonly door: string;
  /** A code of docs/errors.md; null: the status says all. */
  readonly code: string | null;
  /** The status of the HTTP response, or the code of the close frame. */
  readonly status: number;
  /** The address of the client; empty if its socket is gone. */
  readonly address: string;
}

export interface ReportedRefusal extends ConnectionRefusal {
  /** Refusals since the last report that were not reported. */
  readonly unreported: number;
}

/** How often something was refused since the start. */
export interface RefusalCount {
  readonly door: ConnectionRefusal['door'];
  /** A code of docs/errors.md, or the status where there is none. `rate_limited`: frames and requests of a speaker past the rate, too. */
  readonly code: string;
  readonly count: number;
}

const reportRate: Rate = { perSecond: 1, burst: 20 };

export class RefusalReports {
  readonly #rate: TokenBucket;
  readonly #report: (refusal: ReportedRefusal) => void;
  #unreported = 0;
  /** By door and code: a few dozen at most. */
  readonly #counts = new Map<string, RefusalCount>();

  constructor(clock: Pick<Clock, 'elapsed'>, report: (refusal: ReportedRefusal) => void) {
    this.#rate = new TokenBucket(clock, reportRate);
    this.#report = report;
  }

  /** Reports a refusal, or counts it for the next report. */
  add(refusal: ConnectionRefusal): void {
    this.#count(refusal.door, refusal.code ?? String(refusal.status));
    if (!this.#rate.spend()) {
      this.#unreported++;
      return;
    }
    const unreported = this.#unreported;
    this.#unreported = 0;
    this.#report({ ...refusal, unreported });
  }

  /** Counts a frame or a request of a known speaker that came too fast. The reply says so, and no report. */
  countRateLimited(door: ConnectionRefusal['door']): void {
    this.#count(door, 'rate_limited');
  }

  get counts(): readonly RefusalCount[] {
    return [...this.#counts.values()];
  }

  #count(door: ConnectionRefusal['door'], code: string): void {
    const key = `${door} ${code}`;
    this.#counts.set(key, { door, code, count: (this.#counts.get(key)?.count ?? 0) + 1 });
  }
}
