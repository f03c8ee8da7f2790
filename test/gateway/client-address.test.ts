// The address of a client: the socket's, or what proxies say that are trusted; and the share that it counts for.
import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { createLocalAuthenticator } from '../../src/gateway/auth/local.ts';
import { createTokenAuthenticator } from '../../src/gateway/auth/token-file.ts';
import { clientAddressOf, TrustedProxies } from '../../src/gateway/client-address.ts';
import { readConfig } from '../../src/programs/config.ts';
import { FakeRuntime } from '../support/fake-runtime.ts';
import { startGateway } from '../support/gateway.ts';
import { connectRaw, refusedUpgrade } from '../support/raw-client.ts';
import { until } from '../support/until.ts';

const proxies = new TrustedProxies(['127.0.0.1', '10.0.0.0/8', '2001:db8::/32']);

function addressFrom(remoteAddress: string, forwarded?: string): string {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return clientAddressOf({ headers, socket: { remoteAddress } } as unknown as IncomingMessage, proxies); // all that it reads
}

test.each([
  ['a client of its own', '192.0.2.1', undefined, '192.0.2.1'],
  ['who is not trusted cannot say who it is', '192.0.2.1', '198.51.100.7', '192.0.2.1'],
  ['a trusted proxy says it', '10.1.2.3', '198.51.100.7', '198.51.100.7'],
  ['also as IPv4 in IPv6', '::ffff:10.1.2.3', '198.51.100.7', '198.51.100.7'],
  ['through two', '127.0.0.1', '198.51.100.7, 10.1.2.3', '198.51.100.7'],
  ['what the client has put before is not read', '10.1.2.3', '127.0.0.1, 198.51.100.7', '198.51.100.7'],
  ['with a port', '10.1.2.3', '198.51.100.7:4711', '198.51.100.7'],
  ['IPv6 with a port', '2001:db8::1', '[2a02::1]:4711', '2a02::1'],
  ['what is no address ends the list', '10.1.2.3', '198.51.100.7, unknown', '10.1.2.3'],
  ['an empty list', '10.1.2.3', '', '10.1.2.3'],
])('%s', (_, remoteAddress, forwarded, expected) => {
  expect(addressFrom(remoteAddress, forwarded)).toBe(expected);
});

test('a request of the world through a trusted proxy on this machine is not local [ws.auth]', async () => {
  const authenticator = createLocalAuthenticator();
  const headers = { 'x-forwarded-for': '198.51.100.7' };
  const { url } = await startGateway({ runtime: new FakeRuntime(), authenticator }, { trustedProxies: ['127.0.0.1'] });
  expect(await refusedUpgrade(url, { headers })).toBe(403);
  await connectRaw(url);
});

test('behind a trusted proxy each client has a share of its own [access.share]', async () => {
  const authenticator = createTokenAuthenticator({ 'a-token-of-ann-0001': { speaker: 'ann' } });
  const limits = { unprovenPerAddress: 1 };
  const { url } = await startGateway(
    { runtime: new FakeRuntime(), authenticator, limits },
    { trustedProxies: ['127.0.0.1'] },
  );
  const from = (address: string) => connectRaw(url, { headers: { 'x-forwarded-for': address } });
  const [first, other] = [await from('198.51.100.7'), await from('198.51.100.8')];
  await from('198.51.100.7'); // takes the place of the first
  expect(await first.closed()).toMatchObject({ reason: 'too_many_unproven' });
  expect(other.socket.readyState).toBe(other.socket.OPEN);
});

test('without trusted proxies the header is not read: nobody gets a share by it', async () => {
  const authenticator = createTokenAuthenticator({ 'a-token-of-ann-0001': { speaker: 'ann' } });
  const { url } = await startGateway({ runtime: new FakeRuntime(), authenticator, limits: { unprovenPerAddress: 1 } });
  const first = await connectRaw(url, { headers: { 'x-forwarded-for': '198.51.100.7' } });
  await connectRaw(url, { headers: { 'x-forwarded-for': '198.51.100.8' } });
  await until(() => first.socket.readyState !== first.socket.OPEN, { what: 'the end of the first' });
});

test('a proxy that is no address is an error at the start', () => {
  expect(() => new TrustedProxies(['proxy.example.org'])).toThrow('is neither an IP address nor a range');
  expect(readConfig([], { BELAY_CONFIG: '' })?.trustedProxies).toEqual([]);
});
