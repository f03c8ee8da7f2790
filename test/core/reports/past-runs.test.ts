// Past runs are found by how they ended, whose they are, which tool they called, why they were stopped, and when.
import { expect, test } from 'vitest';
import type { RecordedFact } from '../../../machines/facts.ts';
import { findRuns, type RunFilter } from '../../../src/core/reports/past-runs.ts';
import { callerOf, callsResponse, startHarness, textResponse } from '../../support/harness.ts';

test('runs are found by state, speaker, tool, cause and time, and by all of them together [ops.ask]', async () => {
  const harness = await startHarness({
    respond: ({ messages }) =>
      messages.at(-1)?.role === 'user' && messages.at(-1)?.content.includes('work')
        ? callsResponse(['wait', { ms: 5_000 }])
        : textResponse('done'),
  });
  const bob = callerOf('bob');
  const said = await harness.say('hello');
  await harness.clock.advance(1_000);
  const worked = await harness.say('work', bob);
  await harness.clock.advance(100);
  await harness.cancel({ target: 'mine' }, bob);
  await harness.clock.advance(60_000);
  const later = harness.clock.now();
  const open = await harness.say('work');
  await harness.clock.advance(100);
  const facts = (await harness.log.read('s', 0)).map(({ seq, body }) => ({ seq, fact: body as RecordedFact })); // only journals write events
  const found = (filter: RunFilter) => findRuns(facts, filter).map(({ node }) => node);
  expect(found({})).toEqual([open, worked, said]);
  expect(found({ state: 'completed' })).toEqual([said]);
  expect(found({ state: 'open' })).toEqual([open]);
  expect(found({ speaker: 'bob' })).toEqual([worked]);
  expect(found({ tool: 'wait' })).toEqual([open, worked]);
  expect(found({ cause: 'client' })).toEqual([worked]);
  expect(found({ cause: 'deadline' })).toEqual([]);
  expect(found({ since: later })).toEqual([open]);
  expect(found({ tool: 'wait', speaker: 'bob', state: 'cancelled', cause: 'client', since: 0 })).toEqual([worked]);
  expect(found({ tool: 'wait', speaker: 'alice', state: 'cancelled' })).toEqual([]);
});
