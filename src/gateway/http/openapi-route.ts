// The route of the OpenAPI document. The document is made when it is asked for first: most gateways are never asked.
import { loadOnce } from '../../core/collections/load-once.ts';
import { type HttpRoute, type RouteDeclaration, route } from './route.ts';

export const openApiDeclaration = {
  method: 'GET',
  path: '/api/openapi.json',
  operation: 'getOpenApi',
  summary: 'Returns this document: the routes of this gateway.',
  access: 'anybody',
  kind: 'request',
  replies: { 200: { description: 'An OpenAPI 3.1 document.', mediaType: 'application/json' } },
} as const satisfies RouteDeclaration;

/** Makes the route of the document of these routes, itself included. */
export function openApiRoute(routes: readonly RouteDeclaration[]): HttpRoute {
  const loadText = loadOnce(async () => {
    const { openApiDocument } = await import('./openapi.ts');
    return JSON.stringify(openApiDocument([...routes, openApiDeclaration]));
  });
  const headers = { 'content-type': 'application/json; charset=utf-8', 'x-content-type-options': 'nosniff' };
  return route({
    ...openApiDeclaration,
    async handle() {
      return { status: 200, body: await loadText(), headers };
    },
  });
}
