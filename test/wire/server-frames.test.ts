// The schemas of server frames: a client in development finds what is wrong, and accepts what a later version adds.
import { describe, expect, test } from 'vitest';
import { serverSchemas } from '../../src/wire/server-frames.ts';
import { validateServerFrame } from '../../src/wire/validate-server-frame.ts';
import { withheldFacts } from '../../src/wire/withheld-facts.ts';

const delta = { type: 'text_delta', session: 's', turn: 'turn_1', index: 0, offset: 0, text: 'Hel' };
const question = { type: 'question_asked', turn: 't', node: 'n', to: 'ann', text: '?', choices: [], expiresAt: null };
const joined = {
  type: 'joined',
  ref: 'j',
  session: 's',
  kind: 'text',
  policy: 'anyone',
  seq: 0,
  nodes: [],
  blocks: [],
};

describe('validateServerFrame', () => {
  test('accepts a good frame, and fields and types that it does not know', () => {
    expect(validateServerFrame(delta)).toBeNull();
    expect(validateServerFrame({ ...delta, later: 1 })).toBeNull();
    expect(validateServerFrame({ type: 'of_a_later_version' })).toBeNull();
    expect(validateServerFrame({ ...joined, questions: [{ ...question, later: 1 }] })).toBeNull();
  });

  test.each([
    [{ ...delta, offset: '0' }, 'offset: must be a whole number, not "0"'],
    [{ ...delta, text: undefined }, 'text: is missing'],
    [{ ...joined, questions: [{ ...question, to: 7 }] }, 'questions[0].to: must be a text, not a number'],
    [
      { type: 'left', session: 's', reason: 'bored' },
      'reason: must be shutdown, store_failed, fenced, session_failed, removed or deleted',
    ],
    [null, 'one JSON object'],
    [{ type: 7 }, 'one JSON object'],
  ])('%j: %s', (frame, sentence) => {
    expect(validateServerFrame(frame)).toContain(sentence);
  });
});

test('an approval has the name and the arguments of its call, or, from an earlier version, neither', () => {
  const approval = { type: 'approval_requested', turn: 't', node: 'n', to: 'ann', text: '?', expiresAt: null };
  const call = { name: 'shell', arguments: '{"command":"ls"}', remark: '' };
  const schema = serverSchemas.get('approval_requested');
  for (const frame of [approval, { ...approval, ...call }])
    expect(schema?.safeParse({ ...frame, session: 's', seq: 1, at: 0 }).success).toBe(true);
  expect(validateServerFrame({ ...joined, questions: [{ ...approval, ...call, arguments: {} }] })).toContain(
    'arguments',
  );
});

test('the schemas are strict: a field that the protocol does not name is an issue for its tests', () => {
  expect(serverSchemas.get('text_delta')?.safeParse({ ...delta, later: 1 }).success).toBe(false);
});

test('the state that a provider wants back stays on the host [model.state]', () => {
  expect(withheldFacts).toContain('model_state');
});
