// The container: what its Dockerfile says, and, where a Docker engine runs, that it is healthy, serves, and ends by `docker stop` with all tools stopped.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { defaultLimits } from '../../src/core/workers/session-limits.ts';
import { defaultPort } from '../../src/programs/default-address.ts';
import { until } from '../support/until.ts';

const root = join(import.meta.dirname, '..', '..');
const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');

/** The instructions, each with its arguments, in their order. */
const instructions = dockerfile
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n/g, ' ')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => {
    const [, name = '', args = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
    return { name, args };
  });
const argsOf = (name: string) => instructions.filter((one) => one.name === name).map(({ args }) => args);

describe('the Dockerfile [ops.deploy]', () => {
  test('has several stages of Node 24, and ends as another user than root', () => {
    expect(argsOf('FROM').map((args) => args.split(' ')[0])).toEqual(new Array(3).fill('node:24-bookworm-slim'));
    expect(argsOf('USER')).toEqual(['node']);
    const userAt = instructions.findIndex(({ name }) => name === 'USER');
    expect(instructions.slice(userAt).map(({ name }) => name)).not.toContain('RUN');
  });

  test('copies what there is, and the image has no sources, tests or secrets', () => {
    const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
    const copied = argsOf('COPY').filter((args) => !args.startsWith('--from'));
    const sources = copied.flatMap((args) => args.split(' ').slice(0, -1));
    expect(sources.filter((source) => !existsSync(join(root, source)))).toEqual([]);
    expect(sources.filter((source) => ignored.includes(source))).toEqual([]);
    expect(ignored).toEqual(expect.arrayContaining(['.git', '.belay', 'node_modules', 'test']));
  });

  test('has a first process that passes SIGTERM on, a check of its health, and the port of the gateway', () => {
    const [entrypoint = '[]'] = argsOf('ENTRYPOINT');
    expect(JSON.parse(entrypoint)).toEqual(['/usr/bin/tini', '--', '/app/bin/belay']);
    expect(argsOf('STOPSIGNAL')).toEqual(['SIGTERM']);
    const [health = ''] = argsOf('HEALTHCHECK');
    const command: unknown = JSON.parse(health.replace(/^.*? CMD /, ''));
    expect(command).toEqual(['node', '-e', expect.stringContaining('/healthz')]);
    expect(argsOf('EXPOSE')).toEqual([String(defaultPort)]);
    expect(argsOf('ENV')[0]).toContain(`BELAY_PORT=${defaultPort}`);
  });

  test('its check of the health succeeds for a gateway that runs, and fails for none', () => {
    const [health = ''] = argsOf('HEALTHCHECK');
    const [, ...args] = JSON.parse(health.replace(/^.*? CMD /, '')) as string[];
    const { status } = spawnSync(process.execPath, args, { env: { ...process.env, BELAY_PORT: '1' } });
    expect(status).toBe(1);
  });
});

const docker = (...args: string[]) => spawnSync('docker', args, { encoding: 'utf8', timeout: 600_000 });
const hasEngine = docker('info').status === 0;

/** Skips the test on a machine without a Docker engine. */
test.skipIf(!hasEngine)(
  'a container serves, is healthy, and stops with all its tools [ops.deploy]',
  { timeout: 900_000 },
  async () => {
    const settings = mkdtempSync(join(tmpdir(), 'belay-docker-'));
    onTestFinished(() => rmSync(settings, { recursive: true, force: true }));
    writeFileSync(join(settings, 'tokens.json'), JSON.stringify({ 'a-token-of-ann-0001': { speaker: 'ann' } }));
    const config = { demo: true, tokens: { file: '/etc/belay/tokens.json' } };
    writeFileSync(join(settings, 'belay.json'), JSON.stringify(config));
    const built = docker('build', '--tag', 'belay-test', root);
    expect(built.status, built.stderr).toBe(0);
    const name = `belay-test-${process.pid}`;
    onTestFinished(() => void docker('rm', '--force', name));
    const volumes = ['--volume', `${settings}:/etc/belay:ro`, '--env', 'BELAY_CONFIG=/etc/belay/belay.json'];
    const run = docker(
      'run',
      '--detach',
      '--name',
      name,
      '--publish',
      `127.0.0.1::${defaultPort}`,
      ...volumes,
      'belay-test',
    );
    expect(run.status, run.stderr).toBe(0);
    const inspect = (format: string) => docker('inspect', '--format', format, name).stdout.trim();
    await until(() => inspect('{{.State.Health.Status}}') === 'healthy', { ms: 60_000 });
    expect(docker('exec', name, 'id', '-un').stdout.trim()).toBe('node');
    const [, port = ''] = /:(\d+)$/m.exec(docker('port', name, String(defaultPort)).stdout) ?? [];
    const said = await fetch(`http://127.0.0.1:${port}/api/sessions/demo/say`, {
      method: 'POST',
      headers: { authorization: 'Bearer a-token-of-ann-0001', 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'hello' }),
    });
    expect(said.status).toBe(200);
    expect(docker('stop', '--time', '30', name).status).toBe(0);
    expect(inspect('{{.State.ExitCode}}')).toBe('0');
  },
);

describe('the service of systemd [ops.deploy]', () => {
  const unit = readFileSync(join(root, 'docs/ops/belay.service'), 'utf8');
  const settingOf = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1];

  test('stops the gateway alone first, and waits for longer than a shutdown may take', () => {
    expect(settingOf('KillMode')).toBe('mixed');
    const seconds = Number(/^(\d+)s$/.exec(settingOf('TimeoutStopSec') ?? '')?.[1]);
    expect(seconds * 1_000).toBeGreaterThan(defaultLimits.shutdownMs);
    expect(settingOf('User')).toBe('belay');
    expect(existsSync(join(root, 'bin/belay'))).toBe(true);
  });

  const canVerify = spawnSync('systemd-analyze', ['--version']).status === 0;

  test('limits system calls, address families, capabilities and memory; a command out of memory does not end the gateway', () => {
    expect(settingOf('SystemCallFilter')).toBe('@system-service @pkey');
    expect(settingOf('RestrictAddressFamilies')).toBe('AF_INET AF_INET6 AF_UNIX AF_NETLINK');
    expect([settingOf('CapabilityBoundingSet'), settingOf('AmbientCapabilities')]).toEqual(['', '']);
    expect(settingOf('MemoryMax')).toMatch(/^\d+G$/);
    expect(settingOf('OOMPolicy')).toBe('continue');
  });

  /** Skips the two tests below on a machine without systemd. Its threshold is in tenths. */
  test.skipIf(!canVerify)('systemd-analyze calls it well protected', () => {
    const unitPath = join(root, 'docs/ops/belay.service');
    const analyzed = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=25', unitPath], {
      encoding: 'utf8',
    });
    expect(analyzed.stdout).toContain('Overall exposure level');
    expect(analyzed.status, analyzed.stdout.split('\n').slice(-3).join(' ')).toBe(0);
  });

  test.skipIf(!canVerify)('systemd-analyze finds nothing wrong in it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'belay-unit-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, 'belay.service');
    writeFileSync(path, unit.replace('/opt/belay/bin/belay', join(root, 'bin/belay')));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', path], { encoding: 'utf8' });
    const ofUnit = stderr.split('\n').filter((line) => line.includes('belay'));
    expect(ofUnit).toEqual([]);
    expect(status).toBe(0);
  });
});
