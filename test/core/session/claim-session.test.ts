// The calls of a dead host whose processes may be alive.
import { expect, test } from 'vitest';
import type { Fact } from '../../../machines/facts.ts';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import { noProcesses } from '../../../src/core/runtime/no-processes.ts';
import { claimSession } from '../../../src/core/session/claim-session.ts';

const turn = 'turn_1';
const node = 'call_1';
const result = (outcome: 'completed' | 'continues' | 'abandoned'): Fact => ({
  type: 'tool_result',
  turn,
  node,
  outcome,
  effect: 'unknown',
});
const lateResult = (outcome: 'cancelled' | 'abandoned'): Fact => ({
  type: 'late_result',
  node,
  outcome,
  effect: 'unknown',
});

test.each<[string, 'may be alive' | 'are gone', readonly Fact[]]>([
  ['that has no result', 'may be alive', []],
  ['that has completed', 'are gone', [result('completed')]],
  ['that was abandoned', 'may be alive', [result('abandoned')]],
  ['that was abandoned, and has ended', 'are gone', [result('abandoned'), { type: 'abandoned_ended', node }]],
  ['that ran on after its turn', 'may be alive', [result('continues')]],
  ['that ran on, and was stopped', 'are gone', [result('continues'), lateResult('cancelled')]],
  ['that ran on, and was abandoned', 'may be alive', [result('continues'), lateResult('abandoned')]],
])('the processes of a call %s %s [store.durable]', async (_, expected, facts) => {
  const log = createMemoryLog();
  const epoch = await log.claim('s', 0, 'the dead');
  const bodies = [{ type: 'tool_started', turn, node } as const, ...facts].map((fact) => ({ ...fact, at: 0 }));
  await log.append('s', epoch, 0, bodies);
  for (const { id } of await log.hosts()) await log.endLease(id);
  const claimed = await claimSession({ log, processes: noProcesses, session: 's', host: 'next', now: 1 });
  expect(claimed.unfinishedCalls).toEqual(expected === 'may be alive' ? [node] : []);
});
