// Sends the tokens of a sign-in with the requests to a server, and refreshes them. It never starts a sign-in: `belay mcp login` does.
import {
  AuthorizationServerMismatchError,
  type AuthProvider,
  auth,
  extractWWWAuthenticateParams,
  type InsufficientScopeError,
  type OAuthClientProvider,
} from '@modelcontextprotocol/client';
import { dropUndefined } from '../../core/collections/fields.ts';
import { errorText } from '../../core/text/error-text.ts';
import type { Fetch } from '../models/transport/http-fetch.ts';
import { scopeMessage } from './http-failure.ts';
import { McpFailure } from './mcp-failure.ts';
import { clientMetadata } from './sign-in-metadata.ts';
import type { SignInChallenge, TokenFile } from './token-file.ts';

type Refusal = Parameters<NonNullable<AuthProvider['onUnauthorized']>>[0];

export interface StoredSignInOptions {
  readonly file: TokenFile;
  /** The address of the server. */
  readonly url: string;
  /** The end of a sentence: what to do about a sign-in that is missing or has expired. */
  readonly remedy: string;
}

/** Refreshes in flight, by file and address: a refresh token is good for one refresh. */
const refreshing = new Map<string, Promise<void>>();

/** Sends tokens with the requests to a server, if there are any, and handles its refusals. */
export interface ServerSignIn {
  /** Returns a provider that sends its requests to the authorization server by this `fetch`. */
  withFetch(fetch: Fetch): AuthProvider;
  /** Returns the failure of a request that the server does not allow with these scopes. */
  refuseScope(refusal: Pick<InsufficientScopeError, 'requiredScope' | 'resourceMetadataUrl'>): McpFailure;
}

/** Returns what a refusal asks for. */
export function challengeOf(response: Response): SignInChallenge {
  const { scope, resourceMetadataUrl } = extractWWWAuthenticateParams(response);
  return dropUndefined({ scope, resourceMetadata: resourceMetadataUrl?.href });
}

export class StoredSignIn implements ServerSignIn {
  readonly #options: StoredSignInOptions;
  /** Tokens that were read or received: they stay secret after they have expired. */
  readonly #seen = new Set<string>();

  constructor(options: StoredSignInOptions) {
    this.#options = options;
  }

  /** The tokens that must not be shown: those that were sent, and those that came in their place. */
  get secrets(): readonly string[] {
    return [...this.#seen];
  }

  withFetch(fetch: Fetch): AuthProvider {
    return {
      token: async () => this.#read()?.tokens.access_token,
      onUnauthorized: (refusal) => this.#refreshOnce(refusal, fetch),
    };
  }

  refuseScope({ requiredScope: scope, resourceMetadataUrl }: Parameters<ServerSignIn['refuseScope']>[0]): McpFailure {
    this.#keepChallenge(dropUndefined({ scope, resourceMetadata: resourceMetadataUrl?.href }));
    return this.#failure(scopeMessage(scope));
  }

  /** Keeps it for the next `belay mcp login`. The server may ask for it there, too, so a file that cannot be written is no failure. */
  #keepChallenge(challenge: SignInChallenge): void {
    try {
      this.#options.file.saveChallenge(this.#options.url, challenge);
    } catch {}
  }

  #read() {
    const found = this.#options.file.read(this.#options.url);
    for (const token of [found?.tokens.access_token, found?.tokens.refresh_token]) if (token) this.#seen.add(token);
    return found;
  }

  async #refreshOnce(refusal: Refusal, fetch: Fetch): Promise<void> {
    const { file, url } = this.#options;
    const key = `${file.path} ${url}`;
    const running = refreshing.get(key) ?? this.#refresh(refusal, fetch).finally(() => refreshing.delete(key));
    refreshing.set(key, running);
    await running;
  }

  async #refresh({ response, serverUrl }: Refusal, fetchFn: Fetch): Promise<void> {
    const { resourceMetadataUrl } = extractWWWAuthenticateParams(response);
    const stored = this.#read();
    if (!stored) {
      this.#keepChallenge(challengeOf(response));
      throw this.#failure('wants a sign-in');
    }
    if (!stored.tokens.refresh_token) throw this.#failure('does not accept the sign-in any more');
    try {
      const provider = this.#refresher();
      await auth(provider, { serverUrl, fetchFn, ...(resourceMetadataUrl && { resourceMetadataUrl }) });
    } catch (error) {
      if (error instanceof McpFailure) throw error;
      if (error instanceof AuthorizationServerMismatchError)
        throw this.#failure('names another authorization server than that of the sign-in');
      if (error instanceof TypeError)
        throw new McpFailure(`could not refresh the sign-in (${errorText(error.cause ?? error)})`, {
          code: 'mcp_unavailable',
          cause: error,
        });
      throw this.#failure('does not accept the sign-in any more');
    }
  }

  #refresher(): OAuthClientProvider {
    const { file, url } = this.#options;
    const over = () => this.#failure('does not accept the sign-in any more');
    return {
      redirectUrl: 'http://127.0.0.1/callback', // needed by the type: nobody is redirected
      clientMetadata: clientMetadata('http://127.0.0.1/callback', undefined),
      clientInformation: () => file.read(url)?.client,
      tokens: () => file.read(url)?.tokens,
      saveTokens: (tokens) => {
        const stored = file.read(url);
        // tokens that name no scope have that of those before
        if (stored) file.saveTokens(url, { ...dropUndefined({ scope: stored.tokens.scope }), ...tokens });
        this.#read();
      },
      invalidateCredentials() {
        throw over();
      },
      redirectToAuthorization() {
        throw over();
      },
      saveCodeVerifier() {},
      codeVerifier() {
        throw over();
      },
    };
  }

  #failure(message: string): McpFailure {
    return new McpFailure(`${message}: ${this.#options.remedy}`, { code: 'mcp_unavailable' });
  }
}
