// Entry by HTTP: place, origin, key, token and rates, and the form of errors.
import { expect, test } from 'vitest';
import { createLocalAuthenticator } from '../../../src/gateway/auth/local.ts';
import { HttpProblem } from '../../../src/gateway/http/problems.ts';
import { route } from '../../../src/gateway/http/route.ts';
import { httpOf } from './open.ts';

test('a request without a token, or with a wrong one, is refused [http.api.access]', async () => {
  const { ask } = await httpOf();
  for (const token of [null, 'not-a-token-of-anybody']) {
    const reply = await ask('/api/sessions', { token });
    expect(reply.status).toBe(401);
    expect(reply.headers.get('content-type')).toContain('application/problem+json');
    expect(reply.headers.get('www-authenticate')).toBe('Bearer');
    expect(reply.body).toMatchObject({ type: 'urn:belay:error:unauthorized', status: 401, code: 'unauthorized' });
  }
  expect(await ask('/api/sessions')).toMatchObject({ status: 200, body: { sessions: [], next: null } });
});

test('health and readiness need no token [http.api.health]', async () => {
  const { ask } = await httpOf();
  expect(await ask('/healthz', { token: null })).toMatchObject({ status: 200, body: { status: 'open' } });
  expect(await ask('/readyz', { token: null })).toMatchObject({ status: 200, body: { status: 'open' } });
});

test('what is not there, or not good, is named [http.api.errors]', async () => {
  const { ask } = await httpOf();
  expect(await ask('/api/nothing')).toMatchObject({ status: 404, body: { code: 'not_found' } });
  expect(await ask('/api/sessions?limit=0')).toMatchObject({
    status: 400,
    body: { code: 'bad_field', field: 'limit', limit: 1, detail: 'The field "limit" must be at least 1, not a text.' },
  });
  expect(await ask('/api/sessions?limits=5')).toMatchObject({
    status: 400,
    body: { code: 'unknown_field', field: 'limits', detail: 'There is no field "limits". Did you mean limit?' },
  });
});

test('a problem that its route does not declare is reported as a bug, and fails a test [http.api.openapi]', async () => {
  const forgetful = route({
    method: 'GET',
    path: '/api/forgetful',
    operation: 'askForgetful',
    summary: 'Replies with a problem that it does not declare.',
    access: 'speaker',
    kind: 'request',
    replies: {},
    problems: [['session_in_use', 503]],
    handle() {
      throw new HttpProblem('session_in_use');
    },
  });
  const { ask, reports } = await httpOf({ routes: [forgetful] });
  expect(await ask('/api/forgetful')).toMatchObject({ status: 409, body: { code: 'session_in_use' } });
  expect(await ask('/api/forgetful', { token: null }), 'declared by its access').toMatchObject({ status: 401 });
  expect(reports.splice(0)).toEqual([
    expect.objectContaining({
      name: 'UndeclaredProblem',
      message: expect.stringContaining('GET /api/forgetful replied with session_in_use (409)'),
    }),
  ]);
});

test('a route has its methods, and an address that cannot be read is named [http.api.errors]', async () => {
  const { ask } = await httpOf();
  const other = await ask('/api/sessions', { method: 'PUT' });
  expect(other).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
  expect(other.headers.get('allow')).toBe('GET');
  expect((await ask('/healthz', { method: 'HEAD', token: null })).status).toBe(200);
  for (const path of ['/api/sessions/%E0%A4%A/events', `/api/sessions/${'x'.repeat(600)}/events`]) {
    const reply = await ask(path);
    expect(reply.headers.get('content-type')).toContain('application/problem+json');
    expect(reply).toMatchObject({ status: 400, body: { code: 'bad_field' } });
  }
});

test('a page of another origin may ask only if it is listed [http.api.access]', async () => {
  const { ask } = await httpOf({ origins: ['https://chat.example'] });
  const from = (origin: string) => ({ headers: { origin } });
  expect(await ask('/api/sessions', from('https://evil.example'))).toMatchObject({
    status: 403,
    body: { code: 'origin_not_allowed' },
  });
  const allowed = await ask('/api/sessions', from('https://chat.example'));
  expect(allowed.status).toBe(200);
  expect(allowed.headers.get('access-control-allow-origin')).toBe('https://chat.example');
  const preflight = await ask('/api/turns/t/abort', {
    method: 'OPTIONS',
    token: null,
    ...from('https://chat.example'),
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-headers')).toContain('authorization');
  expect((await ask('/api/sessions', { method: 'OPTIONS', token: null, ...from('https://evil.example') })).status).toBe(
    403,
  );
});

test('a gateway without tokens asks for its key, as a parameter or as a bearer token [http.api.access]', async () => {
  const { ask } = await httpOf({}, { authenticator: createLocalAuthenticator(undefined, 'the-key-of-this-start') });
  expect((await ask('/api/sessions', { token: null })).status).toBe(401);
  expect((await ask('/api/sessions?key=another-key', { token: null })).status).toBe(401);
  expect((await ask('/api/sessions?key=the-key-of-this-start', { token: null })).status).toBe(200);
  expect((await ask('/api/sessions', { token: 'the-key-of-this-start' })).status).toBe(200);
  expect((await ask('/api/sessions', { headers: { host: 'evil.example' } })).status).toBe(403);
});

test('requests past the rate of a speaker are refused; those of another speaker are not [http.api.limits]', async () => {
  const { ask } = await httpOf({}, { limits: { framesPerSecond: 1, frameBurst: 3 } });
  const replies = await Promise.all(Array.from({ length: 5 }, () => ask('/api/sessions')));
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429, 429]);
  expect(replies.find(({ status }) => status === 429)?.body).toMatchObject({ code: 'rate_limited', limit: 1 });
  expect((await ask('/api/sessions', { token: 'a-token-of-bob-0001' })).status).toBe(200);
});

test('an address that tries wrong tokens has to wait [http.api.limits]', async () => {
  const { ask } = await httpOf({}, { limits: { errorBurst: 3, errorsPerSecond: 1 } });
  const wrong = { token: 'not-a-token-of-anybody' };
  const statuses: number[] = [];
  for (let i = 0; i < 5; i++) statuses.push((await ask('/api/sessions', wrong)).status);
  expect(statuses).toEqual([401, 401, 401, 429, 429]);
});
