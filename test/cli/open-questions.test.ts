// What is open, as a terminal knows it.
import { expect, test } from 'vitest';
import { createAsked } from '../../src/cli/open-questions.ts';
import type { ServerFrameOf } from '../../src/protocol/server-frames.ts';

const approval = {
  type: 'approval_requested',
  turn: 't',
  node: 'call_1',
  to: 'ann',
  text: '?',
  expiresAt: null,
} as const;
const question = {
  type: 'question_asked',
  turn: 't',
  node: 'call_2',
  to: 'ann',
  text: '?',
  choices: [],
  expiresAt: null,
} as const;
const joined = (questions: ServerFrameOf<'joined'>['questions']): ServerFrameOf<'joined'> => ({
  ...{ type: 'joined', ref: 'j', session: 's', kind: 'text', policy: 'anyone', seq: 9, nodes: [], blocks: [] },
  questions,
});

test('who comes back holds what is open now, and nothing else', () => {
  const asked = createAsked();
  asked.learn({ ...approval, session: 's', seq: 1, at: 1 });
  expect(asked.open('approval', 'ann', null)).toEqual([{ node: 'call_1', kind: 'approval', to: 'ann' }]);
  asked.learn(joined([question]));
  expect(asked.open('approval', 'ann', null)).toEqual([]);
  expect(asked.open('question', 'ann', null)).toEqual([{ node: 'call_2', kind: 'question', to: 'ann' }]);
  expect(asked.open('question', 'bob', null)).toEqual([]);
  expect(asked.open('question', 'bob', '_2'), 'by its id, whomever it was put to').toHaveLength(1);
});
