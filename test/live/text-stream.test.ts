// The outlet: what of a model's text is shown, and when it stops being shown.
import { expect, test } from 'vitest';
import { createOutlet, type Piece } from '../../src/live/text-stream.ts';
import { createVirtualClock } from '../../src/sources/virtual.ts';

function open({ checkpointMs = 0 } = {}) {
  const clock = createVirtualClock();
  const saved: Piece[] = [];
  const shown: Piece[] = [];
  const outlet = createOutlet({ clock, checkpointMs, checkpoint: (piece) => saved.push(piece) });
  outlet.listen({ text: (piece) => shown.push(piece), output() {}, progress() {} });
  const show = (turn: string, index: number) => {
    outlet.open(turn, index);
    outlet.show(turn, index);
  };
  return { clock, outlet, saved, shown, show };
}

test('text of a closed block is not shown, and its text is what was shown [cancel.accepted] [history.partial]', () => {
  const { outlet, shown, show } = open();
  show('T', 0);
  outlet.write('T', 0, 'one ');
  outlet.write('T', 0, 'two ');
  outlet.close('T');
  outlet.write('T', 0, 'three');
  expect(shown).toEqual([
    { turn: 'T', index: 0, offset: 0, text: 'one ' },
    { turn: 'T', index: 0, offset: 4, text: 'two ' },
  ]);
  expect(outlet.take('T', 0)).toBe('one two ');
});

test('nothing is shown before the start of its model call has committed, and all of it then [history.partial]', () => {
  const { outlet, shown } = open();
  outlet.open('T', 0);
  outlet.write('T', 0, 'one ');
  outlet.write('T', 0, 'two ');
  expect(shown).toEqual([]);
  expect(outlet.streaming()).toEqual([]);
  outlet.show('T', 0);
  outlet.write('T', 0, 'three');
  expect(shown.map(({ offset, text }) => [offset, text])).toEqual([
    [0, 'one two '],
    [8, 'three'],
  ]);
});

test('what was closed before its start was told is shown all the same, and forgotten then [history.partial]', () => {
  const { clock, outlet, shown } = open({ checkpointMs: 2_000 });
  outlet.open('T', 0);
  outlet.write('T', 0, 'all of it');
  outlet.close('T');
  expect(outlet.take('T', 0)).toBe('all of it');
  expect(shown).toEqual([]);
  outlet.show('T', 0);
  outlet.show('T', 0);
  expect(shown.map(({ offset, text }) => [offset, text])).toEqual([[0, 'all of it']]);
  expect(clock.pending).toBe(0);
});

test('what is cut before its start was told is never shown [cancel.accepted]', () => {
  const { outlet, shown } = open();
  outlet.open('T', 0);
  outlet.write('T', 0, 'one');
  outlet.mute('T');
  outlet.show('T', 0);
  expect(outlet.take('T', 0)).toBe('one');
  outlet.open('T', 1);
  outlet.write('T', 1, 'two');
  outlet.close('T');
  outlet.take('T', 1);
  outlet.mute('T');
  outlet.show('T', 1);
  expect(shown).toEqual([]);
});

test('one who joins in the middle gets the text so far [ws.resume]', () => {
  const { outlet, show } = open();
  show('T', 0);
  outlet.write('T', 0, 'one ');
  show('U', 2);
  outlet.close('U');
  expect(outlet.streaming()).toEqual([{ turn: 'T', index: 0, offset: 0, text: 'one ' }]);
});

test('what streams is written down every interval, what is new only, and no timer is left behind [history.partial]', async () => {
  const { clock, outlet, saved, show } = open({ checkpointMs: 2_000 });
  show('T', 0);
  outlet.write('T', 0, 'one ');
  await clock.advance(2_000);
  outlet.write('T', 0, 'two ');
  await clock.advance(4_000);
  outlet.close('T');
  outlet.take('T', 0);
  expect(saved.map(({ offset, text }) => [offset, text])).toEqual([
    [0, 'one '],
    [4, 'two '],
  ]);
  expect(clock.pending).toBe(0);
});
