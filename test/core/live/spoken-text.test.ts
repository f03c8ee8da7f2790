// The speech of a turn: what was cut off keeps the place to which it was heard.
import { expect, test } from 'vitest';
import type { Fact } from '../../../machines/facts.ts';
import { noUsage } from '../../../machines/vocabulary.ts';
import { SpokenText } from '../../../src/core/live/spoken-text.ts';

/** A turn of two model calls, whose published text the test sets. */
function spokenTurn() {
  const published = [0, 0];
  const spoken = new SpokenText({ publishedChars: (_, index) => published[index] ?? 0 });
  let seq = 0;
  const append = (fact: Fact) => spoken.onAppended({ seq: ++seq, fact: { ...fact, at: 0 } });
  const opened = { type: 'turn_opened', turn: 'T', kind: 'say', owner: 'ann', lane: 'ann' } as const;
  append({ ...opened, text: 'Tell me a story.', ref: null });
  const start = (index: number) => append({ type: 'model_started', turn: 'T', index });
  const end = (index: number, text: string) => {
    const fact = { type: 'model_ended', turn: 'T', index, outcome: 'completed', text, owner: 'ann' } as const;
    append({ ...fact, cutOff: false, usage: noUsage });
  };
  return { spoken, published, start, end };
}

test('speech that was cut keeps its place, also when later speech of the turn is paused and goes on [history.partial.voice]', () => {
  const { spoken, published, start, end } = spokenTurn();
  start(0);
  published[0] = 4;
  expect(spoken.cut('T', { streamsOn: true })).toEqual([{ index: 0, offset: 4 }]);
  end(0, 'Once upon a time');
  start(1);
  published[1] = 3;
  spoken.pause('T');
  spoken.resume('T');
  expect(spoken.cutBlocks('T')).toEqual([{ index: 0, offset: 4 }]);
  published[1] = 6;
  expect(spoken.cut('T', { streamsOn: true })).toEqual([
    { index: 0, offset: 4 },
    { index: 1, offset: 6 },
  ]);
});
