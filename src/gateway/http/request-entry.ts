// Decides which requests may enter, before their bodies are read: by place, origin, token or key, rate and share. It is what a socket passes, in the same order.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Authenticator, Proof } from '../auth/authenticator.ts';
import { addressShareOf, clientAddressOf, TrustedProxies } from '../client-address.ts';
import type { GatewayServices } from '../gateway-services.ts';
import { credentialOf, isFromAllowedPage, isFromAllowedPlace, type OriginOptions } from '../upgrade-guard.ts';
import { wantsEvents } from './event-stream.ts';
import { HttpProblem, problemOfCredential } from './problems.ts';
import { RequestRates } from './request-rates.ts';
import type { HttpCall, HttpRoute, RequestKind } from './route.ts';

/** Headers that a page of another origin may send, and read. */
const corsRequestHeaders =
  'authorization, content-type, accept, last-event-id, idempotency-key, x-belay-session, ' +
  'mcp-session-id, mcp-protocol-version, mcp-method, mcp-name';
const corsMethods = 'GET, POST, DELETE';
const preflightSeconds = '600';

/** A request that may enter. */
export interface Entered extends Pick<HttpCall, 'caller' | 'expiresAt' | 'count'> {
  /** To be called once, when the response is over: the request counts no more. */
  release(): void;
}

const nobody = { id: '', roles: [] } as const;

/** Whether the body may be as large as a blob. */
export const hasLargeBody = ({ bodyKind, door }: HttpRoute): boolean => bodyKind === 'bytes' || door !== undefined;

export class RequestEntry {
  readonly #services: GatewayServices;
  readonly #authenticator: Authenticator;
  readonly #origins: readonly string[];
  readonly #proxies: TrustedProxies;
  readonly #rates: RequestRates;
  /** What has proven the speaker of each request under way. */
  readonly #proofs = new Map<IncomingMessage, Proof>();

