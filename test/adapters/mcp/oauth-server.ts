// An MCP server that wants a token, and its authorization server: RFC 9728, RFC 8414, registration, PKCE, refresh tokens that are good for once.
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { onTestFinished } from 'vitest';

export interface OAuthServer {
  readonly url: string;
  /** Access tokens that it has given out. */
  readonly accessTokens: readonly string[];
  /** Refresh tokens that were used. */
  readonly refreshes: number;
  /** No access token of before is good any more. */
  expire(): void;
  /** No refresh token of before is good any more. */
  revoke(): void;
}

export interface OAuthOptions {
  /** The first request of a session that wants a token. */
  readonly guardedFrom?: 'initialize' | 'tools/list' | 'tools/call';
}

interface Grant {
  readonly challenge: string;
  readonly redirect: string;
  readonly client: string;
}

const newToken = (kind: string) => `${kind}-${randomBytes(16).toString('hex')}`;

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

function sendJson(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** A server with one tool, which says the token that it was called with. */
async function serveMcp(
  request: IncomingMessage,
  response: ServerResponse,
  { token, body }: { readonly token: string; readonly body: unknown },
): Promise<void> {
  const server = new McpServer({ name: 'guarded', version: '1' });
  server.registerTool('whoami', { description: 'Says the token.' }, () => ({
    content: [{ type: 'text', text: `called with ${token}` }],
  }));
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true }); // without sessions
  await server.connect(transport as Parameters<typeof server.connect>[0]); // its types do not know exact optional properties
  await transport.handleRequest(request, response, body);
}

/** What the authorization server remembers. */
class Grants {
  readonly clients = new Map<string, readonly string[]>();
  readonly accessTokens: string[] = [];
  good = new Set<string>();
  refreshTokens = new Set<string>();
  refreshes = 0;
  readonly #codes = new Map<string, Grant>();

  authorize({ searchParams }: URL, response: ServerResponse): void {
    const client = searchParams.get('client_id') ?? '';
    const redirect = searchParams.get('redirect_uri') ?? '';
    const challenge = searchParams.get('code_challenge') ?? '';
    if (!this.clients.get(client)?.includes(redirect) || searchParams.get('code_challenge_method') !== 'S256')
      return void response.writeHead(400).end();
    const code = newToken('code');
    this.#codes.set(code, { challenge, redirect, client });
    const answer = new URLSearchParams({ code, state: searchParams.get('state') ?? '' });
    response.writeHead(302, { location: `${redirect}?${answer}` }).end();
  }

  exchange(form: URLSearchParams, response: ServerResponse): void {
    const isGood = form.get('grant_type') === 'refresh_token' ? this.#refresh(form) : this.#redeem(form);
    sendJson(response, isGood ? 200 : 400, isGood ? this.#createTokens() : { error: 'invalid_grant' });
  }

  #refresh(form: URLSearchParams): boolean {
    this.refreshes++;
    return this.refreshTokens.delete(form.get('refresh_token') ?? '');
  }

  #redeem(form: URLSearchParams): boolean {
    const code = form.get('code') ?? '';
    const grant = this.#codes.get(code);
    this.#codes.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    return grant?.challenge === challenge && grant.redirect === form.get('redirect_uri');
  }

  #createTokens(): object {
    const access = newToken('access');
    const refresh = newToken('refresh');
    this.accessTokens.push(access);
    this.good.add(access);
    this.refreshTokens.add(refresh);
    return { access_token: access, refresh_token: refresh, token_type: 'Bearer', expires_in: 3_600 };
  }
}

/** The requests of a session, in their order. */
const requestOrder = ['initialize', 'notifications/initialized', 'tools/list', 'tools/call'];

/** Whether the request comes before the first one that wants a token. */
function isOpen(body: { readonly method?: string } | undefined, { guardedFrom = 'initialize' }: OAuthOptions): boolean {
  if (guardedFrom === 'initialize') return false;
  return body === undefined || requestOrder.indexOf(body.method ?? '') < requestOrder.indexOf(guardedFrom);
}

interface ServedOptions extends OAuthOptions {
  readonly grants: Grants;
}

async function serve(options: ServedOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { grants } = options;
  const base = `http://${request.headers.host}`;
  const url = new URL(request.url ?? '/', base);
  const token = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
  const challenge = `Bearer resource_metadata="${base}/.well-known/oauth-protected-resource/mcp"`;
  switch (url.pathname) {
    case '/mcp': {
      const text = await bodyOf(request);
      const body = text === '' ? undefined : JSON.parse(text);
      if (grants.good.has(token) || isOpen(body, options)) return serveMcp(request, response, { token, body });
      return sendJson(response, 401, { error: 'invalid_token' }, { 'www-authenticate': challenge });
    }
    case '/.well-known/oauth-protected-resource/mcp':
      return sendJson(response, 200, { resource: `${base}/mcp`, authorization_servers: [base] });
    case '/.well-known/oauth-authorization-server':
      return sendJson(response, 200, {
        issuer: base,
        authorization_endpoint: `${base}/authorize`,
        token_endpoint: `${base}/token`,
        registration_endpoint: `${base}/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
      });
    case '/register': {
      const registered = JSON.parse(await bodyOf(request));
      const id = newToken('client');
      grants.clients.set(id, registered.redirect_uris);
      return sendJson(response, 201, { ...registered, client_id: id });
    }
    case '/authorize':
      return grants.authorize(url, response);
    case '/token':
      return grants.exchange(new URLSearchParams(await bodyOf(request)), response);
    default:
      response.writeHead(404).end();
  }
}

export async function startOAuthServer(options: OAuthOptions = {}): Promise<OAuthServer> {
  const grants = new Grants();
  const server = createServer((request, response) => void serve({ ...options, grants }, request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, // it listens on a port
    accessTokens: grants.accessTokens,
    get refreshes() {
      return grants.refreshes;
    },
    expire() {
      grants.good = new Set();
    },
    revoke() {
      grants.refreshTokens = new Set();
    },
  };
}
