// Writes docs/openapi.json from the routes of the HTTP door (npm run openapi).
import { writeFileSync } from 'node:fs';
import { inspectorDeclaration } from '../src/gateway/http/inspector-route.ts';
import { metricsDeclaration } from '../src/gateway/http/metrics-route.ts';
import { openApiDocument } from '../src/gateway/http/openapi.ts';
import { openApiDeclaration } from '../src/gateway/http/openapi-route.ts';
import { builtinRoutes } from '../src/gateway/http/route-groups.ts';

const document = openApiDocument([...builtinRoutes, inspectorDeclaration, metricsDeclaration, openApiDeclaration]);
writeFileSync(new URL('../docs/openapi.json', import.meta.url), JSON.stringify(document));