  constructor(
    services: GatewayServices,
    authenticator: Authenticator,
    { origins = [], trustedProxies }: OriginOptions,
  ) {
    this.#services = services;
    this.#authenticator = authenticator;
    this.#origins = origins;
    this.#proxies = new TrustedProxies(trustedProxies);
    this.#rates = new RequestRates(services.clock, services.rates);
    authenticator.onRevoked?.((proof) => this.#cutProvenBy(proof));
  }

  /** Checks place and origin, and sets the headers by which a page of an allowed origin may read the response. Throws an `HttpProblem`. */
  checkOrigin(request: IncomingMessage, response: ServerResponse): void {
    const { origin } = request.headers;
    response.setHeader('vary', 'origin');
    if (!isFromAllowedPage(request, this.#origins))
      throw this.#refusalOf(request, new HttpProblem('origin_not_allowed'));
    if (origin !== undefined) response.setHeader('access-control-allow-origin', origin);
  }

  /** Answers what a browser asks before it sends a request of a page of another origin. */
  replyToPreflight(response: ServerResponse): void {
    response.setHeader('access-control-allow-methods', corsMethods);
    response.setHeader('access-control-allow-headers', corsRequestHeaders);
    response.setHeader('access-control-max-age', preflightSeconds);
  }

  /** Finds the speaker of a request, and counts the request. Rejects with an `HttpProblem`. */
  async enter(route: HttpRoute, request: IncomingMessage): Promise<Entered> {
    const { ids, provesByToken } = this.#services;
    const connection = ids('http');
    if (route.access === 'anybody')
      return { caller: { speaker: nobody, connection }, expiresAt: null, count() {}, release() {} };
    const proven = await this.#prove(request, route);
    const { speaker, sessions = null, expiresAt } = proven;
    const proof = provesByToken ? { speaker, sessions } : undefined;
    const caller = { speaker, connection, proof, door: route.door?.name };
    const releases: (() => void)[] = [];
    const count = (kind: RequestKind) => {
      this.#countRate(kind, route, speaker.id);
      releases.push(this.#occupy(kind, route, request, speaker.id));
    };
    if (route.kind !== 'by_body') this.#countRate(route.kind, route, speaker.id);
    this.#spendBytes(route, request, speaker.id);
    if (route.kind !== 'by_body') releases.push(this.#occupy(route.kind, route, request, speaker.id));
    this.#proofs.set(request, proven);
    releases.push(() => this.#proofs.delete(request));
    return { caller, expiresAt, count, release: () => releases.forEach((release) => void release()) };
  }

  /** A request whose token is revoked is lost, as if its client were gone. */
  #cutProvenBy(revoked: Proof): void {
    for (const [request, proof] of this.#proofs) if (proof === revoked) request.socket.destroy();
  }

  async #prove(request: IncomingMessage, { kind, door }: HttpRoute): Promise<Proof> {
    const address = clientAddressOf(request, this.#proxies);
    if (!isFromAllowedPlace(request, address, this.#authenticator))
      throw this.#refusalOf(request, new HttpProblem('not_local'), door?.name);
    const shown = {
      secret: credentialOf(request, this.#authenticator),
      address: addressShareOf(address),
      kind: kind === 'cancel' ? 'stop' : 'other',
    } as const;
    const proof = await this.#services.credentials.check(shown).catch(() => 'unauthorized' as const);
    if (typeof proof === 'object') return proof;
    throw this.#refusalOf(request, problemOfCredential(proof), door?.name);
  }

  /** Reports that a request is refused before its speaker is known. Returns the problem. */
  #refusalOf(request: IncomingMessage, problem: HttpProblem, door = 'http'): HttpProblem {
    const { code, status } = problem;
    const address = clientAddressOf(request, this.#proxies);
    this.#services.refusals.add({ door, code, status, address });
    return problem;
  }

  #countRate(kind: RequestKind, { door }: HttpRoute, speaker: string): void {
    if (this.#rates.countRequest(speaker, kind)) return;
    this.#services.refusals.countRateLimited(door?.name ?? 'http');
    throw new HttpProblem('rate_limited', { limit: this.#services.limits.framesPerSecond });
  }

  /** Counts the bytes of a request. A stop gets in when they are used up, and so does a small body that may say one. */
  #spendBytes(route: HttpRoute, { headers }: IncomingMessage, speaker: string): void {
    const { limits, shares } = this.#services;
    const bytes = Number(headers['content-length'] ?? 0) || 0;
    if (hasLargeBody(route) && bytes > limits.speakerByteBurst)
      throw new HttpProblem('body_too_large', { limit: limits.speakerByteBurst }); // waiting would not help
    const mayBeStop = route.kind === 'cancel' || (route.kind === 'by_body' && bytes <= limits.frameBytes);
    if (!shares.spendBytes(speaker, bytes) && !mayBeStop)
      throw new HttpProblem('too_many_bytes', { limit: limits.speakerBytesPerSecond });
  }

  /** Counts the request for its speaker until the returned function is called, as the frame or the connection that it would be on a socket. */
  #occupy(kind: RequestKind, { method, replies }: HttpRoute, request: IncomingMessage, speaker: string): () => void {
    const { limits, shares } = this.#services;
    const isStreamToo = Object.values(replies).some((reply) => reply.isStreamToo);
    if (kind === 'cancel') return () => {};
    if (kind === 'request' || (method === 'GET' && isStreamToo && !wantsEvents(request))) {
      if (this.#rates.unansweredOf(speaker) >= limits.unanswered)
        throw new HttpProblem('too_many_unanswered', { limit: limits.unanswered });
      return this.#rates.addUnanswered(speaker);
    }
    const limit = limits.connectionsPerSpeaker;
    if (shares.countOf(speaker) >= limit || shares.total >= limits.connections)
      throw new HttpProblem('too_many_connections', { limit });
    shares.addConnection(speaker);
    return () => shares.removeConnection(speaker);
  }
}
