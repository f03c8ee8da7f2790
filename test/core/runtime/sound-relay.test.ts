// The relay of sound: who has subscribed receives it, and nothing of a session is kept without subscribers.
import { expect, test } from 'vitest';
import type { SpeakerSound, SpeechSound } from '../../../src/core/contracts/sound.ts';
import { LocalSoundRelay } from '../../../src/core/runtime/sound-relay.ts';

const spoken = (position: number, samples: number, offset?: number): SpeechSound => ({
  turn: 't',
  index: 0,
  position,
  pcm: new Uint8Array(samples * 2),
  offset,
});

test('each subscriber of a session receives what is published there until it has ended its subscription', () => {
  const relay = new LocalSoundRelay();
  const [one, two]: [SpeakerSound[], SpeakerSound[]] = [[], []];
  const sound = { speaker: 'ann', position: 0, pcm: new Uint8Array(2) };
  const unsubscribe = relay.subscribe('s', { speaker: (piece) => one.push(piece) });
  relay.subscribe('s', { speaker: (piece) => two.push(piece) });
  relay.publishSpeaker('s', sound);
  relay.publishSpeaker('other', sound);
  unsubscribe();
  unsubscribe();
  relay.publishSpeaker('s', sound);
  expect([one.length, two.length]).toEqual([1, 2]);
});

test('a place is the one that the voice has named, or lies between two; none is kept without a subscriber', () => {
  const relay = new LocalSoundRelay();
  const block = { turn: 't', index: 0 };
  relay.publishSpeech('s', spoken(0, 24_000, 10));
  expect(relay.placeAt('s', block, 500)).toBeNull();
  const unsubscribe = relay.subscribe('s', {});
  expect(relay.placeAt('s', block, 500)).toBeNull();
  relay.publishSpeech('s', spoken(0, 12_000));
  expect(relay.placeAt('s', block, 100)).toBeNull();
  relay.publishSpeech('s', spoken(12_000, 12_000, 10));
  relay.publishSpeech('s', spoken(24_000, 24_000, 16));
  const places = [0, 500, 1_000, 1_500, 2_000, 9_000].map((ms) => relay.placeAt('s', block, ms));
  expect(places).toEqual([
    { offset: 0, estimated: true },
    { offset: 5, estimated: true },
    { offset: 10, estimated: false },
    { offset: 13, estimated: true },
    { offset: 16, estimated: false },
    { offset: 16, estimated: false },
  ]);
  unsubscribe();
  expect(relay.size).toBe(0);
});
