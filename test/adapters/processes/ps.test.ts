// `ps` on a host that cannot start another process: what cannot be read is not dead.
import { execFileSync } from 'node:child_process';
import { beforeEach, expect, test, vi } from 'vitest';
import { ps } from '../../../src/adapters/processes/ps.ts';

vi.mock('node:child_process', () => ({ execFileSync: vi.fn() }));
const fails = (facts: object) =>
  vi.mocked(execFileSync).mockImplementation(() => {
    throw Object.assign(new Error('ps'), facts);
  });
beforeEach(() => void fails({ code: 'EAGAIN', status: null }));

test('a listing that fails proves nothing, and a process that cannot be read is not gone [tool.process]', async () => {
  expect(await ps.list()).toEqual({ processes: [], steady: false });
  expect(() => ps.read(1)).toThrow('ps');
  expect(ps.group(1)).toEqual([]);
  expect(ps.children(1)).toEqual([]);
});

test('its exit code 1 does prove that there is no such process', () => {
  fails({ status: 1 });
  expect(ps.read(1)).toBeNull();
});
