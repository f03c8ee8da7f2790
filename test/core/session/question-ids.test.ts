// An answer closes the question that it names: never the next one of the same call.
import { describe, expect, test } from 'vitest';
import type { Tool } from '../../../src/core/contracts/tool.ts';
import type { AnswerReply, AnswerRequest } from '../../../src/core/session/api.ts';
import { callerOf, callsOnce, startHarness, toolOf } from '../../support/harness.ts';

const carol = callerOf('carol', ['moderator']);

/** A call that asks for two approvals, one after the other. */
async function asksTwice(more: Partial<Tool> = {}) {
  const remover = {
    ...toolOf('remover', async (_, { requestApproval }) =>
      [
        await requestApproval({ text: 'Remove a.tmp?' }),
        await requestApproval({ text: 'Remove the whole folder?' }),
      ].join(),
    ),
    ...more,
  };
  const harness = await startHarness({ tools: [remover], respond: callsOnce(['remover']) });
  await harness.say('tidy up');
  await harness.clock.advance(50);
  const asked = () => harness.recorder.of('approval_requested').map(({ question }) => question);
  const approve = async (request: Partial<AnswerRequest>, caller = harness.alice): Promise<AnswerReply> => {
    const target = harness.callNamed('remover');
    const reply = harness.session.answer(caller, { target, answer: 'approved', ...request });
    await harness.clock.advance(60);
    return await reply;
  };
  return { harness, asked, approve };
}

describe('a call that asks twice', () => {
  test('has an id for each question, which the fact that closes it names too [owner.ask.one]', async () => {
    const { harness, asked, approve } = await asksTwice();
    await approve({ question: asked()[0] });
    await approve({ question: asked()[1], answer: 'denied' });
    expect(new Set(asked()).size).toBe(2);
    expect(harness.recorder.of('approval_closed').map(({ question, answer }) => [question, answer])).toEqual([
      [asked()[0], 'approved'],
      [asked()[1], 'denied'],
    ]);
  });

  test('gets one yes from a double click [owner.ask.one]', async () => {
    const { harness, asked, approve } = await asksTwice();
    const [question] = asked();
    expect(await approve({ question })).toEqual({ type: 'answer_taken' });
    expect(asked()).toHaveLength(2);
    expect(await approve({ question })).toMatchObject({ type: 'answer_refused', code: 'expired' });
    expect(harness.recorder.of('approval_closed')).toHaveLength(1);
  });

  test('takes an answer without an id for its first question only [owner.ask.one]', async () => {
    const { harness, approve } = await asksTwice();
    expect(await approve({})).toEqual({ type: 'answer_taken' });
    expect(await approve({})).toMatchObject({ type: 'answer_refused', code: 'question_required' });
    expect(harness.recorder.of('approval_closed')).toHaveLength(1);
  });

  test('counts the approval before it runs as its first question [owner.ask.one]', async () => {
    const { harness, asked, approve } = await asksTwice({ approval: () => ({ text: 'May I run?' }) });
    expect(await approve({})).toEqual({ type: 'answer_taken' });
    expect(await approve({})).toMatchObject({ code: 'question_required' });
    expect(await approve({ question: asked()[1] })).toEqual({ type: 'answer_taken' });
    expect(harness.recorder.of('approval_closed')).toHaveLength(2);
  });

  test('refuses an answer to its second question under the ref of that to the first [owner.ask.one] [cancel.idempotent.ref]', async () => {
    const { harness, asked, approve } = await asksTwice();
    expect(await approve({ question: asked()[0], ref: 'a' })).toEqual({ type: 'answer_taken' });
    expect(await approve({ question: asked()[1], ref: 'a' })).toEqual({ type: 'ref_reused' });
    expect(await approve({ question: asked()[0], ref: 'a' })).toMatchObject({ code: 'expired' });
    for (let i = 0; i < 600; i++) await harness.cancel({ target: 'turn_none', ref: `c${i}` });
    expect(await approve({ question: asked()[1], ref: 'a' })).toEqual({ type: 'ref_reused' });
    expect(harness.recorder.of('approval_closed')).toHaveLength(1);
  });

  test('refuses an answer that crosses that of a moderator [owner.ask.one]', async () => {
    const { harness, asked, approve } = await asksTwice();
    const [question] = asked();
    const target = harness.callNamed('remover');
    const crossing = [carol, harness.alice].map((caller) =>
      harness.session.answer(caller, { target, question, answer: 'approved' }),
    );
    await harness.clock.advance(60);
    expect(await Promise.all(crossing)).toMatchObject([{ type: 'answer_taken' }, { code: 'expired' }]);
    expect(asked()).toHaveLength(2);
    expect(await approve({ question: 'question_none' })).toMatchObject({ code: 'expired' });
  });
});
