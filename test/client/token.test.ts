// Tokens of a client: read for each connection, refused, and late.
import { describe, expect, test } from 'vitest';
import { closeCodes } from '../../src/wire/close-codes.ts';
import { setUpClient } from './held-sockets.ts';

describe('a token', () => {
  test('is read again for each connection [ws.auth]', async () => {
    let calls = 0;
    const at = setUpClient({ token: async () => `token-${++calls}` });
    const first = await at.open();
    await at.end(closeCodes.token_expired.code);
    const second = await at.open();
    expect([first, second].map(({ sent }) => sent[0])).toEqual([
      { type: 'HELLO', token: 'token-1' },
      { type: 'HELLO', token: 'token-2' },
    ]);
    expect(at.pauses()).toEqual([0]);
  });

  test('that is refused ends the client; a token function is called once more before that', async () => {
    const fixed = setUpClient({ token: 'token' });
    await fixed.end(closeCodes.unauthorized.code);
    expect(fixed.kinds()).toEqual(['closed']);
    let calls = 0;
    const fresh = setUpClient({ token: () => `token-${++calls}` });
    for (let i = 0; i < 2; i++) {
      await fresh.end(closeCodes.unauthorized.code);
      await fresh.clock.advance(1_000);
    }
    expect(fresh.kinds()).toEqual(['reconnecting', 'closed']);
    expect(calls).toBe(2);
    const expired = setUpClient({ token: 'token' });
    await expired.open();
    await expired.end(closeCodes.token_expired.code);
    expect(expired.kinds()).toEqual(['open', 'closed']);
  });

  test('whose function fails is read again; one that arrives after the close is not used', async () => {
    const failing = setUpClient({ token: () => Promise.reject(new Error('no network')) });
    await failing.clock.advance(0);
    expect(failing.client.state).toMatchObject({ because: { message: expect.stringContaining('no network') } });
    const { promise, resolve } = Promise.withResolvers<string>();
    const slow = setUpClient({ token: () => promise });
    await slow.clock.advance(0);
    await slow.client.close();
    resolve('token');
    await slow.clock.advance(0);
    expect(slow.sockets).toEqual([]);
  });

  test('is not read again after a close for malformed frames', async () => {
    const at = setUpClient({ token: async () => 'token' });
    await at.open();
    await at.end(closeCodes.too_many_errors.code);
    expect(at.kinds()).toEqual(['open', 'closed']);
  });
});
