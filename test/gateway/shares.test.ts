// The shares of a gateway: a socket without HELLO, an address or a speaker uses up its own share, and nobody else's.
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createTokenAuthenticator } from '../../src/gateway/auth/token-file.ts';
import { addressShareOf } from '../../src/gateway/client-address.ts';
import { UnprovenConnections } from '../../src/gateway/unproven-connections.ts';
import { FakeRuntime } from '../support/fake-runtime.ts';
import { startGateway } from '../support/gateway.ts';
import { connectRaw, type RawClient } from '../support/raw-client.ts';
import { until } from '../support/until.ts';

const authenticator = createTokenAuthenticator({
  'a-token-of-ann-0001': { speaker: 'ann' },
  'a-token-of-bob-0001': { speaker: 'bob' },
});

const start = (limits = {}) => startGateway({ runtime: new FakeRuntime(), authenticator, limits });

/** Connects as a speaker and says HELLO. */
async function connectAs(url: string, speaker: 'ann' | 'bob'): Promise<RawClient> {
  const client = await connectRaw(url);
  await client.hello(`a-token-of-${speaker}-0001`);
  return client;
}

describe('sockets without HELLO', () => {
  test('1 000 of them lock no good token out [access.share]', async () => {
    const { url, gateway } = await start();
    const silent: RawClient[] = [];
    for (let i = 0; i < 1_000; i++) silent.push(await connectRaw(url));
    for (let i = 0; i < 18; i++) await connectAs(url, i % 2 === 0 ? 'ann' : 'bob');
    await until(() => gateway.size <= gateway.limits.unprovenPerAddress + 18);
  });

  test('the oldest has to go for a new one, and is told why [access.share]', async () => {
    const { url } = await start({ unprovenPerAddress: 2 });
    const [oldest, second] = [await connectRaw(url), await connectRaw(url)];
    await connectRaw(url);
    expect(await oldest.closed()).toEqual({ code: 4431, reason: 'too_many_unproven' });
    await second.hello('a-token-of-ann-0001');
    await connectRaw(url);
    await second.join('demo'); // it is proven now: none takes its place
  });

  test('a request that is no upgrade does not stay open [access.share]', async () => {
    const { listening } = await start({ helloMs: 50 });
    expect(listening.server.headersTimeout).toBe(50);
    expect(listening.server.requestTimeout).toBe(50);
  });
});

describe('the share of an address', () => {
  test('a new connection takes the place of the oldest of its own address, or of the one that has most [access.share]', () => {
    const unproven = new UnprovenConnections({ total: 4, perAddress: 3 });
    const added = (id: string, address: string) => unproven.add(id, address);
    expect([added('a1', 'a'), added('a2', 'a'), added('a3', 'a')]).toEqual([null, null, null]);
    expect(added('a4', 'a')).toBe('a1'); // its own share is full
    expect(added('b1', 'b')).toBeNull();
    expect(added('b2', 'b')).toBe('a2'); // all are full: the address that has most
    expect(unproven.size).toBe(4);
    unproven.delete('a3');
    expect(added('c1', 'c')).toBeNull();
    unproven.delete('never');
    expect(unproven.size).toBe(4);
  });

  test('is one for a network that one person can have [access.share]', () => {
    expect(addressShareOf('203.0.113.7')).toBe('203.0.113.7');
    expect(addressShareOf('::ffff:203.0.113.7')).toBe('203.0.113.7');
    expect(addressShareOf('2001:db8:1:2:3:4:5:6')).toBe(addressShareOf('2001:db8:1:2::9'));
    expect(addressShareOf('2001:db8:1:2::9')).not.toBe(addressShareOf('2001:db8:1:3::9'));
    expect(addressShareOf('::1')).not.toBe(addressShareOf('2001:db8::1'));
    expect(addressShareOf('')).toBe('');
  });
});

describe('the share of a speaker', () => {
  test('sessions over all connections [access.share]', async () => {
    const { url } = await start({ sessionsPerSpeaker: 3 });
    const [first, second, other] = [
      await connectAs(url, 'ann'),
      await connectAs(url, 'ann'),
      await connectAs(url, 'bob'),
    ];
    await first.join('a');
    await first.join('b');
    await second.join('c');
    second.send({ type: 'JOIN', ref: 'j', session: 'd' });
    expect(await second.waitFor('error', { ref: 'j' })).toMatchObject({ code: 'too_many_sessions', limit: 3 });
    await other.join('d');
    first.socket.terminate();
    await until(async () => {
      await pause(10);
      second.send({ type: 'JOIN', ref: 'again', session: 'd' });
      return second.frames.some(({ type, ref }) => type === 'joined' && ref === 'again');
    });
  });

  test('bytes over all connections; a CANCEL is performed all the same [access.share]', async () => {
    const { url, gateway } = await start({ frameBytes: 3_000, speakerBytesPerSecond: 1, speakerByteBurst: 3_000 });
    const [first, second, other] = [
      await connectAs(url, 'ann'),
      await connectAs(url, 'ann'),
      await connectAs(url, 'bob'),
    ];
    for (const client of [first, second, other]) await client.join('demo');
    first.send({ type: 'SAY', ref: 's1', text: 'x'.repeat(2_500) });
    await first.waitFor('turn_opened', { ref: 's1' });
    second.send({ type: 'SAY', ref: 's2', text: 'x'.repeat(2_500) });
    expect(await second.waitFor('error', { ref: 's2' })).toMatchObject({ code: 'too_many_bytes', limit: 1 });
    second.send({ type: 'CANCEL', ref: 'c', target: 'mine', reason: 'y'.repeat(490) });
    await second.waitFor('unknown_target', { ref: 'c' });
    other.send({ type: 'SAY', ref: 's3', text: 'x'.repeat(2_500) });
    await other.waitFor('turn_opened', { ref: 's3' });
    expect(gateway.state).toBe('open');
  });

  test('connections, counted and not searched for [access.share]', async () => {
    const { url } = await start({ connectionsPerSpeaker: 2 });
    const [first] = [await connectAs(url, 'ann'), await connectAs(url, 'ann'), await connectAs(url, 'bob')];
    const third = await connectRaw(url);
    third.send({ type: 'HELLO', token: 'a-token-of-ann-0001' });
    expect(await third.closed()).toMatchObject({ reason: 'too_many_connections' });
    first.socket.close(1000);
    await first.closed();
    await connectAs(url, 'ann');
  });
});
