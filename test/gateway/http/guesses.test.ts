// Wrong keys and tokens by the hundred: who has a right one is let in, and the authenticator has little to do.
import { SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { systemSources } from '../../../src/core/sources/system.ts';
import { createVirtualClock } from '../../../src/core/sources/virtual.ts';
import type { Authenticator } from '../../../src/gateway/auth/authenticator.ts';
import { createJwtAuthenticator } from '../../../src/gateway/auth/jwt.ts';
import { createLocalAuthenticator } from '../../../src/gateway/auth/local.ts';
import { createTokenAuthenticator } from '../../../src/gateway/auth/token-file.ts';
import { connectRaw, refusedUpgrade } from '../../support/raw-client.ts';
import { until } from '../../support/until.ts';
import { sendWrongRequests } from '../../support/wrong-requests.ts';
import { ann, bob, httpOf, tokens } from './open.ts';

const burst = 5;
const limits = { errorBurst: burst, errorsPerSecond: 1, helloMs: 10_000, heartbeatMs: 1_000_000_000 };
const secret = 's'.repeat(32);
const sign = (sub: string, claims: object = {}) =>
  new SignJWT({ sub, ...claims }).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(secret));
const wrong = (n: number) => ({ token: `a-wrong-token-of-nobody-${n}` });
const wrongRequests = [
  { path: '/api/sessions', headers: { authorization: 'Bearer a-wrong-token-of-nobody' } },
  { path: '/api/sessions?key=a-wrong-key' },
  { path: '/api/sessions' },
];

/** A gateway whose rates pass under a clock of the test. */
async function doorWith(
  authenticator: Authenticator,
  clock = createVirtualClock(1_000_000_000_000),
  errorBurst = burst,
) {
  return {
    clock,
    ...(await httpOf({}, { authenticator, limits: { ...limits, errorBurst }, sources: { ...systemSources, clock } })),
  };
}

/** An authenticator of the embedder: it counts what it is asked, and can be held. */
class Embedders {
  readonly kind = 'tokens';
  readonly asked: (string | null)[] = [];
  running = 0;
  most = 0;
  hold: Promise<void> | null = null;
  async verify(token: string | null) {
    this.asked.push(token);
    this.most = Math.max(this.most, ++this.running);
    await this.hold;
    this.running -= 1;
    return token?.startsWith('right') ? { speaker: { id: token, roles: [] }, expiresAt: null } : null;
  }
}

describe('a hundred wrong requests a second', () => {
  test.each([
    ['the key', async () => [createLocalAuthenticator(undefined, 'the-key-of-this-start'), 'the-key-of-this-start']],
    ['a token of the file', async () => [createTokenAuthenticator(tokens), ann]],
    [
      'a signed token that was verified',
      async () => [
        createJwtAuthenticator({ key: { kind: 'secret', secret }, clock: systemSources.clock }),
        await sign('ann'),
      ],
    ],
  ] as const)('keep nobody out who has %s [http.api.limits.guesses]', async (_, make) => {
    const [authenticator, token] = (await make()) as [Authenticator, string];
    const { base, url, ask } = await httpOf({}, { authenticator });
    const own = { token };
    expect((await ask('/api/sessions', own)).status).toBe(200);
    const { statuses } = sendWrongRequests(base, wrongRequests);
    await until(() => (statuses.get(429) ?? 0) > 0, { what: 'the first wrong request to be refused by the rate' });
    for (let n = 0; n < 10; n++) {
      void ask(`/api/sessions/room-${n}/say`, { ...own, body: { text: 'call watch' } });
      const [turn] = await until(async () => {
        const { status, body } = await ask('/api/turns/active', own);
        expect(status).toBe(200);
        const turns = body.turns.filter(({ session }: { session: string }) => session === `room-${n}`);
        return turns.length > 0 && turns;
      });
      const stopped = await ask(`/api/turns/${turn.turn}/abort?wait=settled`, { ...own, body: {} });
      expect(stopped).toMatchObject({ status: 200, body: { type: 'cancel_settled' } });
    }
    const socket = await connectRaw(url, { headers: { authorization: `Bearer ${token}` } });
    await socket.hello(token);
    await until(() => (statuses.get(429) ?? 0) > 50, { what: 'the wrong requests to go on' });
    expect([...statuses.keys()].sort()).toEqual([401, 429]);
  });
});

