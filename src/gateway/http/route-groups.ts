// The routes that are built in, group by group.
import { abortRoutes } from './abort-routes.ts';
import { archiveRoutes } from './archive-routes.ts';
import { blobRoutes } from './blob-routes.ts';
import { eventRoutes } from './event-routes.ts';
import { healthRoutes } from './health-routes.ts';
import { hostRoutes } from './host-routes.ts';
import { questionRoutes } from './question-routes.ts';
import { roomRoutes } from './room-routes.ts';
import type { HttpRoute } from './route.ts';
import { sayRoutes } from './say-routes.ts';
import { sessionRoutes } from './session-routes.ts';
import { timeoutRoutes } from './timeout-routes.ts';
import { turnRoutes } from './turn-routes.ts';
import { usageRoutes } from './usage-routes.ts';

export const builtinRoutes: readonly HttpRoute[] = [
  ...healthRoutes,
  ...sessionRoutes,
  ...eventRoutes,
  ...sayRoutes,
  ...turnRoutes,
  ...abortRoutes,
  ...questionRoutes,
  ...roomRoutes,
  ...timeoutRoutes,
  ...usageRoutes,
  ...blobRoutes,
  ...archiveRoutes,
  ...hostRoutes,
];
