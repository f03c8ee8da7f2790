// Calls of one response: they run at once, each result is published as it comes, and the history has them in the order of the calls.
import { expect, test } from 'vitest';
import { callsOnce, startHarness, toolOf } from '../../support/harness.ts';

test('a slow call and a failed one hold nobody up, exclusive ones run alone, and the history keeps the order of the calls [tool.parallel]', async () => {
  const failing = toolOf('failing', () => Promise.reject(new Error('no disk')));
  const h = await startHarness({
    tools: [failing],
    respond: callsOnce(
      ['wait', { ms: 900 }],
      ['keyed', { ms: 300 }],
      ['failing'],
      ['wait', { ms: 100 }],
      ['keyed', { ms: 200 }],
      ['note'],
    ),
  });
  const turn = await h.say('all of it');
  await h.clock.advance(5_000);
  const ids = h.recorder.of('tool_call').map(({ node }) => node);
  const [slow, exclusive, failed, quick, waiting, noted] = ids;
  const resultAt = Object.fromEntries(
    h.recorder.facts.flatMap((fact) => (fact.type === 'tool_result' ? [[fact.node, fact.at]] : [])),
  );
  const at = [failed, noted, quick, exclusive, waiting, slow].map((node) => resultAt[node ?? '']);
  expect(at, 'of the second call with a key, after that of the first').toEqual([0, 0, 100, 300, 500, 900]);
  expect(Object.values(h.outcomes()).toSorted()).toEqual([...Array.from({ length: 5 }, () => 'completed'), 'failed']);
  expect(h.endOf(turn)?.outcome).toBe('completed');
  const { messages = [] } = h.provider.requests.at(-1) ?? {};
  const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
  expect(results.map((text) => /after work|no disk|noted/.exec(text)?.[0])).toEqual([
    'after work',
    'after work',
    'no disk',
    'after work',
    'after work',
    'noted',
  ]);
  const asked = messages.flatMap((message) => ('calls' in message ? (message.calls ?? []) : []));
  const answered = messages.flatMap((message) => (message.role === 'tool' ? [message.callId] : []));
  expect(answered).toEqual(asked.map(({ callId }) => callId));
});