describe('an authenticator that has to verify', () => {
  test('is asked for no more wrong tokens of an address than the rate allows, by all doors together [http.api.limits.guesses]', async () => {
    const authenticator = new Embedders();
    const { ask, url, clock } = await doorWith(authenticator);
    const statuses = await Promise.all(
      Array.from({ length: 100 }, async (_, n) => (await ask('/api/sessions', wrong(n))).status),
    );
    expect(statuses.filter((status) => status === 401)).toHaveLength(burst);
    expect(statuses.filter((status) => status === 429)).toHaveLength(100 - burst);
    expect(authenticator.asked).toHaveLength(burst);
    expect(await refusedUpgrade(url, { headers: { authorization: 'Bearer a-wrong-token' } })).toBe(429);
    const client = await connectRaw(url);
    client.send({ type: 'HELLO', token: 'a-wrong-token' });
    expect(await client.closed()).toEqual({ code: 4429, reason: 'flood' });
    expect(authenticator.asked).toHaveLength(burst);
    await clock.advance(1_000);
    expect(await refusedUpgrade(url, { headers: { authorization: 'Bearer a-wrong-token' } })).toBe(401);
    expect((await ask('/api/sessions', wrong(0))).status).toBe(429);
    expect(authenticator.asked).toHaveLength(burst + 1);
  });

  test('is asked for right ones as often as they come: they cost their address nothing', async () => {
    const { ask } = await doorWith(new Embedders());
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async (_, n) => (await ask('/api/sessions', { token: `right-${n}` })).status),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  test('verifies at most 8 at once, with a place for a stop [http.api.limits.guesses]', async () => {
    const authenticator = new Embedders();
    const { ask } = await doorWith(authenticator, undefined, 20);
    const held = Promise.withResolvers<void>();
    authenticator.hold = held.promise;
    const others = Array.from({ length: 30 }, (_, n) => ask('/api/sessions', { token: `right-${n}` }));
    await until(() => authenticator.running === 7);
    const stops = Array.from({ length: 5 }, (_, n) =>
      ask('/api/nodes/none/abort', { token: `right-stop-${n}`, body: {} }),
    );
    await until(() => authenticator.running === 8);
    authenticator.hold = null;
    held.resolve();
    expect((await Promise.all(stops)).map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 404));
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual(Array.from({ length: 30 }, () => 200));
    expect(authenticator.most).toBe(8);
    expect(authenticator.asked[7]).toMatch(/^right-stop/);
  });

  test('keeps the place for stops free of requests that show nothing [http.api.limits.guesses]', async () => {
    const authenticator = new Embedders();
    const { ask } = await doorWith(authenticator, undefined, 20);
    const held = Promise.withResolvers<void>();
    authenticator.hold = held.promise;
    const without = Array.from({ length: 8 }, () => ask('/api/nodes/none/abort', { token: null, body: {} }));
    await until(() => authenticator.running === 7);
    const stop = ask('/api/nodes/none/abort', { token: 'right-stop', body: {} });
    await until(() => authenticator.running === 8);
    expect(authenticator.asked[7]).toBe('right-stop');
    held.resolve();
    await Promise.all([stop, ...without]);
  });

  test('and does not answer loses its place, and not the door', async () => {
    const authenticator = new Embedders();
    const { ask, clock } = await doorWith(authenticator);
    authenticator.hold = new Promise(() => {});
    const hung = Array.from({ length: 4 }, (_, n) => ask('/api/sessions', { token: `right-${n}` }));
    await until(() => authenticator.running === 4);
    authenticator.hold = null;
    await clock.advance(limits.helloMs);
    expect((await Promise.all(hung)).map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    expect((await ask('/api/sessions', { token: 'right-again' })).status).toBe(200);
  });
});

describe('a request without credentials', () => {
  test.each([
    ['the key', createLocalAuthenticator(undefined, 'the-key-of-this-start')],
    ['tokens of a file', createTokenAuthenticator(tokens)],
    ['an authenticator of the embedder', new Embedders()],
  ])(
    'is no wrong guess: with %s its address may still show one [http.api.limits.guesses]',
    async (_, authenticator) => {
      const { ask } = await doorWith(authenticator);
      const without = () => ask('/api/sessions', { token: null });
      const statuses = await Promise.all(Array.from({ length: 50 }, async () => (await without()).status));
      expect(new Set(statuses)).toEqual(new Set([401]));
      for (let n = 0; n < burst; n++) expect((await ask('/api/sessions', wrong(n))).status).toBe(401);
      expect((await ask('/api/sessions', wrong(burst))).status).toBe(429);
      expect((await without()).status).toBe(401);
      if (authenticator instanceof Embedders)
        expect(authenticator.asked.filter((token) => token === null)).toHaveLength(burst);
    },
  );

  test('an empty key is none [http.api.limits.guesses]', async () => {
    const { ask } = await doorWith(createLocalAuthenticator(undefined, 'the-key-of-this-start'));
    for (let n = 0; n < 2 * burst; n++)
      expect((await ask('/api/sessions?key=', { token: null })).status, `request ${n}`).toBe(401);
  });

  test('is let in as often as it comes by an authenticator that lets it in', async () => {
    const anybody: Authenticator = {
      kind: 'tokens',
      verify: async () => ({ speaker: { id: 'guest', roles: ['member'] }, expiresAt: null }),
    };
    const { ask } = await doorWith(anybody);
    for (let n = 0; n < 3 * burst; n++) expect((await ask('/api/sessions', { token: null })).status).toBe(200);
  });
});

describe('a signed token', () => {
  const start = async () => {
    const clock = createVirtualClock(1_000_000_000_000);
    const door = await doorWith(createJwtAuthenticator({ key: { kind: 'secret', secret }, clock }), clock);
    const enter = async (token: string) => (await door.ask('/api/sessions', { token })).status;
    const useUpGuesses = async () => {
      for (let n = 0; n < burst; n++) await enter(`wrong-${n}`);
      expect(await enter('wrong')).toBe(429);
    };
    return { clock, enter, useUpGuesses };
  };

  test('that was not shown before waits while its address guesses; one that was does not [http.api.limits.guesses]', async () => {
    const { clock, enter, useUpGuesses } = await start();
    const [seen, unseen] = [await sign('ann'), await sign('bob')];
    expect(await enter(seen)).toBe(200);
    await useUpGuesses();
    expect([await enter(seen), await enter(unseen)]).toEqual([200, 429]);
    await clock.advance(1_000);
    expect(await enter(unseen)).toBe(200);
  });

  test('that has expired is not remembered, whatever is done to the clock', async () => {
    const { clock, enter, useUpGuesses } = await start();
    const token = await sign('ann', { exp: 1_000_000_060 });
    expect(await enter(token)).toBe(200);
    clock.step(66_000);
    expect(await enter(token)).toBe(401);
    await useUpGuesses();
    clock.step(-66_000);
    expect(await enter(token)).toBe(429);
  });
});

test('the token of the metrics is found while an address guesses it, and guesses are limited [http.api.limits.guesses]', async () => {
  const token = 'the-token-of-prometheus';
  const metrics = { token, read: async () => ({ text: '', contentType: 'text/plain' }) };
  const { ask } = await httpOf({ metrics }, { limits });
  const statuses: number[] = [];
  for (let n = 0; n < burst + 3; n++) statuses.push((await ask('/metrics', wrong(n))).status);
  expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(burst + 1);
  expect(statuses.at(-1)).toBe(429);
  expect((await ask('/metrics', { token })).status).toBe(200);
  expect((await ask('/api/sessions', { token: bob })).status).toBe(200);
});
