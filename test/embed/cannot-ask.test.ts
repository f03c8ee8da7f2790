// A door that has nobody to ask: an approval is denied at once, a question withdrawn, and the model reads why.
import { expect, test } from 'vitest';
import { askUserTool } from '../../src/adapters/tools/builtin/ask-user.ts';
import { requireApprovals } from '../../src/core/tools/require-approval.ts';
import { watch } from '../support/watch-tool.ts';
import { asks, open, says } from './open.ts';

const ann = { speaker: { id: 'ann', roles: ['member'] }, connection: 'c' } as const;

/** A turn whose one call asks, and the answer of a door that has nobody to ask. */
async function unasked(call: ReturnType<typeof asks>, tools: Parameters<typeof requireApprovals>[0]) {
  const opened = await open((_said, n) => (n === 0 ? call : says('so be it')), { tools });
  const { session, clock, recorder, provider } = opened;
  const turn = session.as('ann').say('go');
  await clock.advance(0);
  const [node = ''] = (await session.nodes()).filter(({ kind }) => kind === 'tool-call').map((one) => one.node);
  const reply = await session.answer(ann, { target: node, answer: 'cannot_ask' });
  await clock.advance(0);
  expect(reply).toEqual({ type: 'answer_taken' });
  expect(await turn.ended).toMatchObject({ outcome: 'completed' });
  return { recorder, read: JSON.stringify(provider.requests[1]?.messages) };
}

test('an approval is denied with the code `cannot_ask` [doors.cannot_ask]', async () => {
  const { recorder, read } = await unasked(asks('watch'), requireApprovals([watch], ['watch']));
  expect(recorder.of('approval_closed')).toMatchObject([{ answer: 'denied', code: 'cannot_ask', by: 'ann' }]);
  expect(recorder.of('tool_result')).toMatchObject([{ outcome: 'denied', code: 'cannot_ask', effect: 'not_started' }]);
  expect(read).toContain('Nobody could be asked');
});

test('a question is withdrawn, and its call fails with the reason [doors.cannot_ask]', async () => {
  const { recorder, read } = await unasked(asks('ask_user', { question: 'Which?' }), [askUserTool()]);
  expect(recorder.of('question_closed')).toMatchObject([{ answer: 'withdrawn', text: null, by: 'ann' }]);
  expect(recorder.of('tool_result')).toMatchObject([{ outcome: 'failed' }]);
  expect(read).toContain('Nobody could be asked');
});

test('only who may answer may say so [doors.cannot_ask]', async () => {
  const { session, clock } = await open(() => asks('watch'), { tools: requireApprovals([watch], ['watch']) });
  const turn = session.as('ann').say('go');
  await clock.advance(0);
  const [node = ''] = (await session.nodes()).filter(({ kind }) => kind === 'tool-call').map((one) => one.node);
  const bob = { speaker: { id: 'bob', roles: ['member'] }, connection: 'd' } as const;
  expect(await session.answer(bob, { target: node, answer: 'cannot_ask' })).toMatchObject({ code: 'not_addressed' });
  turn.cancel();
  await clock.advance(0);
});
