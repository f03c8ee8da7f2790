// Decides which upgrades may become connections, before their keys and tokens are checked.
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { subprotocol } from '../wire/frame-limits.ts';
import { keyParameter } from '../wire/gateway-key.ts';
import type { Authenticator } from './auth/authenticator.ts';
import { badSpeaker, type CredentialRefusal } from './credential-check.ts';

/** Whom a door believes about where a request comes from. */
export interface OriginOptions {
  /** Origins of browser pages that may connect, like `https://example.org`, beside the one that the page and the gateway share. */
  readonly origins?: readonly string[] | undefined;
  /** Proxies whose `X-Forwarded-For` says who the client is: addresses and ranges, like `10.0.0.0/8`. Default: none, and the header is not read. */
  readonly trustedProxies?: readonly string[] | undefined;
}

/** The answer to an upgrade that is refused. */
export interface UpgradeRefusal {
  readonly status: number;
  /** A code of docs/errors.md; null: the status says all. */
  readonly code: string | null;
  readonly sentence: string;
}

/**
 * Returns why an upgrade is refused; null when it may go on.
 * @param address Of the client, which may be behind a proxy.
 * @param origins Those that are allowed beside the gateway's own.
 */
export function refusalOfUpgrade(
  request: IncomingMessage,
  address: string,
  authenticator: Authenticator,
  origins: readonly string[],
): UpgradeRefusal | null {
  const { 'sec-websocket-protocol': protocols = '' } = request.headers;
  if (!isFromAllowedPlace(request, address, authenticator))
    return { status: 403, code: 'not_local', sentence: 'Without tokens this gateway serves this machine only.' };
  if (!isFromAllowedPage(request, origins))
    return { status: 403, code: 'origin_not_allowed', sentence: 'Pages of this origin may not connect.' };
  if (!protocols.split(',').some((name) => name.trim() === subprotocol)) {
    return { status: 400, code: null, sentence: `The subprotocol ${subprotocol} must be offered.` };
  }
  return null;
}

const sentences: Readonly<Record<Authenticator['kind'], string>> = {
  local: 'The key is missing or wrong: use the whole address that the gateway has printed.',
  tokens: 'The token is not valid.',
};

/** Returns the answer to an upgrade whose key or token is refused. `kind`: of the authenticator. */
export function refusalOfCredential(code: CredentialRefusal, kind: Authenticator['kind']): UpgradeRefusal {
  if (code === 'unauthorized') return { status: 401, code, sentence: sentences[kind] };
  if (code === 'bad_speaker') return { status: 401, code: 'unauthorized', sentence: badSpeaker };
  return { status: 429, code, sentence: tooManyWrong };
}

/** Says that an address has shown too many wrong keys or tokens. */
export const tooManyWrong = 'Too many wrong keys or tokens from this address. Try again in a second.';

/** Whether a request comes from this machine, where there are no tokens. `address`: of the client. */
export function isFromAllowedPlace({ headers }: IncomingMessage, address: string, { kind }: Authenticator): boolean {
  // the Host too: a name that an attacker's DNS points at this machine would make the attacker's page one of the same origin
  return kind !== 'local' || (isLoopback(address) && isLoopback(hostnameOf(`http://${headers.host ?? ''}`)));
}

/** Whether a request comes from no page, or from one whose origin is allowed: it is listed, or has the host that was asked. */
export function isFromAllowedPage({ headers }: IncomingMessage, origins: readonly string[]): boolean {
  const { origin, host = '' } = headers;
  return origin === undefined || origins.includes(origin) || isSameHost(origin, host);
}

/** Returns what a request shows: a bearer token or, without tokens, also the key of its address. Null: nothing; an empty key is none. */
export function credentialOf(request: IncomingMessage, { kind }: Authenticator): string | null {
  const [, query = ''] = request.url?.split('?', 2) ?? [];
  const key = kind === 'local' ? new URLSearchParams(query).get(keyParameter) : null;
  return key || bearerTokenOf(request);
}

/** Whether a host is an address or a name of this machine, whatever its network. */
export function isLoopback(host: string): boolean {
  const address = host.startsWith('::ffff:') ? host.slice('::ffff:'.length) : host;
  if (isIP(address) === 4) return address.startsWith('127.');
  return address === '::1' || address === 'localhost';
}

/** Returns the token of an upgrade's `Authorization: Bearer …`; null when it has none. */
export function bearerTokenOf(request: IncomingMessage): string | null {
  return /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1] ?? null;
}

const isSameHost = (origin: string, host: string) => {
  const url = URL.canParse(origin) ? new URL(origin) : null;
  return url !== null && url.host !== '' && url.host === host.toLowerCase();
};

const hostnameOf = (url: string) => (URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '') : '');
