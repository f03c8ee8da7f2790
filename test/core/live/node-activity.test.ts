// The word for what a call does is the same in each list: that of the directory, that of a turn's own status, that of the store's facts.
import { expect, test } from 'vitest';
import type { RecordedFact } from '../../../machines/facts.ts';
import { nodesOf } from '../../../src/core/reports/node-report.ts';
import { callsResponse, startHarness, textResponse, toolOf } from '../../support/harness.ts';

test('a call that waits for a person is asking in each list, until the answer [ops.ask]', async () => {
  const seen: unknown[] = [];
  const ask = toolOf('ask', async (_, { ask: put }) => put({ text: 'Which one?', choices: [] }));
  const look = toolOf('look', async (_, { status }) => {
    const { calls, running } = status();
    seen.push(calls.find(({ name }) => name === 'ask')?.state, running.find(({ name }) => name === 'ask')?.state);
    return 'seen';
  });
  const harness = await startHarness({
    tools: [ask, look],
    respond: ({ messages }, n) =>
      n === 0
        ? callsResponse(['ask'], ['wait', { ms: 500 }])
        : messages.at(-1)?.role === 'user' && messages.at(-1)?.content.includes('look')
          ? callsResponse(['look'])
          : textResponse('done'),
  });
  const { runtime, alice, log } = harness;
  const listed = async () => {
    const { turns } = await (await runtime.directory()).activeTurns(alice);
    return Object.fromEntries(turns.flatMap(({ calls }) => calls.map(({ name, state }) => [name, state])));
  };
  await harness.say('ask me');
  await harness.clock.advance(100);
  expect(await listed()).toEqual({ ask: 'asking', wait: 'running' });
  const facts = (await log.read('s', 0)).map(({ seq, body }) => ({ seq, fact: body as RecordedFact })); // only journals write events
  const node = harness.callNamed('ask');
  expect(nodesOf(facts).get(node)).toMatchObject({ isAsking: true });
  const bob = { speaker: { id: 'bob', roles: ['member' as const] }, connection: 'of-bob' };
  await harness.say('look', bob);
  await harness.clock.advance(1_000);
  expect(seen).toEqual([undefined, 'asking']); // the calls of the status are those of its own turn
  const answered = harness.session.answer(alice, { target: node, answer: 'answered', text: 'this one' });
  await harness.clock.advance(1_000);
  expect(await answered).toEqual({ type: 'answer_taken' });
  expect(await listed()).toEqual({});
  const after = (await log.read('s', 0)).map(({ seq, body }) => ({ seq, fact: body as RecordedFact })); // as above
  expect(nodesOf(after).get(node)).toMatchObject({ isAsking: false, outcome: 'completed' });
});
