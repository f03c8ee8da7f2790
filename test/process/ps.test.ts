// `ps` on a host that has no room for another process: what cannot be asked is not dead.
import { execFileSync } from 'node:child_process';
import { beforeEach, expect, test, vi } from 'vitest';
import { ps } from '../../src/process/ps.ts';

vi.mock('node:child_process', () => ({ execFileSync: vi.fn() }));
const fails = (facts: object) =>
  vi.mocked(execFileSync).mockImplementation(() => {
    throw Object.assign(new Error('ps'), facts);
  });
beforeEach(() => void fails({ code: 'EAGAIN', status: null }));

test('a look that fails is no proof, and whoever cannot be read is not gone [tool.process]', async () => {
  expect(await ps.list()).toEqual({ processes: [], steady: false });
  expect(() => ps.read(1)).toThrow('ps');
  expect(ps.group(1)).toEqual([]);
  expect(ps.children(1)).toEqual([]);
});

test('its own no is one: there is no such process', () => {
  fails({ status: 1 });
  expect(ps.read(1)).toBeNull();
});
