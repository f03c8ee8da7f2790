// Holds the replies of the HTTP tests to the declarations of the routes, from which the OpenAPI document is made.
import { inspectorDeclaration } from '../../../src/gateway/http/inspector-route.ts';
import { metricsDeclaration } from '../../../src/gateway/http/metrics-route.ts';
import { openApiDeclaration } from '../../../src/gateway/http/openapi-route.ts';
import { builtinRoutes } from '../../../src/gateway/http/route-groups.ts';
import { problemsOf } from '../../../src/gateway/http/route-problems.ts';

const routes = [...builtinRoutes, inspectorDeclaration, metricsDeclaration, openApiDeclaration];

/** Replies to what is no route of the gateway that was asked. */
const noRoute: readonly string[] = ['not_found', 'method_not_allowed'];

/** Throws if the route of a request does not declare the problem of the reply. */
export function assertProblemDeclared(method: string, path: string, status: number, code: string): void {
  if (noRoute.includes(code)) return;
  const [asked = ''] = path.split('?', 1);
  const found = routes.filter((route) => route.method === method && patternOf(route.path).test(asked));
  if (
    found.length === 0 ||
    found.some((route) =>
      problemsOf(route)
        .get(status)
        ?.some((each) => each === code),
    )
  )
    return;
  throw new Error(`${method} ${path} replied with ${code} (${status}), which its route does not declare`);
}

const patternOf = (path: string): RegExp => new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`);
