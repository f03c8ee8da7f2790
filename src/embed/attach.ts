// Attaches the gateway to a server of the embedder: node:http, or any framework that shows its own (Fastify: `app.server`).
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSecret, systemSources } from '../core/sources/system.ts';
import { errorText } from '../core/text/error-text.ts';
import { assertOptions, type OptionKind } from '../core/text/option-names.ts';
import type { Authenticator } from '../gateway/auth/authenticator.ts';
import { createLocalAuthenticator } from '../gateway/auth/local.ts';
import { createGateway, type Gateway } from '../gateway/gateway.ts';
import type { GatewayLimits } from '../gateway/gateway-limits.ts';
import type { RequestHandler } from '../gateway/http/app.ts';
import { createRequestHandler } from '../gateway/http/listen.ts';
import { keyFilesOf, removeKeyFiles, writeKeyFiles } from '../gateway/key-file.ts';
import { attachSockets } from '../gateway/ws.ts';
import { defaultPath } from '../wire/frame-limits.ts';
import type { InspectionSource } from '../wire/inspection-source.ts';
import type { EmbeddedRuntime } from './runtime.ts';

export interface DoorOptions {
  /** The path of WebSockets; requests to other paths stay the server's. Default: `/belay`. */
  readonly path?: string | undefined;
  /** Origins of browser pages that may connect, like `https://example.org`, beside the one that page and server share. */
  readonly origins?: readonly string[] | undefined;
  /** Proxies whose `X-Forwarded-For` says who the client is: addresses and ranges, like `10.0.0.0/8`. Default: none. */
  readonly trustedProxies?: readonly string[] | undefined;
  /**
   * Finds the speaker of a token. Left out: whoever shows the door's `key` on this machine is the speaker `local`, and nobody else may connect.
   * `createLocalAuthenticator()`: the same without a key.
   */
  readonly authenticator?: Authenticator | undefined;
  readonly limits?: Partial<GatewayLimits> | undefined;
  /** The inspector of the runtime: it sees the connections, too, and moderators may read its records. Left out: there is no such route. */
  readonly inspector?: InspectionSource | undefined;
  /** Takes exceptions that must not happen: bugs, a store that fails. Default: the console. */
  readonly report?: ((error: unknown) => void) | undefined;
}

const optionKinds: Readonly<Record<keyof DoorOptions, OptionKind>> = {
  path: 'text',
  origins: 'list',
  trustedProxies: 'list',
  authenticator: 'object',
  limits: 'object',
  inspector: 'object',
  report: 'function',
};

export class Door {
  /** Its connections, among other things. */
  readonly gateway: Gateway;
  /**
   * What clients have to show, as `?key=…` of the address; null: with an authenticator of your own. Clients of this user in Node find it by
   * themselves as soon as the server listens; a page has to be given it.
   */
  readonly key: string | null;
  /**
   * Handles the requests of docs/http.md: hand it those under `/api/`, before anything reads their bodies. The first one loads what they need. Errors and
   * unknown paths are replied to as well.
   */
  readonly http: RequestHandler;
  readonly #detach: () => void;
  readonly #removeFromRuntime: () => void;
  readonly #withdrawKey: () => void;

  constructor(server: Server, runtime: EmbeddedRuntime, options: DoorOptions) {
    assertOptions('attach', options, optionKinds);
    const { path = defaultPath, origins = [], trustedProxies, limits, inspector, report } = options;
    this.key = options.authenticator ? null : createSecret();
    const authenticator = options.authenticator ?? createLocalAuthenticator(undefined, this.key ?? undefined);
    this.gateway = createGateway({
      runtime,
      sources: systemSources,
      authenticator,
      limits,
      inspector,
      report,
    });
    this.http = createRequestHandler(this.gateway, { origins, trustedProxies });
    this.#detach = attachSockets(server, this.gateway, { path, origins, trustedProxies });
    this.#removeFromRuntime = runtime.closeWith(() => this.close());
    this.#withdrawKey = this.key === null ? () => {} : publishKey(server, this.key);
  }

  /** Accepts no more connections and closes the open ones; resolves when none is left. The runtime goes on. */
  close(): Promise<void> {
    this.#detach();
    this.#removeFromRuntime();
    this.#withdrawKey();
    return this.gateway.close();
  }
}

/** Leaves the key for clients of this user while the server listens. Returns a function that withdraws it. */
function publishKey(server: Server, key: string): () => void {
  let files: readonly string[] = [];
  const write = () => {
    const address = server.address();
    if (address === null || typeof address === 'string') return; // not yet, or a socket file: no client finds a key by that
    files = keyFilesOf(address as AddressInfo);
    try {
      writeKeyFiles(files, key);
    } catch (error) {
      process.emitWarning(
        `belay: The key of the door cannot be left for clients: ${errorText(error)}. Give it to them.`,
      );
    }
  };
  server.on('listening', write);
  write();
  return () => {
    server.off('listening', write);
    removeKeyFiles(files, key);
  };
}

/**
 * Lets clients of the protocol connect through the server. The door closes with the runtime, after the last frames of its sessions; the
 * server itself stays yours to close.
 *
 * @throws `RangeError` if an option or a limit is wrong; it names the field. `Error` if a trusted proxy is no address.
 */
export function attach(server: Server, runtime: EmbeddedRuntime, options: DoorOptions = {}): Door {
  return new Door(server, runtime, options);
}
