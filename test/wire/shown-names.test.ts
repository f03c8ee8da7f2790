// Names in frames as people read them: of speakers and tools, at every place of a frame, and nothing else of it.
import { expect, test } from 'vitest';
import { showNames } from '../../src/wire/shown-names.ts';

const name = 'an\u200bn ';
const shown = 'an<U+200B>n<U+0020>';

test('stored names are written out, wherever a frame has one; texts stay [access.names]', () => {
  const joined = {
    type: 'joined',
    ref: 'j',
    session: 's',
    kind: 'text',
    policy: 'anyone',
    seq: 1,
    nodes: [
      {
        node: 'call_1',
        kind: 'tool-call',
        owner: name,
        parent: null,
        name: 'e\u202etool',
        state: 'running',
        since: 1,
        waitsFor: { node: 'call_2', name: null, owner: name },
      },
    ],
    blocks: [{ turn: 't', index: 0, offset: 0, text: 'e\u202e' }],
    questions: [
      {
        type: 'question_asked',
        turn: 't',
        node: 'n',
        to: name,
        text: 'e\u202e',
        choices: ['e\u202e'],
        expiresAt: null,
      },
    ],
  } as const;
  expect(showNames(joined)).toEqual({
    ...joined,
    nodes: [
      {
        ...joined.nodes[0],
        owner: shown,
        name: 'e<U+202E>tool',
        waitsFor: { node: 'call_2', name: null, owner: shown },
      },
    ],
    questions: [{ ...joined.questions[0], to: shown }],
  });
  const settled = {
    type: 'cancel_settled',
    session: 's',
    cancel: 'c',
    ref: null,
    cause: { source: 'client', by: name, reason: null, target: 'mine' },
    nodes: [],
  } as const;
  expect(showNames(settled)).toEqual({ ...settled, cause: { ...settled.cause, by: shown } });
});

test('a frame with good names is the same one', () => {
  const frame = { type: 'member_removed', session: 's', speaker: 'ann', by: 'ben', ref: null } as const;
  expect(showNames(frame)).toBe(frame);
});
