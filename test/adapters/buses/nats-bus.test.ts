// The bus over a NATS server keeps the contract, comes back with its server, and shows no password.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { createNatsBus } from '../../../src/adapters/buses/nats-bus.ts';
import { busContract } from '../../contract/bus.ts';
import { hasNats, useNats } from '../../support/nats.ts';
import { until } from '../../support/until.ts';

const key = 'the key of the cluster in these tests';
const warn = () => {};

test('a short key and an address with a password are refused by name [cluster.bus.seal]', async () => {
  await expect(createNatsBus({ key: 'short', servers: 'localhost' })).rejects.toThrow(
    'The option key of createNatsBus',
  );
  await expect(createNatsBus({ key, servers: 'ann:secret@localhost' })).rejects.toThrow('no name and no password');
});

describe.runIf(hasNats)('over NATS', () => {
  const server = useNats();
  busContract('over a NATS server', async () => ({
    connect: (other) => createNatsBus({ key: other ?? key, servers: server.address(), warn }),
  }));

  test('it is down while its server is gone, and up again with it; questions are silent meanwhile [cluster.bus]', async () => {
    const [here, there] = await Promise.all(
      [key, key].map((own) => createNatsBus({ key: own, servers: [server.address()], warn })),
    );
    if (!here || !there) throw new Error('There are no buses.');
    onTestFinished(async () => {
      await here.close();
      await there.close();
    });
    there.answer('sums', async (text) => `${text}!`);
    await until(async () => (await here.ask('sums', 'a', 5_000)).type === 'answer');
    const states: string[] = [];
    here.onState((state) => void states.push(state));
    await server.stop();
    await until(() => here.state === 'down');
    expect(await here.ask('sums', 'b', 5_000)).toEqual({ type: 'silent' });
    await server.start();
    await until(() => here.state === 'up' && there.state === 'up', { ms: 10_000 });
    await until(async () => (await here.ask('sums', 'c', 1_000)).type === 'answer', { ms: 10_000 });
    expect(states).toEqual(['down', 'up']);
  });
});

describe.runIf(hasNats)('a server that takes small messages only', () => {
  const folder = mkdtempSync(join(tmpdir(), 'belay-nats-'));
  const settings = join(folder, 'nats.conf');
  writeFileSync(settings, 'max_payload: 65536');
  const server = useNats(['-c', settings]);
  afterAll(() => rmSync(folder, { recursive: true }));

  test('is refused by name, before a long text ends the process [cluster.bus]', async () => {
    await expect(createNatsBus({ key, servers: server.address(), warn })).rejects.toThrow(
      `${server.address()} takes messages of 65536 bytes at most: set its max_payload to 1048576`,
    );
  });
});

describe.runIf(hasNats)('a server that wants a password', () => {
  const server = useNats(['--user', 'belay', '--pass', 'the-password']);

  test('gets it from a file; neither it nor a wrong one is in an error [cluster.bus.seal]', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'belay-nats-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const passwordFile = join(folder, 'password');
    const connect = (password: string) => {
      writeFileSync(passwordFile, `${password}\n`);
      return createNatsBus({ key, servers: server.address(), user: 'belay', passwordFile, warn });
    };
    const bus = await connect('the-password');
    expect(await bus.ask('nobody', '', 5_000)).toEqual({ type: 'none' });
    await bus.close();
    const refusal = await connect('a-wrong-one').catch((error: unknown) => error);
    expect(String(refusal)).toContain(`The NATS server ${server.address()} is not reached`);
    expect(String(refusal)).not.toContain('a-wrong-one');
  });
});
