// docs/openapi.json is the document of the routes as they are, valid, with an operation for each route.
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { inspectorDeclaration } from '../../src/gateway/http/inspector-route.ts';
import { metricsDeclaration } from '../../src/gateway/http/metrics-route.ts';
import { openApiDocument } from '../../src/gateway/http/openapi.ts';
import { openApiDeclaration } from '../../src/gateway/http/openapi-route.ts';
import { builtinRoutes } from '../../src/gateway/http/route-groups.ts';
import { read } from './tree.ts';

const routes = [...builtinRoutes, inspectorDeclaration, metricsDeclaration, openApiDeclaration];
const document = JSON.parse(read('docs/openapi.json'));

test('docs/openapi.json is that of the routes: npm run openapi writes it [http.api.openapi]', () => {
  expect(document).toEqual(JSON.parse(JSON.stringify(openApiDocument(routes))));
});

test('it is a valid document of OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  expect(errors ?? []).toEqual([]);
  expect(valid).toBe(true);
});

test('every operation has an id of its own', () => {
  const ids = routes.map(({ operation }) => operation);
  expect(new Set(ids).size).toBe(ids.length);
});

test('docs/http.md names the path of every route', () => {
  const page = read('docs/http.md').replaceAll(/:\w+/g, ':');
  const paths = routes.map(({ path }) => path.replaceAll(/:\w+/g, ':'));
  const short = (path: string) => path.replace(/^\/api\/(sessions|nodes)\/:/, '…');
  expect(paths.filter((path) => !page.includes(path) && !page.includes(short(path)))).toEqual([]);
});
