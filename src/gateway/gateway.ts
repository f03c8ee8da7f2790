// The core of the gateway: accepts peers, counts them, and closes them at the end. It knows no socket.

import type { Runtime } from '../core/session/api.ts';
import type { Sources } from '../core/sources/sources.ts';
import { printBug } from '../core/text/print-line.ts';
import type { InspectionSource } from '../wire/inspection-source.ts';
import type { Authenticator } from './auth/authenticator.ts';
import { addressShareOf } from './client-address.ts';
import { Connection, type ConnectionServices } from './connection.ts';
import { ConnectionMachines } from './connection-machines.ts';
import { ConnectionTable } from './connection-table.ts';
import { CredentialCheck } from './credential-check.ts';
import { type GatewayLimits, gatewayLimitsFrom } from './gateway-limits.ts';
import type { GatewayServices } from './gateway-services.ts';
import { Heartbeat } from './heartbeat.ts';
import type { Peer, PeerListener } from './peer.ts';
import { type RefusalCount, RefusalReports, type ReportedRefusal } from './refusal-reports.ts';
import { SpeakerShares } from './speaker-shares.ts';

export interface GatewayOptions {
  readonly runtime: Runtime;
  readonly sources: Pick<Sources, 'clock' | 'ids'>;
  readonly authenticator: Authenticator;
  readonly limits?: Partial<GatewayLimits> | undefined;
  /** Takes exceptions that must not happen: bugs, a store that fails. Default: the console. */
  readonly report?: ((error: unknown) => void) | undefined;
  /** Sees the connections, and its records can be read by `GET /api/inspector/records`. Left out: there is no such route. */
  readonly inspector?: InspectionSource | undefined;
  /** Receives connections and requests that are refused before the speaker is known, at most one a second after the first 20. */
  readonly onRefusal?: ((refusal: ReportedRefusal) => void) | undefined;
}

export interface Gateway {
  readonly limits: GatewayLimits;
  readonly authenticator: Authenticator;
  /** The records of the inspector; null: the gateway has none. */
  readonly inspector: InspectionSource | null;
  /** Connections at this moment. */
  readonly size: number;
  /** `full`: as many speakers' connections are open as the limit allows. `draining`: `drain` was called, and connections are accepted. `closing`: `close` was called. */
  readonly state: 'open' | 'full' | 'draining' | 'closing';
  /** How often connections, frames and requests were refused, by door and code. */
  readonly refusals: readonly RefusalCount[];
  /** What another door to the same runtime shares with the connections. */
  readonly services: GatewayServices;
  /** The host is to get no more connections: balancers see it by `GET /readyz`. Those that come are accepted all the same, until `close`. */
  drain(): void;
  /** Accepts a peer; null, with the peer terminated, if the state is `full` or `closing`. `token`: of the upgrade. `address`: of the client. */
  accept(peer: Peer, token: string | null, address: string): PeerListener | null;
  /** Resolves when `close` has resolved. */
  readonly closed: Promise<void>;
  /** Closes every connection with the code `shutdown`; resolves when all are gone. To be called after the runtime's own close. */
  close(): Promise<void>;
}

class PeerGateway implements Gateway {
  readonly limits: GatewayLimits;
  readonly authenticator: Authenticator;
  readonly inspector: InspectionSource | null;
  readonly #connections: ConnectionTable;
  readonly #machines: ConnectionMachines;
  readonly services: ConnectionServices & GatewayServices;
  #life: 'open' | 'draining' | 'closing' = 'open';
  readonly #closed = Promise.withResolvers<void>();
  readonly #refusals: RefusalReports;

  constructor(options: GatewayOptions) {
    const { runtime, sources, authenticator, inspector, report = printBug, onRefusal } = options;
    const limits = gatewayLimitsFrom(options.limits);
    const { clock, ids } = sources;
    this.limits = limits;
    this.authenticator = authenticator;
    this.#connections = new ConnectionTable({ total: limits.unproven, perAddress: limits.unprovenPerAddress });
    const errors = { perSecond: limits.errorsPerSecond, burst: limits.errorBurst };
    const credentials = new CredentialCheck({ authenticator, clock, rate: errors, timeoutMs: limits.helloMs });
    this.#machines = new ConnectionMachines({ connections: this.#connections, authenticator, credentials, report });
    this.inspector = inspector ?? null;
    this.inspector?.attachConnections(this.#machines.inspected);
    this.#refusals = new RefusalReports(clock, onRefusal ?? (() => {}));
    this.services = {
      runtime,
      clock,
      ids,
      limits,
      rates: {
        frames: { perSecond: limits.framesPerSecond, burst: limits.frameBurst },
        cancels: { perSecond: limits.cancelsPerSecond, burst: limits.cancelBurst },
        errors,
      },
      heartbeat: new Heartbeat(clock, limits.heartbeatMs),
      connections: this.#connections,
      provesByToken: authenticator.kind === 'tokens',
      shares: new SpeakerShares(clock, { perSecond: limits.speakerBytesPerSecond, burst: limits.speakerByteBurst }),
      credentials,
      refusals: this.#refusals,
      report,
    };
  }

  get size(): number {
    return this.#connections.byId.size;
  }

  get refusals(): readonly RefusalCount[] {
    return this.#refusals.counts;
  }

  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  get state(): Gateway['state'] {
    if (this.#life === 'closing') return 'closing';
    return this.services.shares.total >= this.limits.connections ? 'full' : this.#life;
  }

  drain(): void {
    if (this.#life === 'open') this.#life = 'draining';
  }

  accept(peer: Peer, token: string | null, address: string): PeerListener | null {
    if (this.state === 'full' || this.state === 'closing') {
      peer.terminate();
      return null;
    }
    const id = this.services.ids('conn');
    const connection = new Connection(id, peer, { token, address }, this.#machines.start(id), this.services);
    this.#connections.add(id, addressShareOf(address), connection);
    return connection;
  }

  async close(): Promise<void> {
    if (this.#life !== 'closing') {
      this.#life = 'closing';
      for (const connection of this.#connections.byId.values()) connection.requestClose('shutdown');
    }
    await this.#connections.whenEmpty();
    this.#closed.resolve();
  }
}

/**
 * Creates a gateway that serves a runtime. It has no socket: `listen` and `attach` hand it peers.
 *
 * @throws `RangeError` when a limit is wrong; it names the limit.
 */
export function createGateway(options: GatewayOptions): Gateway {
  return new PeerGateway(options);
}
