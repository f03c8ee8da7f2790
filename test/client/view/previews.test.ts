// A snapshot while a model call streams: its reasoning and the arguments of calls, until the block is closed.
import { expect, test } from 'vitest';
import { defaultViewLimits, foldFrame } from '../../../src/client/view/fold.ts';
import { emptySnapshot, type SessionSnapshot } from '../../../src/client/view/snapshot.ts';
import type { ServerFrame } from '../../../src/wire/server-frames.ts';
import { ended, modelEnded, numbered, opened, started } from './frames.ts';

const open = [opened('turn_1'), started('turn_1'), { type: 'model_started', turn: 'turn_1', index: 0 }];
const address = { session: 's', turn: 'turn_1', index: 0 } as const;
const reasoning = (text: string) => ({ type: 'reasoning_delta', ...address, text }) as const;
const input = (position: number, name: string, text: string) =>
  ({ type: 'tool_input_delta', ...address, position, name, text }) as const;

const fold = (frames: readonly ServerFrame[], before: SessionSnapshot = emptySnapshot) =>
  frames.reduce((snapshot, frame) => foldFrame(snapshot, frame, defaultViewLimits), before);
const blockOf = (snapshot: SessionSnapshot) => snapshot.turns[0]?.blocks[0];

test('reasoning and arguments grow as they arrive; at the end the arguments are calls', () => {
  const streaming = fold([
    ...numbered(open),
    reasoning('First I '),
    reasoning('look.'),
    input(0, 'shell', '{"command":'),
    input(1, 'fetch_url', ''),
    input(0, '', '"ls"}'),
    input(5, 'shell', 'its start was missed'),
  ]);
  expect(blockOf(streaming)).toMatchObject({
    reasoning: 'First I look.',
    inputs: [
      { name: 'shell', text: '{"command":"ls"}' },
      { name: 'fetch_url', text: '' },
    ],
  });
  const closed = fold(numbered([modelEnded('turn_1', 'Done.')], 4), streaming);
  expect(blockOf(closed)).toMatchObject({ text: 'Done.', reasoning: 'First I look.', inputs: [] });
  expect(fold([reasoning('too late'), input(0, '', 'too late')], closed)).toBe(closed);
});

test('of long reasoning the end is kept', () => {
  const long = fold([...numbered(open), reasoning('a'.repeat(20_000)), reasoning('b')]);
  expect(blockOf(long)?.reasoning).toHaveLength(16_384);
  expect(blockOf(long)?.reasoning.endsWith('b')).toBe(true);
});

test('the end of a turn says why its last response ended [model.ends]', () => {
  const over = fold(numbered([...open, modelEnded('turn_1', 'And so'), { ...ended('turn_1'), finish: 'length' }]));
  expect(over.turns[0]?.finish).toBe('length');
});
