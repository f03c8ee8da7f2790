// The fold of the facts of speech: a node of its turn, which may outlive it.
import { expect, test } from 'vitest';
import { defaultViewLimits, foldFrame } from '../../../src/client/view/fold.ts';
import { foldSpeech, isSpeechFrame } from '../../../src/client/view/fold-speech.ts';
import { emptySnapshot, type SessionSnapshot } from '../../../src/client/view/snapshot.ts';
import type { ServerFrame } from '../../../src/wire/server-frames.ts';
import { ended, modelEnded, numbered, opened, started } from './frames.ts';

const speech = { speech: 'speech_1', turn: 'turn_1' } as const;
const spoken = numbered([
  opened('turn_1'),
  started('turn_1'),
  modelEnded('turn_1', 'It is noon.'),
  { type: 'speech_started', ...speech, owner: 'ann' },
  ended('turn_1'),
]);
const fold = (frames: readonly ServerFrame[], before: SessionSnapshot = emptySnapshot) =>
  frames.reduce((snapshot, frame) => foldFrame(snapshot, frame, defaultViewLimits), before);
const foldFacts = (before: SessionSnapshot, ...facts: readonly object[]) =>
  numbered(facts, spoken.length + 1)
    .filter(isSpeechFrame)
    .reduce(foldSpeech, before);

test('speech is a node of its turn until it ends, also after the turn [cancel.speech]', () => {
  const speaking = fold(spoken);
  expect(speaking.turns[0]?.speech).toMatchObject({ id: 'speech_1', kind: 'speech', owner: 'ann', state: 'running' });
  const stopped = foldFacts(speaking, { type: 'speech_ended', ...speech, outcome: 'cancelled', effect: 'none' });
  expect(stopped.turns[0]?.speech).toMatchObject({ outcome: 'cancelled', effect: 'none' });
});

test('speech that waits for the floor has not started; it starts, or ends so [speech.floor]', () => {
  const waiting = foldFacts(fold(spoken.slice(0, 3)), { type: 'speech_queued', ...speech, owner: 'ann' });
  expect(waiting.turns[0]?.speech).toMatchObject({ id: 'speech_1', state: 'waiting', startedAt: null });
  const speaking = foldFacts(waiting, { type: 'speech_started', ...speech, owner: 'ann' });
  expect(speaking.turns[0]?.speech).toMatchObject({ id: 'speech_1', state: 'running' });
  const stopped = foldFacts(waiting, { type: 'speech_ended', ...speech, outcome: 'cancelled', effect: 'not_started' });
  expect(stopped.turns[0]?.speech).toMatchObject({ state: 'settled', effect: 'not_started' });
});

test('what was heard of a block is in the block, and an unknown one changes nothing', () => {
  const speaking = fold(spoken);
  const cut = (index: number) =>
    foldFacts(speaking, {
      type: 'speech_cut',
      turn: 'turn_1',
      why: 'cancel',
      by: 'ann',
      heard: [{ index, offset: 5 }],
    });
  expect(cut(0).turns[0]?.blocks[0]).toMatchObject({ heard: 5 });
  expect(cut(7)).toEqual(speaking);
});
