// Attaches the gateway to a server of the embedder: node:http, or any framework that shows its own (Fastify: `app.server`).
import type { Server } from 'node:http';
import type { Authenticator } from '../gateway/auth/authenticator.ts';
import { createLocalAuthenticator } from '../gateway/auth/local.ts';
import { createGateway, type Gateway } from '../gateway/gateway.ts';
import type { GatewayLimits } from '../gateway/gateway-limits.ts';
import { attach as attachSockets, defaultPath } from '../gateway/ws.ts';
import { systemSources } from '../sources/system.ts';
import type { EmbeddedRuntime } from './runtime.ts';

export interface DoorOptions {
  /** The path of WebSockets; requests to other paths stay the server's. Default: `/belay`. */
  readonly path?: string | undefined;
  /** Origins of browser pages that may connect, like `https://example.org`, beside the one that page and server share. */
  readonly origins?: readonly string[] | undefined;
  /** Finds the speaker of a token. Left out: everybody on this machine is the speaker `local`, and nobody else may connect. */
  readonly authenticator?: Authenticator | undefined;
  readonly limits?: Partial<GatewayLimits> | undefined;
  /** Takes exceptions that must not happen: bugs, a store that fails. Default: the console. */
  readonly report?: ((error: unknown) => void) | undefined;
}

export class Door {
  /** Its connections, among other things. */
  readonly gateway: Gateway;
  readonly #detach: () => void;
  readonly #removeFromRuntime: () => void;

  constructor(server: Server, runtime: EmbeddedRuntime, options: DoorOptions) {
    const { path = defaultPath, origins = [], authenticator = createLocalAuthenticator(), limits, report } = options;
    this.gateway = createGateway({
      runtime,
      sources: systemSources,
      authenticator,
      limits,
      report,
    });
    this.#detach = attachSockets(server, this.gateway, { path, origins });
    this.#removeFromRuntime = runtime.closeWith(() => this.close());
  }

  /** Accepts no more connections and closes the open ones; resolves when none is left. The runtime goes on. */
  close(): Promise<void> {
    this.#detach();
    this.#removeFromRuntime();
    return this.gateway.close();
  }
}

/**
 * Lets clients of the protocol connect through the server. The door closes with the runtime, after the last frames of its sessions; the
 * server itself stays yours to close.
 *
 * @throws `RangeError` if a limit is wrong; it names the field.
 */
export function attach(server: Server, runtime: EmbeddedRuntime, options: DoorOptions = {}): Door {
  return new Door(server, runtime, options);
}
