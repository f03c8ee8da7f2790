// Sessions in which nothing has happened for too long are deleted: at the start and daily, never one that works.
import { expect, test } from 'vitest';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import type { Observer } from '../../../src/core/session/session-spec.ts';
import { retentionContract } from '../../contract/retention.ts';
import { startHarness, textResponse } from '../../support/harness.ts';

const dayMs = 86_400_000;

retentionContract('in memory', createMemoryLog);

test('what works is kept, and goes when it has ended long enough ago; without the setting all is kept', async () => {
  const deleted: string[] = [];
  const observer: Observer = { deleted: (session) => void deleted.push(session) };
  const respond = () => ({ steps: [{ waitMs: 5 * dayMs }, ...textResponse('done').steps] });
  const limits = { turnMs: 0 };
  const harness = await startHarness({ retentionDays: 1, observers: [observer], respond, limits });
  const turn = await harness.say('words');
  await harness.clock.advance(4 * dayMs);
  expect(deleted).toEqual([]);
  await harness.clock.advance(2 * dayMs);
  expect(harness.endOf(turn)).toBeDefined();
  await harness.clock.advance(3 * dayMs);
  await expect.poll(() => deleted).toEqual(['s']);
  const all = await startHarness();
  await all.clock.advance(100 * dayMs);
  expect((await all.log.head('s')).last).toBeGreaterThan(0);
});
