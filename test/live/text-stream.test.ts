// The text stream: which part of a model's text is shown, and when it stops being shown.
import { expect, test } from 'vitest';
import type { TextDelta } from '../../machines/live-view.ts';
import { NodeEntry } from '../../src/live/node-entry.ts';
import { TextStream } from '../../src/live/text-stream.ts';
import { createVirtualClock } from '../../src/sources/virtual.ts';

function open({ checkpointMs = 0 } = {}) {
  const clock = createVirtualClock();
  const saved: TextDelta[] = [];
  const shown: TextDelta[] = [];
  const text = new TextStream({
    clock,
    checkpointMs,
    journal: { append: async (facts) => void saved.push(...facts) },
    listener: { text: (piece) => shown.push(piece), output() {}, progress() {} },
  });
  const cut = (turn: string) => {
    const node = { id: turn, kind: 'turn', owner: 'ann', parent: null, name: null, since: 0 } as const;
    text.nodeChanged(new NodeEntry(node, null), 'cut');
  };
  const show = (turn: string, index: number) => {
    text.open(turn, index);
    text.show(turn, index);
  };
  return { clock, text, cut, saved, shown, show };
}

test('text of a closed block is not shown, and its text is what was shown [cancel.accepted] [history.partial]', () => {
  const { text, shown, show } = open();
  show('T', 0);
  text.write('T', 0, 'one ');
  text.write('T', 0, 'two ');
  text.closeBlocks('T');
  text.write('T', 0, 'three');
  expect(shown).toEqual([
    { turn: 'T', index: 0, offset: 0, text: 'one ' },
    { turn: 'T', index: 0, offset: 4, text: 'two ' },
  ]);
  expect(text.readText('T', 0)).toBe('one two ');
});

test('nothing is shown before the start of its model call has committed, and all of it then [history.partial]', () => {
  const { text, shown } = open();
  text.open('T', 0);
  text.write('T', 0, 'one ');
  text.write('T', 0, 'two ');
  expect(shown).toEqual([]);
  expect(text.openBlocks()).toEqual([]);
  text.show('T', 0);
  text.write('T', 0, 'three');
  expect(shown.map(({ offset, text }) => [offset, text])).toEqual([
    [0, 'one two '],
    [8, 'three'],
  ]);
});

test('what was closed before its start was told is shown all the same, and forgotten then [history.partial]', () => {
  const { clock, text, shown } = open({ checkpointMs: 2_000 });
  text.open('T', 0);
  text.write('T', 0, 'all of it');
  text.closeBlocks('T');
  expect(text.readText('T', 0)).toBe('all of it');
  expect(shown).toEqual([]);
  text.show('T', 0);
  text.show('T', 0);
  expect(shown.map(({ offset, text }) => [offset, text])).toEqual([[0, 'all of it']]);
  expect(clock.pending).toBe(0);
});

test('what is cut before its start was told is never shown [cancel.accepted]', () => {
  const { text, cut, shown } = open();
  text.open('T', 0);
  text.write('T', 0, 'one');
  cut('T');
  text.show('T', 0);
  expect(text.readText('T', 0)).toBe('one');
  text.open('T', 1);
  text.write('T', 1, 'two');
  text.closeBlocks('T');
  text.readText('T', 1);
  cut('T');
  text.show('T', 1);
  expect(shown).toEqual([]);
});

test('one who joins in the middle gets the text so far [ws.resume]', () => {
  const { text, show } = open();
  show('T', 0);
  text.write('T', 0, 'one ');
  show('U', 2);
  text.closeBlocks('U');
  expect(text.openBlocks()).toEqual([{ turn: 'T', index: 0, offset: 0, text: 'one ' }]);
});

test('what streams is written down every interval, what is new only, and no timer is left behind [history.partial]', async () => {
  const { clock, text, saved, show } = open({ checkpointMs: 2_000 });
  show('T', 0);
  text.write('T', 0, 'one ');
  await clock.advance(2_000);
  text.write('T', 0, 'two ');
  await clock.advance(4_000);
  text.closeBlocks('T');
  text.readText('T', 0);
  expect(saved.map(({ offset, text }) => [offset, text])).toEqual([
    [0, 'one '],
    [4, 'two '],
  ]);
  expect(clock.pending).toBe(0);
});
