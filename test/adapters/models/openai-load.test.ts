// The openai client is loaded by the first request, and a stop does not wait for it.
import { getEventListeners } from 'node:events';
import { afterEach, expect, test, vi } from 'vitest';
import { runModelCall } from '../../contract/provider.ts';
import { until } from '../../support/until.ts';
import { bareServer, providerAt } from './at-endpoint.ts';

const client = '../../../src/adapters/models/endpoint-client.ts';
const nothing = { kind: 'exact', input: 0, output: 0 };

/** Makes the next load of the client wait for `gate`; returns how often it is loaded. */
function gateLoads(gate: () => Promise<void>): () => number {
  let count = 0;
  vi.resetModules();
  vi.doMock(client, async (importReal) => {
    count++;
    await gate();
    return await importReal();
  });
  return () => count;
}

afterEach(() => {
  vi.doUnmock(client);
  vi.resetModules();
});

test('a provider that is created loads nothing; its requests load the client once', async () => {
  const loads = gateLoads(async () => {});
  const { url, responses } = await bareServer();
  const provider = providerAt(url);
  expect(loads()).toBe(0);
  const running = [runModelCall(provider), runModelCall(provider)];
  await until(() => responses.length === 2, { what: 'both requests' });
  expect(loads()).toBe(1);
  for (const { controller } of running) controller.abort();
  for (const { end } of running) expect(await end).toMatchObject({ kind: 'stopped' });
});

test('a stop while it loads ends the call at once, and no request follows [cancel.fence] [ladder.turn.generating]', async () => {
  const loading = Promise.withResolvers<void>();
  const loads = gateLoads(() => loading.promise);
  const { url, responses } = await bareServer();
  const { end, controller } = runModelCall(providerAt(url));
  await until(() => loads() === 1, { what: 'the load' });
  controller.abort();
  expect(await end).toEqual({ kind: 'stopped', calls: [], usage: nothing });
  expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  loading.resolve();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(responses).toEqual([]);
});

test('a load that fails is a named failure, and the next request tries again', async () => {
  gateLoads(() => Promise.reject(new Error('there is no such package')));
  const { url, responses } = await bareServer();
  const provider = providerAt(url);
  const end = await runModelCall(provider).end;
  expect(end).toMatchObject({ kind: 'failed', code: 'model_unavailable', usage: nothing });
  expect(end.kind === 'failed' && end.message).toMatch(/^The openai client could not be loaded: /);
  gateLoads(async () => {});
  const { controller, end: second } = runModelCall(provider);
  await until(() => responses.length === 1, { what: 'the request' });
  controller.abort();
  expect(await second).toMatchObject({ kind: 'stopped' });
});
