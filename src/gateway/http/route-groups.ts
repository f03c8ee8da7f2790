// The routes that are built in, group by group.
import { healthRoutes } from './health-routes.ts';
import type { HttpRoute } from './route.ts';
import { sessionRoutes } from './session-routes.ts';

export const builtinRoutes: readonly HttpRoute[] = [...healthRoutes, ...sessionRoutes];
