// What a dead host has left and nobody can end: the session is opened all the same, and it is said.
import { expect, test, vi } from 'vitest';
import { endLeftovers } from '../../src/runtime/leftovers.ts';

vi.mock('../../src/tools/process/leftovers.ts', () => ({ terminateLeftovers: () => new Promise(() => {}) }));

test('a process that does not end keeps no session closed for longer than its bound [store.durable] [cancel.bounded]', async () => {
  const warnings: string[] = [];
  const bounds = { termGraceMs: 5, patienceMs: 5, warn: (message: string) => void warnings.push(message) };
  expect(await endLeftovers({ calls: ['call_1'], facts: [], ...bounds })).toEqual([]);
  expect(warnings).toEqual(['processes of call_1, which a dead host has left, may still be alive']);
  expect(await endLeftovers({ calls: [], facts: [], ...bounds })).toEqual([]);
  expect(warnings).toHaveLength(1);
});
