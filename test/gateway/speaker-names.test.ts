// Names of speakers that are new: refused at every door where they look like another name, by an error that names the field. Stored ones are told from them.
import { SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { systemSources } from '../../src/core/sources/system.ts';
import type { Authenticator } from '../../src/gateway/auth/authenticator.ts';
import { createJwtAuthenticator } from '../../src/gateway/auth/jwt.ts';
import { createLocalAuthenticator } from '../../src/gateway/auth/local.ts';
import { createTokenAuthenticator } from '../../src/gateway/auth/token-file.ts';
import { FakeRuntime } from '../support/fake-runtime.ts';
import { startGateway } from '../support/gateway.ts';
import { connectRaw } from '../support/raw-client.ts';

const lookalikes = [
  ' ann',
  'ann ',
  '\u00a0ann',
  'ann  ben',
  'ann \u3000ben',
  'an\u200bn',
  '\ufeffann',
  'ann\u200d',
  'an\u200cn',
  'an\u00adn',
  'ann\u2060',
  'ann\ufe0f',
  'ann\u{e0061}',
  '\u3164',
  'ann\u2800',
];
const allowed = [
  'ann',
  'ann b',
  'José',
  '山田\u3000太郎',
  '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645',
  '\u0915\u094d\u200d\u0937',
  '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
  '\u2764\ufe0f',
];
const token = 'token-of-somebody-1';
const secret = 's'.repeat(32);

const signed = (sub: string) =>
  new SignJWT({ sub }).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(secret));

describe.each([...lookalikes, 'ann\nben', 'e\u202etxt', '', 'a'.repeat(129)])('the name %j [access.names]', (name) => {
  test('is refused in a token file and of a local speaker: the error names the field', () => {
    expect(() => createTokenAuthenticator({ [token]: { speaker: name } })).toThrow(/entry 1, speaker: it /);
    expect(() => createLocalAuthenticator({ id: name, roles: ['member'] })).toThrow(
      /The id of the speaker of createLocalAuthenticator must/,
    );
  });

  test('is refused in HELLO and by HTTP, of a signed token and of an authenticator of one’s own', async () => {
    const jwt = createJwtAuthenticator({ key: { kind: 'secret', secret }, clock: systemSources.clock });
    const own: Authenticator = {
      kind: 'tokens',
      verify: async () => ({ speaker: { id: name, roles: ['member'] }, expiresAt: null }),
    };
    for (const authenticator of [jwt, own]) {
      const { url } = await startGateway({ runtime: new FakeRuntime(), authenticator });
      const client = await connectRaw(url);
      client.send({ type: 'HELLO', token: await signed(name) });
      expect(await client.closed()).toEqual({ code: 4401, reason: 'unauthorized' });
      const response = await fetch(new URL('/api/sessions', url.replace('ws', 'http')), {
        headers: { authorization: `Bearer ${await signed(name)}` },
      });
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ code: 'unauthorized', field: 'authorization' });
      expect(client.frames).toEqual([
        {
          type: 'error',
          code: 'bad_field',
          field: 'token',
          message: expect.stringContaining('The speaker in the token'),
        },
      ]);
    }
  });
});

test.each(allowed)(
  'the name %j is a name: a joiner between letters stays, and so does an emoji [access.names]',
  async (name) => {
    expect(() => createTokenAuthenticator({ [token]: { speaker: name } })).not.toThrow();
    const jwt = createJwtAuthenticator({ key: { kind: 'secret', secret }, clock: systemSources.clock });
    const { url } = await startGateway({ runtime: new FakeRuntime(), authenticator: jwt });
    const client = await connectRaw(url);
    expect(await client.hello(await signed(name))).toMatchObject({ speaker: name });
  },
);

test('a bridge speaks for nobody of such a name, and invites nobody; a stored one can be removed [access.names]', async () => {
  const runtime = new FakeRuntime();
  const authenticator = createTokenAuthenticator({ [token]: { speaker: 'bridge', roles: ['bridge', 'moderator'] } });
  const { url } = await startGateway({ runtime, authenticator });
  const client = await connectRaw(url);
  await client.hello(token);
  await client.join('room');
  for (const [at, name] of lookalikes.slice(0, 8).entries()) {
    client.send({ type: 'SAY', ref: `say${at}`, text: 'hi', as: name });
    expect(await client.waitFor('error', { ref: `say${at}` })).toMatchObject({ code: 'bad_field', field: 'as' });
    client.send({ type: 'INVITE', ref: `invite${at}`, speaker: name });
    expect(await client.waitFor('error', { ref: `invite${at}` })).toMatchObject({
      code: 'bad_field',
      field: 'speaker',
    });
  }
  client.send({ type: 'REMOVE', ref: 'remove', speaker: 'an\u200bn ' });
  await client.waitFor('member_removed', { ref: 'remove' });
});
