// Tokens: their speakers, the roles that they give, and that a frame cannot claim another speaker.
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, SignJWT } from 'jose';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemSources } from '../../src/core/sources/system.ts';
import { createVirtualClock } from '../../src/core/sources/virtual.ts';
import type { Authenticator } from '../../src/gateway/auth/authenticator.ts';
import { createJwtAuthenticator } from '../../src/gateway/auth/jwt.ts';
import { readJwtKeyFile } from '../../src/gateway/auth/jwt-key.ts';
import { createTokenAuthenticator, readTokenFile } from '../../src/gateway/auth/token-file.ts';
import { FakeRuntime } from '../support/fake-runtime.ts';
import { startGateway } from '../support/gateway.ts';
import { connectRaw, refusedUpgrade } from '../support/raw-client.ts';
import { until } from '../support/until.ts';

const annToken = 'token-of-ann-000001';
const bridgeToken = 'token-of-bridge-001';
const tokens = createTokenAuthenticator({
  [annToken]: { speaker: 'ann', roles: ['moderator', 'member'] },
  [bridgeToken]: { speaker: 'discord', roles: ['bridge'] },
  'token-of-nobody-000': { speaker: 'bob' },
});
const secret = 's'.repeat(32);
const sign = (claims: object, key: Parameters<SignJWT['sign']>[0] = new TextEncoder().encode(secret), alg = 'HS256') =>
  new SignJWT({ ...claims }).setProtectedHeader({ alg }).sign(key);

