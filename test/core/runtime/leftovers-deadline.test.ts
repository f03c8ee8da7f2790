// Processes of a dead host that cannot be terminated: the session opens nevertheless, and a warning names them.
import { expect, test } from 'vitest';
import type { Processes } from '../../../src/core/contracts/processes.ts';
import { terminateLeftoverProcesses } from '../../../src/core/runtime/leftover-processes.ts';
import { noProcesses } from '../../../src/core/runtime/no-processes.ts';

/** Three calls by their markers: one whose process does not end, one whose process ends, one without a process. */
const processes: Processes = {
  ...noProcesses,
  markerName: 'BELAY_NODE',
  terminateLeftover: ({ node }) =>
    node.startsWith('late') ? new Promise(() => {}) : Promise.resolve(Number(node === 'ended')),
};

function bounds() {
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  return { warnings, processes, termGraceMs: 5, waitMs: 5, facts: [], warn };
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
