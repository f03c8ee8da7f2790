// Reports of refused connections: one for each, at the upgrade, at HELLO and over HTTP, without tokens, and at a bounded rate.
import { expect, test } from 'vitest';
import { monotonicTime } from '../../src/core/sources/monotonic-time.ts';
import { createLocalAuthenticator } from '../../src/gateway/auth/local.ts';
import { createTokenAuthenticator } from '../../src/gateway/auth/token-file.ts';
import { RefusalReports, type ReportedRefusal } from '../../src/gateway/refusal-reports.ts';
import { FakeRuntime } from '../support/fake-runtime.ts';
import { startGateway } from '../support/gateway.ts';
import { connectRaw, refusedUpgrade } from '../support/raw-client.ts';
import { until } from '../support/until.ts';

const right = 'a-token-of-ann-0001';
const wrong = 'a-wrong-token-of-nobody';
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Starts a gateway, and keeps what it reports. */
async function startWith(options: Partial<Parameters<typeof startGateway>[0]> = {}) {
  const refusals: ReportedRefusal[] = [];
  const { url } = await startGateway({
    runtime: new FakeRuntime(),
    authenticator: createTokenAuthenticator({ [right]: { speaker: 'ann' } }),
    onRefusal: (refusal) => refusals.push(refusal),
    ...options,
  });
  return { refusals, url, base: url.replace('ws:', 'http:').replace('/belay', '') };
}

const at = { address: '127.0.0.1', unreported: 0 };

test('an upgrade that is refused is reported [ops.log]', async () => {
  const { refusals, url } = await startWith();
  await refusedUpgrade(url, { headers: bearer(wrong) });
  await refusedUpgrade(url, { origin: 'https://evil.example' });
  await refusedUpgrade(url, { protocols: ['belay.v2'] });
  expect(refusals).toEqual([
    { door: 'socket', code: 'unauthorized', status: 401, ...at },
    { door: 'socket', code: 'origin_not_allowed', status: 403, ...at },
    { door: 'socket', code: null, status: 400, ...at },
  ]);
});

test('an upgrade without the key is reported, without what was shown [ops.log]', async () => {
  const { refusals, url } = await startWith({ authenticator: createLocalAuthenticator(undefined, 'the-right-key') });
  await refusedUpgrade(`${url}?key=${wrong}`);
  expect(refusals).toEqual([{ door: 'socket', code: 'unauthorized', status: 401, ...at }]);
});

test('a HELLO that is refused, and one that does not come, are reported [ops.log]', async () => {
  const { refusals, url } = await startWith({ limits: { helloMs: 300 } });
  const client = await connectRaw(url);
  client.send({ type: 'HELLO', token: wrong });
  expect(await client.closed()).toMatchObject({ code: 4401 });
  await (await connectRaw(url)).closed();
  const welcome = await connectRaw(url);
  await welcome.hello(right);
  welcome.socket.close(1000);
  await welcome.closed();
  expect(refusals).toEqual([
    { door: 'socket', code: 'unauthorized', status: 4401, ...at },
    { door: 'socket', code: 'hello_timeout', status: 4408, ...at },
  ]);
});

test('a request that is refused is reported, one that is accepted is not [ops.log]', async () => {
  const { refusals, base } = await startWith();
  const ask = (headers: Record<string, string>) => fetch(`${base}/api/turns/t/abort`, { method: 'POST', headers });
  await ask(bearer(wrong));
  await ask({ ...bearer(right), origin: 'https://evil.example' });
  await ask(bearer(right));
  expect(refusals).toEqual([
    { door: 'http', code: 'unauthorized', status: 401, ...at },
    { door: 'http', code: 'origin_not_allowed', status: 403, ...at },
  ]);
});

test('a flood is reported at a bounded rate, and the next report counts what was left out [ops.log]', async () => {
  const reports: ReportedRefusal[] = [];
  let now = 1_000;
  const clock = { elapsed: () => monotonicTime(now) };
  const refusals = new RefusalReports(clock, (refusal) => reports.push(refusal));
  const refusal = { door: 'http', code: 'unauthorized', status: 401, address: '192.0.2.1' } as const;
  for (let n = 0; n < 500; n++) refusals.add(refusal);
  expect(reports).toHaveLength(20);
  now += 1_000;
  refusals.add(refusal);
  now += 1_000;
  refusals.add(refusal);
  expect(reports.slice(20).map(({ unreported }) => unreported)).toEqual([480, 0]);
});

test('a flood of sockets leaves at most the burst and one a second [ops.log]', async () => {
  const { refusals, url } = await startWith();
  const before = Date.now();
  for (let n = 0; n < 60; n++) await refusedUpgrade(url, { headers: bearer(wrong) });
  const seconds = (Date.now() - before) / 1_000;
  await until(() => refusals.length >= 20);
  expect(refusals.length).toBeLessThanOrEqual(21 + seconds);
  expect(JSON.stringify(refusals)).not.toContain(wrong);
});
