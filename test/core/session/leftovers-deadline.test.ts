// Processes of a dead host that cannot be terminated: the session opens nevertheless, and a warning names them.
import { expect, test, vi } from 'vitest';
import type { ProcessFamily } from '../../../src/adapters/processes/process-family.ts';
import { terminateLeftoverProcesses } from '../../../src/core/session/leftover-processes.ts';

/** Three calls by their markers: one whose process does not end, one whose process ends, one without a process. */
vi.mock('../../../src/adapters/processes/terminate.ts', () => ({
  terminateFamily: ({ marker }: ProcessFamily) =>
    marker.startsWith('late')
      ? new Promise(() => {})
      : Promise.resolve({ ended: Number(marker === 'ended'), forced: false }),
}));

function bounds() {
  const warnings: string[] = [];
  return { warnings, termGraceMs: 5, waitMs: 5, facts: [], warn: (message: string) => void warnings.push(message) };
}

test('a process that does not end delays the opening of a session by no more than the grace and the wait [store.durable] [cancel.bounded]', async () => {
  const { warnings, ...options } = bounds();
  expect(await terminateLeftoverProcesses({ calls: ['late_1'], ...options })).toEqual([]);
  expect(warnings).toEqual([
    'Processes of a dead host may still be alive 10 ms after TERM: those marked BELAY_NODE=late_1.',
  ]);
  expect(await terminateLeftoverProcesses({ calls: [], ...options })).toEqual([]);
  expect(warnings).toHaveLength(1);
});

test('calls whose processes have ended are returned, and the warning names only the others [store.durable] [cancel.settled]', async () => {
  const { warnings, ...options } = bounds();
  expect(await terminateLeftoverProcesses({ calls: ['late_1', 'ended', 'gone', 'late_2'], ...options })).toEqual([
    'ended',
  ]);
  expect(warnings).toEqual([
    'Processes of a dead host may still be alive 10 ms after TERM: those marked BELAY_NODE=late_1, late_2.',
  ]);
});

test('when all have ended in time, there is no warning [store.durable]', async () => {
  const { warnings, ...options } = bounds();
  expect(await terminateLeftoverProcesses({ calls: ['ended', 'gone'], ...options })).toEqual(['ended']);
  expect(warnings).toEqual([]);
});
