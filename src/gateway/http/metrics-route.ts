// The route of the metrics: whoever may read it has a token of its own, or is on this machine.
import type { IncomingMessage } from 'node:http';
import type { Authenticator } from '../auth/authenticator.ts';
import { addressShareOf, clientAddressOf, type TrustedProxies } from '../client-address.ts';
import type { CredentialCheck } from '../credential-check.ts';
import { bearerTokenOf, isFromAllowedPlace } from '../upgrade-guard.ts';
import { HttpProblem, problemOfCredential } from './problems.ts';
import { type HttpRoute, type RouteDeclaration, route } from './route.ts';

/** Where the metrics come from. */
export interface MetricsSource {
  /** Who shows it may read the metrics; null: without tokens of speakers every process of this machine may, with them nobody. */
  readonly token: string | null;
  read(): Promise<{ readonly text: string; readonly contentType: string }>;
}

const noToken =
  'The metrics of a gateway with tokens need a token of their own: set metricsTokenFile, and send it as "Authorization: Bearer".';
const wrongToken =
  'The token of the metrics is missing or wrong. Send the one of metricsTokenFile as "Authorization: Bearer".';

export const metricsDeclaration = {
  method: 'GET',
  path: '/metrics',
  operation: 'getMetrics',
  summary: 'Returns the metrics in the text format of Prometheus.',
  access: 'anybody',
  reader: 'metrics',
  kind: 'request',
  replies: { 200: { description: 'The metrics.', mediaType: 'text/plain' } },
  problems: ['unauthorized', 'not_local', 'rate_limited'],
} as const satisfies RouteDeclaration;

/** Makes the route. */
export function metricsRoute(source: MetricsSource, authenticator: Authenticator, proxies: TrustedProxies): HttpRoute {
  return route({
    ...metricsDeclaration,
    async handle(_, { request, services }) {
      const address = clientAddressOf(request, proxies);
      const reader = { request, address, credentials: services.credentials };
      const problem = problemOfReader(reader, source.token, authenticator);
      if (problem) {
        const { code, status } = problem;
        services.refusals.add({ door: 'http', code, status, address });
        throw problem;
      }
      const { text, contentType } = await source.read();
      return { status: 200, body: text, headers: { 'content-type': contentType, 'cache-control': 'no-store' } };
    },
  });
}

interface Reader {
  readonly request: IncomingMessage;
  readonly address: string;
  readonly credentials: Pick<CredentialCheck, 'compare'>;
}

/** Returns why a request may not read the metrics; null when it may. */
function problemOfReader(
  { request, address, credentials }: Reader,
  token: string | null,
  own: Authenticator,
): HttpProblem | null {
  if (token !== null) {
    const shown = { secret: bearerTokenOf(request), address: addressShareOf(address) };
    const refusal = credentials.compare(shown, token);
    return refusal && problemOfCredential(refusal, wrongToken);
  }
  if (own.kind === 'tokens') return new HttpProblem('unauthorized', { message: noToken });
  return isFromAllowedPlace(request, address, own) ? null : new HttpProblem('not_local');
}
