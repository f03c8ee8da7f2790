// The usage of a session: all its turns, with what is below them, and the last turn of a speaker.
import { expect, test } from 'vitest';
import type { RecordedFact } from '../../../machines/facts.ts';
import { UsageFold } from '../../../src/core/reports/session-usage.ts';
import { callerOf, callsResponse, startHarness, textResponse } from '../../support/harness.ts';

test('turns, calls and tokens are counted with the agents below them, for the session and for the last turn of a speaker [cli.chat]', async () => {
  const harness = await startHarness({
    respond: ({ messages }) => {
      const last = messages.at(-1);
      if (last?.role === 'user' && last.content.includes('delegate'))
        return callsResponse(['spawn_agent', { agent: 'helper', task: 'look' }]);
      return textResponse('done');
    },
    agents: { helper: { description: 'Helps.', instructions: 'Help.' } },
  });
  const bob = callerOf('bob');
  await harness.say('hello', bob);
  await harness.clock.advance(1_000);
  await harness.say('delegate');
  await harness.clock.advance(1_000);
  const facts = (await harness.log.read('s', 0)).map(({ body }) => body as RecordedFact); // only journals write events
  const usageFor = (speaker: string) => {
    const fold = new UsageFold(speaker);
    for (const fact of facts) fold.add(fact);
    return fold.read();
  };
  expect(usageFor('alice')).toMatchObject({
    session: { turns: 2, modelCalls: 4, calls: 1 },
    lastTurn: { turns: 1, modelCalls: 3, calls: 1 },
  });
  expect(usageFor('bob').lastTurn).toMatchObject({ turns: 1, modelCalls: 1, calls: 0 });
  expect(usageFor('carl').lastTurn).toBeNull();
});
