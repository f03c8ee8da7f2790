// The time of day set backward and forward under a gateway: no rate of a door gains or loses by it, and what expires ends at its time of day.
import { describe, expect, test } from 'vitest';
import { systemSources } from '../../src/core/sources/system.ts';
import { createVirtualClock } from '../../src/core/sources/virtual.ts';
import { createTokenAuthenticator } from '../../src/gateway/auth/token-file.ts';
import { LateInspector } from '../../src/inspector/late-inspector.ts';
import { FakeRuntime } from '../support/fake-runtime.ts';
import { startGateway } from '../support/gateway.ts';
import { connectRaw } from '../support/raw-client.ts';
import { until } from '../support/until.ts';
import { httpOf } from './http/open.ts';

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

describe('a token that expires in a minute', () => {
  /** A WebSocket, a stream of events and a stream of records, all with that token. `countOpen`: how many of them have not ended. */
  async function openAll() {
    const clock = createVirtualClock(1_000_000_000_000);
    const expiresAt = clock.now() + 60_000;
    const inspector = new LateInspector(async () => ({ clock }));
    const verify = async () => ({
      speaker: { id: 'ann', roles: ['moderator' as const] },
      sessions: ['*'],
      expiresAt,
    });
    const door = await httpOf(
      {},
      {
        sources: { ...systemSources, clock },
        authenticator: { kind: 'tokens', verify },
        limits: { heartbeatMs: 1_000_000_000 },
        inspector,
        own: { inspector },
      },
    );
    const client = await connectRaw(door.url);
    await client.hello(token);
    await client.join('room');
    const events = await door.stream('/api/sessions/room/events');
    const records = await door.stream('/api/inspector/records');
    await until(() => events.events.length > 0 && records.events.length > 0);
    const isClosed = client.closed().then(({ reason }) => reason);
    const ended = () => Promise.all([isClosed, events.ended, records.ended]);
    const openStreams = () => [events, records].filter((stream) => !stream.hasEnded()).length;
    return { clock, ended, openStreams, socket: client.socket };
  }

  test.each([hour, 24 * hour])(
    'ends its connection and its streams, if the time of day is set forward by %d ms [clock.expiry]',
    async (ms) => {
      const { clock, ended } = await openAll();
      await clock.advance(10_000);
      clock.step(ms);
      await clock.advance(5_000);
      expect(await ended()).toMatchObject(['token_expired', undefined, undefined]);
    },
  );

  test.each([-hour, -24 * hour])(
    'ends them at its time of day, if that is set backward by %d ms [clock.expiry]',
    async (ms) => {
      const { clock, ended, openStreams, socket } = await openAll();
      await clock.advance(10_000);
      clock.step(ms);
      await clock.advance(50_000);
      expect([openStreams(), socket.readyState]).toEqual([2, socket.OPEN]);
      clock.step(-ms - 1);
      await clock.advance(5_000);
      expect(await ended()).toMatchObject(['token_expired', undefined, undefined]);
    },
  );
});
