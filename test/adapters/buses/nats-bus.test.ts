// The bus over a NATS server keeps the contract, comes back with its server, and shows no password.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '@nats-io/transport-node';
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

  test('a burst of texts delays no question [cluster.bus.control]', async () => {
    const [holder, other] = await Promise.all(
      [key, key].map((own) => createNatsBus({ key: own, servers: server.address(), warn })),
    );
    if (!holder || !other) throw new Error('There are no buses.');
    onTestFinished(async () => {
      await holder.close();
      await other.close();
    });
    let arrived = 0;
    other.subscribe('deltas', () => void arrived++);
    holder.answer('session', async () => 'stopped');
    await until(async () => (await other.ask('session', '', 5_000)).type === 'answer');
    await until(() => {
      holder.publish('deltas', '');
      return arrived > 0;
    });
    arrived = 0;
    const burst = 100;
    const text = 'x'.repeat(250_000);
    for (let i = 0; i < burst; i++) holder.publish('deltas', text);
    const answer = await other.ask('session', 'CANCEL', 20_000);
    const before = arrived;
    expect(answer.type).toBe('answer');
    expect(before).toBeLessThan(burst / 2);
    await until(() => arrived >= burst, { ms: 20_000, what: 'the rest of the burst' });
  });

  test('texts that are published do not pass the connection of the questions [cluster.bus.control]', async () => {
    const bus = await createNatsBus({ key, servers: server.address(), warn });
    const subjects: string[] = [];
    const watcher = await connect({ servers: server.address() });
    watcher.subscribe('>', { callback: (_, { subject }) => void subjects.push(subject) });
    await watcher.flush();
    onTestFinished(async () => {
      await bus.close();
      await watcher.close();
    });
    bus.answer('belay.host.a', async () => 'yes');
    bus.subscribe('belay.host.a', () => {});
    await until(async () => (await bus.ask('belay.host.a', '', 5_000)).type === 'answer');
    bus.publish('belay.host.a', 'a delta');
    await until(() => subjects.includes('belay.host.a'));
    expect(subjects).toContain('control.belay.host.a');
    expect(bus.counts).toMatchObject({ dropped: 0, asked: { answer: 1, silent: 0 } });
  });

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

describe.runIf(hasNats)('a server with TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'belay-nats-tls-'));
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const made = ['-keyout', keyFile, '-out', certFile, '-days', '2', '-nodes'];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', ...made, ...names], {
    stdio: 'ignore',
  });
  const server = useNats(['--tls', '--tlscert', certFile, '--tlskey', keyFile, '--tlsverify', '--tlscacert', certFile]);
  const plain = useNats();
  afterAll(() => rmSync(folder, { recursive: true }));

  test('is reached with the files of its authority and of this host, and not without [cluster.bus.seal]', async () => {
    const tls = { caFile: certFile, certFile, keyFile };
    const servers = server.address().replace('127.0.0.1', 'localhost');
    const bus = await createNatsBus({ key, servers, tls, warn });
    expect(await bus.ask('nobody', '', 5_000)).toEqual({ type: 'none' });
    await bus.close();
    for (const other of [true, { certFile, keyFile }])
      await expect(createNatsBus({ key, servers, tls: other, warn })).rejects.toThrow(
        `The NATS server ${servers} is not reached`,
      );
  });

  test('with TLS a server without it is refused [cluster.bus.seal]', async () => {
    await expect(createNatsBus({ key, servers: plain.address(), tls: true, warn })).rejects.toThrow(
      `The NATS server ${plain.address()} is not reached`,
    );
  });
});
