// GET /metrics: who may read it, and that it counts what the gateway does.
import { expect, test } from 'vitest';
import { createLocalAuthenticator } from '../../../src/gateway/auth/local.ts';
import { httpOf } from './open.ts';

const read = async () => ({ text: 'belay_connections 1\n', contentType: 'text/plain; version=0.0.4' });

test('without tokens every process of this machine may read the metrics, and no page of another host [ops.metrics.door]', async () => {
  const metrics = { token: null, read };
  const { ask } = await httpOf(
    { metrics },
    { authenticator: createLocalAuthenticator(undefined, 'the-key-of-this-start') },
  );
  const reply = await ask('/metrics', { token: null });
  expect(reply.status).toBe(200);
  expect(reply.headers.get('content-type')).toBe('text/plain; version=0.0.4');
  expect(reply.bytes.toString()).toBe('belay_connections 1\n');
  const rebound = await ask('/metrics', { token: null, headers: { host: 'evil.example' } });
  expect(rebound).toMatchObject({ status: 403, body: { code: 'not_local' } });
  const page = await ask('/metrics', { token: null, headers: { origin: 'https://evil.example' } });
  expect(page).toMatchObject({ status: 403, body: { code: 'origin_not_allowed' } });
});

test('with tokens nobody may, a speaker neither, until they have a token of their own [ops.metrics.door]', async () => {
  const { ask } = await httpOf({ metrics: { token: null, read } });
  for (const given of [{}, { token: null }])
    expect(await ask('/metrics', given)).toMatchObject({
      status: 401,
      body: { code: 'unauthorized', detail: expect.stringContaining('set metricsTokenFile') },
    });
});

test('a token of their own opens them, and nothing else [ops.metrics.door]', async () => {
  const token = 'the-token-of-prometheus';
  const { ask } = await httpOf({ metrics: { token, read } });
  expect((await ask('/metrics', { token })).status).toBe(200);
  expect((await ask('/metrics')).status).toBe(401);
  expect((await ask('/metrics', { token: null })).status).toBe(401);
  expect((await ask('/api/sessions', { token })).status).toBe(401);
});

test('without metrics there is no such route [ops.metrics.door]', async () => {
  const { ask } = await httpOf();
  expect((await ask('/metrics')).status).toBe(404);
});
