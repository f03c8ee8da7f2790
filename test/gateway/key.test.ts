// The key of a gateway without tokens: 401 without it, found by clients of the same user in Node, and never in a message.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, onTestFinished, test } from 'vitest';
import { recordsFolder } from '../../src/adapters/processes/host-record.ts';
import { addressWithKnownKey } from '../../src/client/known-key.ts';
import { createLocalAuthenticator } from '../../src/gateway/auth/local.ts';
import { keyFilesOf, removeKeyFiles, writeKeyFiles } from '../../src/gateway/key-file.ts';
import { addressWithKey, addressWithoutKey } from '../../src/wire/gateway-key.ts';
import { connectChecked } from '../support/checked-client.ts';
import { FakeRuntime } from '../support/fake-runtime.ts';
import { startGateway } from '../support/gateway.ts';
import { connectRaw, refusedUpgrade } from '../support/raw-client.ts';

const key = 'a-key-of-24-bytes-000001';
const root = join(import.meta.dirname, '..', '..');

const start = () =>
  startGateway({ runtime: new FakeRuntime(), authenticator: createLocalAuthenticator(undefined, key) });

/** Leaves the key as `belay serve` does. Returns the paths of its files. */
function leaveKey(port: number, address = '127.0.0.1'): readonly string[] {
  const files = keyFilesOf({ address, port });
  writeKeyFiles(files, key);
  onTestFinished(() => removeKeyFiles(files, key));
  return files;
}

describe('an upgrade to a gateway with a key', () => {
  test('is refused with 401 without it, and with another one [access.secrets] [ws.auth]', async () => {
    const { url } = await start();
    expect(await refusedUpgrade(url)).toBe(401);
    expect(await refusedUpgrade(`${url}?key=`)).toBe(401);
    expect(await refusedUpgrade(`${url}?key=${key}x`)).toBe(401);
    expect(await refusedUpgrade(url, { headers: { authorization: `Bearer ${key}x` } })).toBe(401);
  });

  test('shows it in its address, or as a bearer token', async () => {
    const { url } = await start();
    const client = await connectRaw(addressWithKey(url, key));
    expect(await client.hello()).toMatchObject({ speaker: 'local' });
    await connectRaw(url, { headers: { authorization: `Bearer ${key}` } });
  });
});

describe('the file of the key', () => {
  test('lies beside the records of hosts, and only its user can read it', () => {
    const [file = ''] = leaveKey(7_099);
    expect(dirname(dirname(file))).toBe(dirname(recordsFolder()));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ key });
  });

  test('is removed by its gateway only', () => {
    const [file = ''] = leaveKey(7_098);
    removeKeyFiles([file], 'the key of an earlier start');
    expect(existsSync(file)).toBe(true);
    removeKeyFiles([file], key);
    expect(existsSync(file)).toBe(false);
  });
});

describe('the client in Node', () => {
  test('finds the key by itself, also at the next start of the gateway', async () => {
    const { url, listening } = await start();
    await expect(connectChecked({ url, reconnect: false })).rejects.toThrow('No connection');
    const { port } = listening.server.address() as AddressInfo;
    leaveKey(port);
    await using client = await connectChecked({ url });
    expect(client.speaker).toBe('local');
    await using other = await connectChecked({ url: `ws://localhost:${port}/belay` });
    expect(other.speaker).toBe('local');
  });

  test('sends it to the address whose gateway has left it, and to no other', () => {
    leaveKey(7_097);
    const keyed = `ws://127.0.0.1:7097/belay?key=${key}`;
    expect(addressWithKnownKey('ws://127.0.0.1:7097/belay')).toBe(keyed);
    expect(addressWithKnownKey('ws://localhost:7097/belay')).toBe(keyed); // another user may listen at ::1
    for (const other of [
      'ws://127.0.0.1:7096/belay',
      'ws://[::1]:7097/belay',
      'ws://example.org:7097/belay',
      'ws://127.0.0.1:7097/belay?key=mine',
      'no address',
    ])
      expect(addressWithKnownKey(other)).toBe(other);
  });

  test('of a server on all interfaces, finds it at each address of loopback', () => {
    leaveKey(7_095, '::');
    for (const host of ['127.0.0.1', '[::1]'])
      expect(addressWithKnownKey(`ws://${host}:7095/belay`)).toBe(`ws://${host}:7095/belay?key=${key}`);
  });

  test('shows no key in a message', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const url = `ws://127.0.0.1:${port}/belay?key=${key}`;
    const error: unknown = await connectChecked({ url, reconnect: false }).catch((thrown) => thrown);
    expect(String(error)).toContain(`No connection to ws://127.0.0.1:${port}/belay.`);
    expect(addressWithoutKey(`${url}&x=1`)).toBe(`ws://127.0.0.1:${port}/belay?x=1`);
  });
});

test('the bundle of a browser imports nothing of Node', async () => {
  const built = await build({
    entryPoints: [join(root, 'src/client/index.ts')],
    bundle: true,
    platform: 'browser',
    format: 'esm',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  expect(built.errors).toEqual([]);
  expect(Object.values(built.metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
  const known = Object.keys(built.metafile.inputs).filter(
    (path) => !/src\/(client|wire|core\/(collections|receipt|words))\/|machines\/vocabulary\.ts/.test(path),
  );
  expect(known).toEqual([]);
});
