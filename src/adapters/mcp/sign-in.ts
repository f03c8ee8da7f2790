// Signs a person in to an MCP server over HTTP. The SDK performs OAuth; a page on loopback receives the answer.
import {
  auth,
  extractWWWAuthenticateParams,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
} from '@modelcontextprotocol/client';
import type { Clock } from '../../core/sources/sources.ts';
import { createSecret } from '../../core/sources/system.ts';
import { ConnectionPool } from '../models/transport/connection-pool.ts';
import { createBoundedFetch } from './bounded-fetch.ts';
import { startCallbackServer } from './callback-server.ts';
import type { HttpServer } from './server-config.ts';
import { clientMetadata } from './sign-in-metadata.ts';
import type { TokenFile } from './token-file.ts';

export interface SignInOptions {
  /** The server's name in the configuration. */
  readonly name: string;
  readonly server: HttpServer;
  readonly file: TokenFile;
  readonly clock: Clock;
  /** How long the person may take, in milliseconds. */
  readonly waitMs: number;
  /** Called with the address that the person has to open. */
  onAddress(url: string): void;
}

const maxFrameBytes = 1_048_576;

/**
 * Resolves with `signed_in` when the tokens are in the file, or with `not_needed` if the server asks for none. Rejects after `waitMs`, or if the server or the
 * authorization server refuses: the message says what was refused.
 */
export async function signIn(options: SignInOptions): Promise<'signed_in' | 'not_needed'> {
  const { name, server, clock, waitMs } = options;
  const { oauth, url } = server;
  const pool = new ConnectionPool(process.env, { keepAlive: false });
  const fetchFn = createBoundedFetch({ pool, maxFrameBytes, listener: () => undefined });
  const refusal = await fetchFn(url, initializeRequest(server));
  await refusal.body?.cancel().catch(() => {});
  if (refusal.status !== 401) {
    if (refusal.ok) return 'not_needed';
    throw new Error(`The MCP server ${name} responded with HTTP ${refusal.status} instead of asking for a sign-in.`);
  }
  const { resourceMetadataUrl, scope = oauth?.scope } = extractWWWAuthenticateParams(refusal);
  const page = await startCallbackServer(oauth?.port ?? 0, name);
  try {
    const state = createSecret();
    const provider = createProvider(options, page.url, state);
    const about = { serverUrl: url, fetchFn, ...(resourceMetadataUrl && { resourceMetadataUrl }) };
    const received = page.receive(state);
    await auth(provider, { ...about, ...(scope !== undefined && { scope }) });
    const answer = await within(received, waitMs, clock);
    const code = answer.get('code');
    if (code === null) throw new Error(`The sign-in was refused: ${answer.get('error') ?? 'there is no code'}.`);
    const iss = answer.get('iss');
    await auth(provider, { ...about, authorizationCode: code, ...(iss !== null && { iss }) });
    return 'signed_in';
  } finally {
    page.close();
    pool.close();
  }
}

/** Resolves with the answer, or rejects after `ms`. */
async function within<T>(answer: Promise<T>, ms: number, clock: Clock): Promise<T> {
  const overdue = Promise.withResolvers<never>();
  const disarm = clock.after(ms, () =>
    overdue.reject(new Error(`Nobody has signed in within ${ms / 60_000} minutes.`)),
  );
  return await Promise.race([answer, overdue.promise]).finally(disarm);
}

/** The first request of any revision with sessions: a server that wants a sign-in refuses it. */
const initializeRequest = ({ headers = {} }: HttpServer): RequestInit => ({
  method: 'POST',
  headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'belay', version: '0.1.0' } },
  }),
});

/** Creates the provider of one sign-in. It registers anew, unless a client is configured: the port of the page differs each time. */
function createProvider(
  { server, file, onAddress }: SignInOptions,
  redirectUrl: string,
  state: string,
): OAuthClientProvider {
  const { url, oauth } = server;
  let client: StoredOAuthClientInformation | undefined =
    oauth?.clientId === undefined
      ? undefined
      : { client_id: oauth.clientId, ...(oauth.clientSecret !== undefined && { client_secret: oauth.clientSecret }) };
  let verifier = '';
  let discovered: OAuthDiscoveryState | undefined;
  return {
    redirectUrl,
    clientMetadata: clientMetadata(redirectUrl, oauth?.scope),
    state: () => state,
    clientInformation: () => client,
    saveClientInformation: (registered) => {
      client = registered;
    },
    tokens: () => undefined, // those of an earlier sign-in are not refreshed
    saveTokens: (tokens) => {
      if (client) file.save(url, { client, tokens });
    },
    redirectToAuthorization: (address) => onAddress(address.href),
    saveCodeVerifier: (created) => {
      verifier = created;
    },
    codeVerifier: () => verifier,
    saveDiscoveryState: (state) => {
      discovered = state;
    },
    discoveryState: () => discovered,
  };
}