async function start(authenticator: Authenticator) {
  const runtime = new FakeRuntime();
  return { runtime, ...(await startGateway({ runtime, authenticator })) };
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'belay-auth-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

describe('a token', () => {
  test('in HELLO names the speaker and the roles [ws.auth]', async () => {
    const { url } = await start(tokens);
    const client = await connectRaw(url);
    expect(await client.hello(annToken)).toMatchObject({ speaker: 'ann', roles: ['moderator', 'member'] });
  });

  test('in the upgrade does too; one in HELLO overrides it [ws.auth]', async () => {
    const { url } = await start(tokens);
    const headers = { authorization: `Bearer ${annToken}` };
    const first = await connectRaw(url, { headers });
    expect(await first.hello()).toMatchObject({ speaker: 'ann' });
    const second = await connectRaw(url, { headers });
    expect(await second.hello(bridgeToken)).toMatchObject({ speaker: 'discord' });
  });

  test.each([
    ['wrong', 'token-of-eve-0000001'],
    ['missing', undefined],
  ])('that is %s closes by name [ws.auth]', async (_, token) => {
    const { url, runtime } = await start(tokens);
    const client = await connectRaw(url);
    client.send({ type: 'HELLO', ...(token && { token }) });
    client.send({ type: 'JOIN', ref: 'j', session: 'demo' });
    expect(await client.closed()).toEqual({ code: 4401, reason: 'unauthorized' });
    expect(runtime.calls).toEqual([]);
    expect(client.frames).toEqual([]);
  });

  test('that is wrong in the upgrade is rejected there [ws.auth]', async () => {
    const { url } = await start(tokens);
    expect(await refusedUpgrade(url, { headers: { authorization: 'Bearer nonsense' } })).toBe(401);
  });

  test('that cannot be verified closes by name, and is reported', async () => {
    const { url, reports } = await start({ kind: 'tokens', verify: () => Promise.reject(new Error('no key')) });
    const client = await connectRaw(url);
    client.send({ type: 'HELLO', token: 'x' });
    expect(await client.closed()).toEqual({ code: 4499, reason: 'gateway_failed' });
    expect(reports).toHaveLength(1);
  });
});

describe('speaking for others', () => {
  test('`as` is rejected without the role bridge, and the frame has no effect [owner.identity]', async () => {
    const { url, runtime } = await start(tokens);
    const client = await connectRaw(url);
    await client.hello(annToken);
    await client.join('demo');
    client.send({ type: 'CANCEL', ref: 'c', target: 'mine', as: 'bob' });
    client.send({ type: 'SAY', ref: 's', text: 'hi', as: 'bob' });
    expect(await client.waitFor('error', { ref: 'c' })).toMatchObject({ code: 'as_not_allowed', field: 'as' });
    expect(await client.waitFor('error', { ref: 's' })).toMatchObject({ code: 'as_not_allowed' });
    expect(runtime.calls.map(({ command }) => command)).toEqual(['join']);
  });

  test('a bridge speaks for others, as members, and for itself; by names that may be shown [owner.identity] [access.names]', async () => {
    const { url, runtime } = await start(tokens);
    const client = await connectRaw(url);
    await client.hello(bridgeToken);
    await client.join('room-a');
    await client.join('room-b');
    for (const as of ['a\u001b[2J', 'a\nb', 'a\u202eb', ' '])
      client.send({ type: 'SAY', ref: `bad-${as.length}`, session: 'room-a', text: 'hi', as });
    client.send({ type: 'SAY', ref: 's', session: 'room-a', text: 'hi', as: 'ann' });
    client.send({ type: 'CANCEL', ref: 'c', session: 'room-b', target: 'mine', as: 'bob' });
    client.send({ type: 'CANCEL', ref: 'own', session: 'room-b', target: 'mine' });
    await client.waitFor('unknown_target', { ref: 'own' });
    expect(await client.waitFor('turn_opened', { ref: 's' })).toMatchObject({ owner: 'ann', session: 'room-a' });
    expect(client.frames.filter(({ type }) => type === 'error')).toHaveLength(4);
    const speakers = runtime.calls.flatMap((call) =>
      call.command === 'say' || call.command === 'cancel' ? [call.caller.speaker] : [],
    );
    expect(speakers).toEqual([
      { id: 'ann', roles: ['member'] },
      { id: 'bob', roles: ['member'] },
      { id: 'discord', roles: ['bridge'] },
    ]);
  });
});

describe('a token file', () => {
  test('is read; an error names what is wrong, and no token [ws.auth]', async () => {
    const path = join(folder(), 'tokens.json');
    writeFileSync(path, JSON.stringify({ [annToken]: { speaker: 'ann' } }));
    expect(await readTokenFile(path).verify(annToken)).toEqual({
      speaker: { id: 'ann', roles: ['member'] },
      sessions: null,
      expiresAt: null,
    });
    writeFileSync(path, JSON.stringify({ [annToken]: { speaker: 'ann', roles: ['admin'] } }));
    expect(() => readTokenFile(path)).toThrow(/tokens\.json.*entry 1, roles/);
    writeFileSync(path, JSON.stringify({ short: { speaker: 'ann' } }));
    expect(() => readTokenFile(path)).toThrow(/16 characters/);
    expect(() => readTokenFile(path)).not.toThrow(/short"/);
    writeFileSync(path, '{');
    expect(() => readTokenFile(path)).toThrow(/not JSON/);
    expect(() => readTokenFile(join(path, 'no'))).toThrow(/cannot be used/);
  });
});

describe('the entries of a token file', () => {
  const token = 'token-of-eve-0000001';

  test.each([
    [{ short: { speaker: 'ann' } }, 'The tokens are not good: entry 1: the token must have at least 16 characters.'],
    [
      { [annToken]: { speaker: 'ann' }, [token]: { speaker: 'eve', role: [] } },
      'The tokens are not good: entry 2 has no such field as role. Did you mean roles?',
    ],
    [
      { [token]: { speaker: 'eve', admin: true } },
      'The tokens are not good: entry 1 has no such field as admin. There are speaker, roles, sessions.',
    ],
    [{ [token]: {} }, 'The tokens are not good: entry 1, speaker: it is missing.'],
    [{ [token]: { speaker: '' } }, 'The tokens are not good: entry 1, speaker: it must not be empty.'],
    [{ [token]: 'eve' }, 'The tokens are not good: entry 1: it must be an object, not a text.'],
    [
      { [token]: { speaker: 'eve', roles: 'member' } },
      'The tokens are not good: entry 1, roles: it must be a list, not a text.',
    ],
    [
      { [token]: { speaker: 'eve', roles: ['member', 'admin'] } },
      'The tokens are not good: entry 1, roles[1]: it must be member, moderator, bridge or emergency, not "admin".',
    ],
    [
      { [token]: { speaker: 'e'.repeat(129) } },
      'The tokens are not good: entry 1, speaker: it must have at most 128 characters.',
    ],
    [[], 'The tokens are not good: the whole must be an object, not a list.'],
  ])('are named in a sentence where they are not valid, without a token (%#) [ws.auth]', (entries, says) => {
    const create = () => createTokenAuthenticator(entries as Parameters<typeof createTokenAuthenticator>[0]);
    expect(create).toThrow(new Error(says));
    for (const each of Object.keys(entries)) expect(says).not.toContain(each);
  });
});

describe('a signed token', () => {
  const clock = systemSources.clock;
  const inAnHour = Math.floor(Date.now() / 1_000) + 3_600;

  test('names the speaker and the roles that Belay knows [ws.auth]', async () => {
    const { verify } = createJwtAuthenticator({ key: { kind: 'secret', secret }, clock });
    expect(await verify(await sign({ sub: 'ann', roles: ['moderator', 'superuser'], exp: inAnHour }))).toMatchObject({
      speaker: { id: 'ann', roles: ['moderator'] },
    });
    expect(await verify(await sign({ sub: 'ann', roles: 'moderator' }))).toEqual({
      speaker: { id: 'ann', roles: ['member'] },
      sessions: null,
      expiresAt: null,
    });
  });

  test('that is forged, expired, for others, without a subject or without a signature proves nothing [ws.auth]', async () => {
    const { verify } = createJwtAuthenticator({
      key: { kind: 'secret', secret },
      clock,
      issuer: 'us',
      audience: 'belay',
    });
    const good = { sub: 'ann', iss: 'us', aud: 'belay', exp: inAnHour };
    expect(await verify(await sign(good))).not.toBeNull();
    const none = [{ alg: 'none' }, good]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const bad = [
      await sign(good, new TextEncoder().encode('x'.repeat(32))),
      await sign({ ...good, exp: inAnHour - 7_200 }),
      await sign({ ...good, iss: 'them' }),
      await sign({ ...good, aud: 'other' }),
      await sign({ ...good, sub: { id: 'ann' } }), // an object broke a session for everybody
      await sign({ iss: 'us', aud: 'belay' }),
      `${none}.`,
      'nonsense',
      '',
    ];
    for (const token of bad) expect(await verify(token)).toBeNull();
    expect(await verify(null)).toBeNull();
  });

  test('is verified by a public key or a key set, and the key decides the algorithm [ws.auth]', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const path = folder();
    writeFileSync(join(path, 'key.pem'), pem);
    writeFileSync(
      join(path, 'keys.json'),
      JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256' }] }),
    );
    for (const file of ['key.pem', 'keys.json']) {
      const { verify } = createJwtAuthenticator({ key: readJwtKeyFile(join(path, file)), clock });
      expect(await verify(await sign({ sub: 'ann' }, privateKey, 'ES256'))).toMatchObject({ speaker: { id: 'ann' } });
      // the public key is not secret: a token signed with it as a secret
      expect(await verify(await sign({ sub: 'ann' }, new TextEncoder().encode(pem)))).toBeNull();
    }
    expect(() => readJwtKeyFile(join(path, 'none'))).toThrow(/none/);
  });

  test('a secret that is too short is rejected at the start', () => {
    expect(() => createJwtAuthenticator({ key: { kind: 'secret', secret: 'short' }, clock })).toThrow(
      /5 bytes.*at least 32/,
    );
  });

  test.each([
    { kind: 'public_key', pem: 'nonsense' },
    { kind: 'key_set', keys: { keys: 'none' } },
    { kind: 'key_set', keys: [] },
  ])('a key that is none is rejected at the start: %j', (key) => {
    expect(() => createJwtAuthenticator({ key: key as never, clock })).toThrow(Error);
  });

  test('that expires closes the connection by name [ws.auth]', async () => {
    const virtual = createVirtualClock(1_000_000_000_000);
    const runtime = new FakeRuntime();
    const { url } = await startGateway({
      runtime,
      authenticator: createJwtAuthenticator({ key: { kind: 'secret', secret }, clock: virtual }),
      sources: { ...systemSources, clock: virtual },
      limits: { heartbeatMs: 10_000_000 },
    });
    const client = await connectRaw(url);
    await client.hello(await sign({ sub: 'ann', exp: 1_000_000_000 + 60 }));
    await client.join('demo');
    await virtual.advance(64_000);
    client.send({ type: 'SAY', ref: 's', text: 'hi' });
    await client.waitFor('turn_opened');
    await virtual.advance(2_000);
    expect(await client.closed()).toEqual({ code: 4402, reason: 'token_expired' });
    await until(() => runtime.calls.at(-1)?.command === 'leave');
  });
});
