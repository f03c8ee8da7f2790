// The setting `bus`: what is refused before anything starts, and what counts as the same configuration of sessions.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { configurationOf, openBus } from '../../src/programs/cluster-parts.ts';
import { readConfig } from '../../src/programs/config.ts';

const store = 'postgres://belay@db.example.org/belay';
const key = 'the-key-of-the-cluster-in-these-tests';

function newFile(name: string, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'belay-bus-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

const read = (settings: object, args: readonly string[] = [], environment = {}) =>
  readConfig(['--config', newFile('belay.json', JSON.stringify(settings)), ...args], environment);

test('comes from flags, the environment and the file [cluster.start]', () => {
  const flags = ['--bus', 'a:4222', '--bus', 'b:4222', '--bus-key', 'k', '--store', store];
  expect(readConfig(flags, {})?.bus).toEqual({
    servers: ['a:4222', 'b:4222'],
    keyFile: 'k',
    allowOtherConfiguration: false,
    drainMs: 20_000,
  });
  const environment = { BELAY_BUS: 'a:4222,b:4222', BELAY_BUS_KEY_FILE: 'k', BELAY_STORE: store };
  expect(readConfig([], environment)?.bus).toMatchObject({ servers: ['a:4222', 'b:4222'], keyFile: 'k' });
  const bus = {
    servers: ['nats://a:4222'],
    keyFile: 'other',
    tls: { caFile: 'ca.pem' },
    allowOtherConfiguration: true,
    drainMs: 0,
  };
  expect(read({ store, bus }, ['--bus-key', 'k'])?.bus).toEqual({ ...bus, keyFile: 'k' });
  expect(readConfig([], {})?.bus).toBe(undefined);
});

test('a host without a shared store or a key, and an address with a password, are refused by name [cluster.start]', () => {
  const servers = ['nats.example.org:4222'];
  const bus = { servers, keyFile: 'k' };
  expect(() => read({ bus })).toThrow('The setting bus is invalid: the store is the file ');
  expect(() => read({ bus, store: 'memory' })).toThrow('share their sessions in PostgreSQL');
  expect(() => read({ bus: { servers }, store })).toThrow('The setting bus.keyFile is missing');
  expect(() => read({ bus: { keyFile: 'k' }, store })).toThrow('The setting bus.servers is invalid');
  expect(() => read({ bus: { ...bus, key }, store })).toThrow('There is no setting bus.key');
  expect(() => read({ bus: { ...bus, user: 'ann', credentialsFile: 'c' }, store })).toThrow(
    'credentialsFile and a user',
  );
  for (const address of ['ann:secret@nats.example.org', 'nats://ann:secret@nats.example.org:4222']) {
    const refused = () => read({ bus: { ...bus, servers: [address] }, store });
    expect(refused).toThrow('The setting bus.servers is invalid');
    expect(refused).not.toThrow('secret');
  }
});

test('a key that is too short is refused, and not shown [cluster.start]', async () => {
  await using stack = new AsyncDisposableStack();
  const config = read({ store, bus: { servers: ['127.0.0.1:1'], keyFile: newFile('key', 'a-short-key\n') } });
  if (!config) throw new Error('There is no configuration.');
  const refusal = await openBus(config, stack).catch((error: unknown) => String(error));
  expect(refusal).toContain('The setting bus.keyFile is invalid: the file must hold a key of at least 32 characters');
  expect(refusal).not.toContain('a-short-key');
});

test('hosts are configured alike if their sessions are, whatever else they have [cluster.start]', () => {
  const bus = { servers: ['a:4222'], keyFile: 'k' };
  const configured = (settings: object, args: readonly string[] = []) => {
    const config = read({ store, bus, ...settings }, args);
    return config && configurationOf(config, key);
  };
  const model = { baseUrl: 'http://a/v1', name: 'm', apiKey: 'one' };
  const one = configured({ model, policy: 'owner', limits: { turnMs: 1_000, fanOut: 3 } });
  expect(one).toMatch(/^[0-9a-f]{64}$/);
  const moved = { port: 1, host: 'b', retentionDays: 3, bus: { ...bus, servers: ['b:4222'] } };
  expect(
    configured({ ...moved, limits: { fanOut: 3, turnMs: 1_000 }, policy: 'owner', model: { ...model, apiKey: 'two' } }),
  ).toBe(one);
  const differing = [
    { policy: 'anyone' },
    { limits: { turnMs: 2_000 } },
    { instructions: 'Be brief.' },
    { model: { ...model, name: 'n' } },
  ];
  for (const other of differing)
    expect(
      configured({ model, policy: 'owner', limits: { turnMs: 1_000, fanOut: 3 }, ...other }),
      JSON.stringify(other),
    ).not.toBe(one);
});
