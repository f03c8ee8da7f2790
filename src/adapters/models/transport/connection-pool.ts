// Keeps the connections to model endpoints open between requests: one pool for all providers of a process.
import { type AgentOptions, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIPv4 } from 'node:net';
import { TunnelAgent } from './tunnel-agent.ts';

/** Variables of the environment by name. */
type Environment = Readonly<Record<string, string | undefined>>;

/** How long a connection stays open without a request, in milliseconds. A server that announces a shorter time is obeyed. */
const idleConnectionMs = 30_000;

/**
 * Agents that share their connections. Requests go by the proxies of HTTP_PROXY, HTTPS_PROXY and NO_PROXY (upper or lower case), except
 * those to this machine. Node adds the certificates of NODE_EXTRA_CA_CERTS.
 */
export class ConnectionPool {
  readonly #options: AgentOptions;
  readonly #proxyEnv: NonNullable<AgentOptions['proxyEnv']>;
  readonly #agents = new Map<string, HttpAgent>();

  /** `keepAlive` false: each request has a connection of its own, which closes with it. */
  constructor(environment: Environment, { keepAlive = true }: { readonly keepAlive?: boolean } = {}) {
    this.#options = keepAlive ? { keepAlive, timeout: idleConnectionMs, scheduling: 'lifo' } : { keepAlive };
    this.#proxyEnv = proxyVariables(environment);
  }

  /** Returns the agent for requests to a URL. Throws if the proxy's address is invalid. */
  agentFor(url: URL): HttpAgent {
    const isLocal = isLoopback(url.hostname);
    const key = `${url.protocol} ${isLocal ? 'direct' : 'proxied'}`;
    const known = this.#agents.get(key);
    if (known) return known;
    const agent = this.#createAgent(url.protocol === 'https:', isLocal);
    this.#agents.set(key, agent);
    return agent;
  }

  #createAgent(isSecure: boolean, isLocal: boolean): HttpAgent {
    if (isLocal) return isSecure ? new HttpsAgent(this.#options) : new HttpAgent(this.#options);
    this.#assertProxyUrls(isSecure ? ['HTTPS_PROXY', 'https_proxy'] : ['HTTP_PROXY', 'http_proxy']);
    const options = { ...this.#options, proxyEnv: this.#proxyEnv };
    return isSecure ? new TunnelAgent(options) : new HttpAgent(options);
  }

  /** Node's own error repeats the address, which may have a password in it. */
  #assertProxyUrls(names: readonly (typeof proxyNames)[number][]): void {
    for (const name of names) {
      const address = this.#proxyEnv[name];
      if (address && !URL.canParse(address))
        throw new Error(`${name} is not a URL. Set it to an address like http://proxy.example:3128, or remove it.`);
    }
  }

  /** Closes every connection, also those in use. */
  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }
}

let shared: ConnectionPool | undefined;

/** Returns the pool of this process, which reads the proxies from its environment at the first call. */
export function sharedConnectionPool(): ConnectionPool {
  shared ??= new ConnectionPool(process.env);
  return shared;
}

const proxyNames = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'NO_PROXY', 'no_proxy'] as const;

function proxyVariables(environment: Environment): NonNullable<AgentOptions['proxyEnv']> {
  return Object.fromEntries(proxyNames.map((name) => [name, environment[name]]));
}

function isLoopback(hostname: string): boolean {
  if (hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]') return true;
  return isIPv4(hostname) && hostname.startsWith('127.');
}
