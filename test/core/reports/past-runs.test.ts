// Past runs are found by what was said, how they ended, whose they are, which tool they called, why they were stopped, and when.
import { expect, test } from 'vitest';
import type { RecordedFact } from '../../../machines/facts.ts';
import type { TurnSearch } from '../../../src/core/contracts/session-search.ts';
import { findRuns } from '../../../src/core/reports/past-runs.ts';
import { callerOf, callsResponse, startHarness, textResponse } from '../../support/harness.ts';

test('runs are found by words, outcome, speaker, tool, cause and time, and by all of them together [ops.ask]', async () => {
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
  const found = (filter: TurnSearch) => findRuns(facts, filter).map(({ node }) => node);
  expect(found({})).toEqual([open, worked, said]);
  expect(found({ outcome: 'completed' })).toEqual([said]);
  expect(found({ outcome: 'open' })).toEqual([open]);
  expect(found({ speaker: 'bob' })).toEqual([worked]);
  expect(found({ tool: 'wait' })).toEqual([open, worked]);
  expect(found({ cause: 'client' })).toEqual([worked]);
  expect(found({ cause: 'deadline' })).toEqual([]);
  expect(found({ since: later })).toEqual([open]);
  expect(found({ until: later })).toEqual([worked, said]);
  expect(found({ words: ['wor'] })).toEqual([open, worked]);
  expect(found({ words: ['done'], speaker: 'alice' }), 'the answer of the model').toEqual([said]);
  expect(found({ words: ['hello', 'work'] }), 'of two turns').toEqual([]);
  await harness.runtime.renameSession('s', null, { title: 'Our Wörk plan' });
  const renamed = (await harness.log.read('s', 0)).map(({ seq, body }) => ({ seq, fact: body as RecordedFact }));
  expect(findRuns(renamed, { words: ['plan', 'work'] })).toHaveLength(3);
  expect(found({ tool: 'wait', speaker: 'bob', outcome: 'cancelled', cause: 'client', since: 0 })).toEqual([worked]);
  expect(found({ tool: 'wait', speaker: 'alice', outcome: 'cancelled' })).toEqual([]);
});
