// Says which authorization server gives tokens for this resource (RFC 9728), where the gateway takes signed tokens of one. Belay is none itself.
import * as z from 'zod';
import { type HttpRoute, route } from '../../gateway/http/route.ts';
import type { TokenSettings } from '../door-turns/door-profiles.ts';

/** The resource, as its tokens name it, and who gives them. */
export interface ProtectedResource {
  /** The audience of the tokens: an address. */
  readonly resource: string;
  readonly issuer: string;
  /** Where the metadata is. */
  readonly metadataUrl: string;
}

const metadataPath = '/.well-known/oauth-protected-resource';

/** Returns the resource. Null: the issuer or the audience of the tokens is no address, so that no client could use them. */
export function protectedResourceOf({ jwtIssuer, jwtAudience }: TokenSettings): ProtectedResource | null {
  const [issuer, audience] = [addressOf(jwtIssuer), addressOf(jwtAudience)];
  if (issuer === null || audience === null || jwtIssuer === undefined || jwtAudience === undefined) return null;
  const path = audience.pathname === '/' ? '' : audience.pathname;
  return { resource: jwtAudience, issuer: jwtIssuer, metadataUrl: `${audience.origin}${metadataPath}${path}` };
}

function addressOf(text = ''): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url : null;
}

/** Returns the routes of the metadata: at the root, and at the path of the resource. */
export function metadataRoutes({ resource, issuer, metadataUrl }: ProtectedResource): readonly HttpRoute[] {
  const paths = new Set([metadataPath, new URL(metadataUrl).pathname]);
  return [...paths].map((path, i) =>
    route({
      method: 'GET',
      path,
      operation: i === 0 ? 'getProtectedResource' : 'getProtectedResourceOfPath',
      summary: 'Says which authorization server gives tokens for the MCP door.',
      access: 'anybody',
      kind: 'request',
      replies: { 200: { description: 'The metadata.', schema: z.looseObject({ resource: z.string() }) } },
      handle: () => ({
        status: 200,
        body: {
          resource,
          authorization_servers: [issuer],
          bearer_methods_supported: ['header'],
          resource_name: 'Belay',
        },
      }),
    }),
  );
}
