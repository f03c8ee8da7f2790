// The gateway on a server that is there already: node:http, or any framework that shows its own (Fastify: `app.server`).
import type { Server } from 'node:http';
import type { Authenticator } from '../gateway/auth/authenticator.ts';
import { createLocalAuthenticator } from '../gateway/auth/local.ts';
import { createGateway, type Gateway } from '../gateway/gateway.ts';
import type { GatewayLimits } from '../gateway/gateway-limits.ts';
import { attach as attachSockets, defaultPath } from '../gateway/ws.ts';
import { systemSources } from '../sources/system.ts';
import type { EmbeddedRuntime } from './runtime.ts';

export interface DoorOptions {
  /** Where WebSockets are taken; other paths stay the server's. Default: `/belay`. */
  readonly path?: string;
  /** Origins of browser pages that may connect, like `https://example.org`, beside the one that page and server share. */
  readonly origins?: readonly string[];
  /** Who a token belongs to. Left out: everybody on this machine is the speaker `local`, and nobody else may connect. */
  readonly authenticator?: Authenticator;
  readonly limits?: Partial<GatewayLimits>;
  /** Hears of what must not happen: bugs, a store that fails. Default: the console. */
  readonly report?: (error: unknown) => void;
}

export interface Door {
  /** Connections that are there now, among other things. */
  readonly gateway: Gateway;
  /** Takes no more connections and closes those that are there; resolves when none is left. The runtime goes on. */
  close(): Promise<void>;
}

/**
 * Lets clients of the protocol in through the server. The door closes with the runtime, behind all that the clients are told; the server itself stays yours to close.
 *
 * @throws `RangeError` where a limit is wrong; it names the field.
 */
export function attach(server: Server, runtime: EmbeddedRuntime, options: DoorOptions = {}): Door {
  const { path = defaultPath, origins = [], authenticator = createLocalAuthenticator(), limits, report } = options;
  const gateway = createGateway({
    runtime,
    sources: systemSources,
    authenticator,
    ...(limits && { limits }),
    ...(report && { report }),
  });
  const detach = attachSockets(server, gateway, { path, origins });
  const close = (): Promise<void> => {
    detach();
    forget();
    return gateway.close();
  };
  const forget = runtime.closeWith(close);
  return { gateway, close };
}
