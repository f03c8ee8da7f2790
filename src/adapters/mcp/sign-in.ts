// Signs a person in to an MCP server over HTTP. The SDK performs OAuth; a page on loopback receives the answer.
import {
  type AuthProvider,
  auth,
  computeScopeUnion,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
} from '@modelcontextprotocol/client';
import { dropUndefined } from '../../core/collections/fields.ts';
import type { Clock, Ids } from '../../core/sources/sources.ts';
import { createSecret } from '../../core/sources/system.ts';
import { errorText } from '../../core/text/error-text.ts';
import { ConnectionPool } from '../models/transport/connection-pool.ts';
import { createBoundedFetch } from './bounded-fetch.ts';
import { startCallbackServer } from './callback-server.ts';
import { McpFailure } from './mcp-failure.ts';
import { defaultMcpLimits } from './mcp-limits.ts';
import { RestartingServer } from './restarting-server.ts';
import type { HttpServer } from './server-config.ts';
import { clientMetadata } from './sign-in-metadata.ts';
import { challengeOf, type ServerSignIn } from './stored-sign-in.ts';
import type { SignInChallenge, TokenFile } from './token-file.ts';

export interface SignInOptions {
  /** The server's name in the configuration. */
  readonly name: string;
  readonly server: HttpServer;
  readonly file: TokenFile;
  readonly clock: Clock;
  readonly ids: Ids;
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
  const { name, server, file, clock, waitMs } = options;
  const { oauth, url } = server;
  const kept = file.readChallenge(url);
  const challenge = (await findChallenge(options)) ?? kept;
  if (!challenge) return 'not_needed';
  const scope = computeScopeUnion(challenge.scope ?? oauth?.scope, file.read(url)?.tokens.scope, kept?.scope);
  const resourceMetadataUrl = challenge.resourceMetadata && new URL(challenge.resourceMetadata);
  const pool = new ConnectionPool(process.env, { keepAlive: false });
  const fetchFn = createBoundedFetch({ pool, maxFrameBytes, listener: () => undefined });
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

/** Sends no token, and keeps what the server refuses it with. */
class ChallengeReader implements ServerSignIn {
  challenge: SignInChallenge | null = null;

  withFetch(): AuthProvider {
    return {
      token: async () => undefined,
      onUnauthorized: async ({ response }) => {
        this.challenge = challengeOf(response);
        throw wantsSignIn();
      },
    };
  }

  refuseScope(): McpFailure {
    return wantsSignIn();
  }
}

const wantsSignIn = () => new McpFailure('wants a sign-in', { code: 'mcp_unavailable' });

/**
 * Starts a session without a token and lists the tools, as a gateway does: some servers let everybody start one. Resolves with null if the server allows both.
 * Rejects if it fails otherwise.
 */
async function findChallenge({ name, server, clock, ids }: SignInOptions): Promise<SignInChallenge | null> {
  const signIn = new ChallengeReader();
  const probe = new RestartingServer(server, {
    clock,
    ids,
    limits: defaultMcpLimits,
    termGraceMs: 0,
    roots: [],
    signIn,
    onToolsChanged() {},
  });
  try {
    await probe.list();
    return null;
  } catch (error) {
    if (signIn.challenge) return signIn.challenge;
    throw new Error(`The MCP server ${name} ${errorText(error)}.`, { cause: error });
  } finally {
    await probe.close();
  }
}

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
  let askedScope: string | null = null;
  let discovered: OAuthDiscoveryState | undefined;
  return {
    redirectUrl,
    clientMetadata: clientMetadata(redirectUrl, oauth?.scope),
    ...dropUndefined({ clientMetadataUrl: oauth?.clientMetadataUrl }),
    state: () => state,
    clientInformation: () => client,
    saveClientInformation: (registered) => {
      client = registered;
    },
    tokens: () => undefined, // those of an earlier sign-in are not refreshed
    saveTokens: (tokens) => {
      const scope = tokens.scope ?? askedScope; // an answer without a scope has that which was asked for
      if (client) file.save(url, { client, tokens: { ...tokens, ...(scope !== null && { scope }) } });
    },
    redirectToAuthorization: (address) => {
      askedScope = address.searchParams.get('scope');
      onAddress(address.href);
    },
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
