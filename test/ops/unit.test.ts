// docs/ops/belay.service: the sandbox of the gateway and its commands, read from the file, and by systemd where it is installed.
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { read, root } from '../house/tree.ts';

const path = 'docs/ops/belay.service';
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

/** The settings of the unit: each with all of its values, in their order. */
function settings(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const line of read(path).split('\n')) {
    const [, name, value = ''] = /^([A-Za-z]+)=(.*)$/.exec(line) ?? [];
    if (name !== undefined) found.set(name, [...(found.get(name) ?? []), value]);
  }
  return found;
}

test('the unit limits calls, families, capabilities, namespaces, the kernel and memory [ops.deploy.sandbox]', () => {
  const unit = settings();
  const wanted: Readonly<Record<string, readonly string[]>> = {
    NoNewPrivileges: ['yes'],
    ProtectSystem: ['strict'],
    ProtectHome: ['yes'],
    PrivateTmp: ['yes'],
    PrivateDevices: ['yes'],
    ProtectKernelTunables: ['yes'],
    ProtectKernelModules: ['yes'],
    ProtectKernelLogs: ['yes'],
    ProtectControlGroups: ['yes'],
    ProtectClock: ['yes'],
    ProtectHostname: ['yes'],
    RestrictNamespaces: ['yes'],
    RestrictSUIDSGID: ['yes'],
    RestrictRealtime: ['yes'],
    LockPersonality: ['yes'],
    CapabilityBoundingSet: [''],
    AmbientCapabilities: [''],
    SystemCallFilter: ['@system-service @pkey'],
    SystemCallArchitectures: ['native'],
    RestrictAddressFamilies: ['AF_INET AF_INET6 AF_UNIX AF_NETLINK'],
  };
  expect(Object.fromEntries(Object.keys(wanted).map((name) => [name, unit.get(name)]))).toEqual(wanted);
  expect(unit.get('MemoryMax')?.[0]).toMatch(/^\d+[MG]$/);
  expect(unit.get('TasksMax')?.[0]).toMatch(/^\d+$/);
  expect(unit.has('MemoryDenyWriteExecute')).toBe(false); // V8 compiles
});

test('the unit says what tools.user and a browser need in their place [ops.deploy.sandbox]', () => {
  const comments = read(path)
    .split('\n')
    .filter((line) => line.startsWith('#'))
    .join('\n');
  for (const words of ['tools.user', 'browse', 'RestrictNamespaces=no', 'MemoryDenyWriteExecute='])
    expect(comments).toContain(words);
});

test.runIf(hasSystemd)('systemd finds it well protected [ops.deploy.sandbox]', () => {
  const args = ['security', '--offline=true', '--threshold=25', `${root}/${path}`];
  const { status, stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
  expect(status, `${stdout}${stderr}`).toBe(0);
});
