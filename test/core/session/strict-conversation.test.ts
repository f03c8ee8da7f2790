// The messages after a stop: speaker and model take turns, as the strictest chat templates ask, wherever the stop has come.
import { expect, test } from 'vitest';
import type { Script } from '../../../src/adapters/models/scripted.ts';
import { callsResponse, startHarness, textResponse } from '../../support/harness.ts';
import { pairingProblems } from '../../support/message-pairing.ts';

const hanging: Script = { steps: [{ hang: true }] };

test.each([
  { when: 'before the first token', first: hanging, roles: ['system', 'user'] },
  {
    when: 'in the middle of the text',
    first: { steps: [{ text: 'Well, ' }, { hang: true }] } satisfies Script,
    roles: ['system', 'user', 'assistant', 'user'],
  },
  {
    when: 'while a tool runs',
    first: callsResponse(['wait']),
    roles: ['system', 'user', 'assistant', 'tool', 'assistant', 'user'],
  },
])('after a stop $when the next request is accepted [history.paired]', async ({ first, roles }) => {
  const harness = await startHarness({
    instructions: 'Be brief.',
    respond: (_, n) => (n === 0 ? first : textResponse('fine')),
  });
  const turn = await harness.say('one');
  await harness.clock.advance(50);
  await harness.cancel({ target: turn });
  await harness.clock.advance(2_000);
  const next = await harness.say('two');
  await harness.clock.advance(100);
  const { messages } = harness.provider.requests.at(-1) ?? { messages: [] };
  expect(messages.map(({ role }) => role)).toEqual(roles);
  expect(pairingProblems(messages)).toEqual([]);
  const last = messages.at(-1)?.content ?? '';
  expect(last.endsWith('two')).toBe(true);
  expect(messages.some(({ content }) => content.includes('one'))).toBe(true);
  expect(harness.endOf(next)?.outcome).toBe('completed');
});

test('ten stops before the first token in a row are one message of the speaker [history.paired]', async () => {
  const harness = await startHarness({ respond: (_, n) => (n < 10 ? hanging : textResponse('fine')) });
  for (let i = 0; i < 10; i++) {
    const turn = await harness.say(`try ${i}`);
    await harness.clock.advance(20);
    await harness.cancel({ target: turn });
    await harness.clock.advance(500);
  }
  await harness.say('and now?');
  await harness.clock.advance(100);
  const { messages } = harness.provider.requests.at(-1) ?? { messages: [] };
  expect(pairingProblems(messages)).toEqual([]);
  expect(messages.filter(({ role }) => role === 'user')).toHaveLength(1);
  for (let i = 0; i < 10; i++) expect(messages.at(-1)?.content).toContain(`try ${i}`);
});
