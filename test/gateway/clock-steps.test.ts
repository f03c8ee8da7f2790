// The time of day set backward and forward under a gateway: no rate of a door gains or loses by it.
import { expect, test } from 'vitest';
import { systemSources } from '../../src/core/sources/system.ts';
import { createVirtualClock } from '../../src/core/sources/virtual.ts';
import { createTokenAuthenticator } from '../../src/gateway/auth/token-file.ts';
import { FakeRuntime } from '../support/fake-runtime.ts';
import { startGateway } from '../support/gateway.ts';
import { connectRaw } from '../support/raw-client.ts';

const hour = 3_600_000;
const steps = [-24 * hour, -hour, hour, 24 * hour];
const token = 'a-token-of-ann-0001';

async function start() {
  const clock = createVirtualClock(1_000_000_000_000);
  const { url } = await startGateway({
    runtime: new FakeRuntime(),
    sources: { ...systemSources, clock },
    authenticator: createTokenAuthenticator({ [token]: { speaker: 'ann' } }),
    limits: { heartbeatMs: 1_000_000_000, errorBurst: 3, errorsPerSecond: 1, frameBurst: 4, framesPerSecond: 1 },
  });
  const base = url.replace('ws:', 'http:').replace('/belay', '');
  const guess = async () =>
    (await fetch(`${base}/api/turns/active`, { headers: { authorization: 'Bearer a-wrong-token-of-nobody' } })).status;
  return { clock, url, guess };
}

test.each(steps)(
  'a step of %d ms gives a guesser no more guesses, and locks nobody out [http.api.limits.clock]',
  async (ms) => {
    const { clock, guess } = await start();
    const guesses = async (count: number) => {
      const statuses: number[] = [];
      for (let n = 0; n < count; n++) statuses.push(await guess());
      return statuses;
    };
    expect(await guesses(4)).toEqual([401, 401, 401, 429]);
    clock.step(ms);
    expect(await guesses(2)).toEqual([429, 429]);
    await clock.advance(1_000);
    expect(await guesses(2)).toEqual([401, 429]);
  },
);

test.each(steps)('a step of %d ms costs a client none of its commands [http.api.limits.clock]', async (ms) => {
  const { clock, url } = await start();
  const client = await connectRaw(url);
  await client.hello(token);
  await clock.advance(10_000);
  clock.step(ms);
  for (const ref of ['a', 'b', 'c', 'd', 'e']) client.send({ type: 'PING', ref });
  await client.waitFor('error');
  expect(client.all('pong').map(({ ref }) => ref)).toEqual(['a', 'b', 'c', 'd']);
  expect(client.all('error')).toMatchObject([{ code: 'rate_limited', ref: 'e' }]);
});
