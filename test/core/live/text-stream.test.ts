// The text stream publishes a model's text from the commit of its start until its block is closed.
import { expect, test } from 'vitest';
import type { TextDelta } from '../../../machines/live-view.ts';
import { NodeEntry } from '../../../src/core/live/node-entry.ts';
import { TextStream } from '../../../src/core/live/text-stream.ts';
import { createVirtualClock } from '../../../src/core/sources/virtual.ts';
import { nodeToAdd } from '../../support/node-to-add.ts';

function open({ checkpointMs = 0 } = {}) {
  const clock = createVirtualClock();
  const saved: TextDelta[] = [];
  const published: TextDelta[] = [];
  const previews: string[] = [];
  const order: string[] = [];
  const text = new TextStream({
    clock,
    checkpointMs,
    journal: { append: async (facts) => void saved.push(...facts) },
    listener: {
      text(piece) {
        published.push(piece);
        order.push('text');
      },
      preview(preview) {
        if ('text' in preview) previews.push(preview.text);
        order.push(preview.type);
      },
      output() {},
      progress() {},
      waiting() {},
    },
  });
  const cut = (turn: string) => {
    text.nodeChanged(new NodeEntry(nodeToAdd({ id: turn, kind: 'turn' }), null));
  };
  const show = (turn: string, index: number) => {
    text.open(turn, index);
    text.show(turn, index);
  };
  return { clock, text, cut, saved, published, previews, order, show };
}

test('text of a closed block is not published, and the text of the block is what was published [cancel.accepted] [history.partial]', () => {
  const { text, published, show } = open();
  show('T', 0);
  text.write('T', 0, 'one ');
  text.write('T', 0, 'two ');
  text.closeBlocks('T');
  text.write('T', 0, 'three');
  expect(published).toEqual([
    { turn: 'T', index: 0, offset: 0, text: 'one ' },
    { turn: 'T', index: 0, offset: 4, text: 'two ' },
  ]);
  expect(text.readText('T', 0)).toBe('one two ');
});

test('no text is published before the start of its model call has committed; then all of it is [history.partial]', () => {
  const { text, published } = open();
  text.open('T', 0);
  text.write('T', 0, 'one ');
  text.write('T', 0, 'two ');
  expect(published).toEqual([]);
  expect(text.openBlocks()).toEqual([]);
  text.show('T', 0);
  text.write('T', 0, 'three');
  expect(published.map(({ offset, text }) => [offset, text])).toEqual([
    [0, 'one two '],
    [8, 'three'],
  ]);
});

test('text of a block that was closed before the commit of its start is published at the commit, then dropped [history.partial]', () => {
  const { clock, text, published } = open({ checkpointMs: 2_000 });
  text.open('T', 0);
  text.write('T', 0, 'all of it');
  text.closeBlocks('T');
  expect(text.readText('T', 0)).toBe('all of it');
  expect(published).toEqual([]);
  text.show('T', 0);
  text.show('T', 0);
  expect(published.map(({ offset, text }) => [offset, text])).toEqual([[0, 'all of it']]);
  expect(clock.pending).toBe(0);
});

test('text of a block that was cut before the commit of its start is never published [cancel.accepted]', () => {
  const { text, cut, published } = open();
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
  expect(published).toEqual([]);
});

test('text that comes after the cut is neither published nor kept [cancel.accepted] [history.partial]', () => {
  const { text, cut, published, show } = open();
  show('T', 0);
  text.write('T', 0, 'one');
  cut('T');
  text.write('T', 0, 'two');
  expect(published.map((piece) => piece.text)).toEqual(['one']);
  expect(text.readText('T', 0)).toBe('one');
});

test('a client that joins in mid-stream gets the text so far [ws.resume]', () => {
  const { text, show } = open();
  show('T', 0);
  text.write('T', 0, 'one ');
  show('U', 2);
  text.closeBlocks('U');
  expect(text.openBlocks()).toEqual([{ turn: 'T', index: 0, offset: 0, text: 'one ' }]);
});

test('new text is checkpointed in each interval, and no timer is left [history.partial]', async () => {
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

test('reasoning is shown after the start of its model call has committed, and none after a cut [cancel.accepted]', () => {
  const { text, cut, previews } = open();
  const reason = (words: string) => text.preview({ type: 'reasoning_delta', turn: 'T', index: 0, text: words });
  text.open('T', 0);
  for (let i = 0; i < 300; i++) reason(`${i}`);
  expect(previews).toEqual([]);
  text.show('T', 0);
  expect(previews).toHaveLength(256);
  expect(previews.at(-1)).toBe('299');
  reason('shown');
  cut('T');
  reason('too late');
  expect(previews.at(-1)).toBe('shown');
});

test('what was held comes in the order of a response: reasoning, text, calls', () => {
  const { text, order } = open();
  const address = { turn: 'T', index: 0 };
  text.open('T', 0);
  text.preview({ type: 'reasoning_delta', ...address, text: 'think' });
  text.write('T', 0, 'I look.');
  text.preview({ type: 'tool_input_delta', ...address, position: 0, name: 'shell', offset: 0, text: '{}' });
  text.show('T', 0);
  expect(order).toEqual(['reasoning_delta', 'text', 'tool_input_delta']);
});
