// Connections that are reset while a door refuses what they ask: the process goes on.
import { expect, test } from 'vitest';
import { serveBelay } from '../support/belay.ts';
import { type Child, startChild } from '../support/child.ts';
import { useEndpoint } from '../support/journey.ts';
import { refusedRequests, resetEach, upgradeRequest } from '../support/reset-connections.ts';

const endpoint = useEndpoint();

/** Asks a server that must go on; fails with what its process has printed. */
const isServedBy = (child: Child, address: string) => async (what: string) => {
  const response = await fetch(address).catch(() => null);
  expect(response, `after ${what} the server is gone: ${child.stderr()}`).not.toBeNull();
  await response?.arrayBuffer();
};

test('the gateway and the relay of the inspector outlive every refused request whose connection is reset [ws.limits.reset]', async () => {
  const { child, url } = await serveBelay(endpoint, { config: { stately: 0 } });
  const gateway = Number(new URL(url).port);
  const relay = Number(/inspector +http:\/\/127\.0\.0\.1:(\d+)/.exec(child.stdout())?.[1]);
  await resetEach(gateway, refusedRequests(gateway), isServedBy(child, `http://127.0.0.1:${gateway}/healthz`));
  await resetEach(relay, refusedRequests(relay), isServedBy(child, `http://127.0.0.1:${relay}/`));
  expect(child.stderr()).toBe('');
  child.signal('SIGTERM');
  expect(await child.ended()).toBe(0);
});

test('doors on the server of an embedder outlive an upgrade that none of them answers, and an authenticator that throws [ws.limits.reset]', async () => {
  const child = startChild('test/children/two-doors.ts');
  const [, port = ''] = await child.untilPrinted(/port (\d+)/);
  const isServed = isServedBy(child, `http://127.0.0.1:${port}/`);
  const fields = ['Sec-WebSocket-Protocol: belay.v1', 'Authorization: Bearer any'];
  const withToken = { 'an upgrade with a token': upgradeRequest(Number(port), '/one', ...fields) };
  const unanswered = { 'an upgrade at another path': upgradeRequest(Number(port), '/three') };
  await resetEach(Number(port), { ...unanswered, ...withToken }, isServed);
  expect(child.stderr()).toBe('');
});
