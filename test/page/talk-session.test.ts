// Talking in a session: what is silent at a stop, and what the page says and speaks in spite of what other connections do.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ClientSession } from '../../src/client/client-session.ts';
import type { RecognizerListener, VoiceListener } from '../../src/page/talk/speech-contract.ts';
import { TalkSession } from '../../src/page/talk/talk-session.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Frame = Readonly<Record<string, unknown>>;

/** Ann talks; the test is the gateway, the recognizer and the voice. */
function startTalk() {
  const listeners = new Map<string, (frame: Frame) => void>();
  const said: string[] = [];
  const spoken: string[] = [];
  let recognizer: RecognizerListener | null = null;
  let voice: VoiceListener | null = null;
  const session = {
    on: (type: string, listener: (frame: Frame) => void) => {
      listeners.set(type, listener);
      return () => listeners.delete(type);
    },
    transcript: async (text: string) => {
      said.push(text);
      return { type: 'transcript_ignored', reason: 'partial' };
    },
    bargeIn: async () => ({ type: 'barge_in', result: 'paused' }),
    played: async () => ({ type: 'played' }),
  } as unknown as ClientSession; // the part of it that is used
  const talk = new TalkSession(session, {
    recognizer: {
      start: (listener) => {
        recognizer = listener;
      },
      stop: () => {},
    },
    voice: {
      speak: (text, listener) => {
        spoken.push(text.trim());
        voice = listener;
      },
      silence: () => {
        voice = null;
      },
    },
  });
  talk.start('ann', true);
  const emit = (type: string, frame: Frame = {}) => listeners.get(type)?.(frame);
  return {
    talk,
    emit,
    said,
    spoken,
    say: (text: string) => recognizer?.onWords({ text, final: true, confidence: 0.9 }),
    finish: () => voice?.onEnd(),
    isSpeaking: () => voice !== null,
    answer: (turn: string, text: string) => {
      emit('turn_opened', { turn, owner: 'ann', kind: 'say' });
      emit('model_ended', { turn, index: 0, text });
    },
  };
}

test('after a stop no other answer begins, and an answer that was stopped before its first word never does [page.talk]', () => {
  const { emit, answer, spoken, isSpeaking } = startTalk();
  answer('a', 'The first answer.');
  answer('b', 'The second answer.');
  emit('speech_stop', { turn: 'a', why: 'cancel', by: 'ann' });
  expect(isSpeaking()).toBe(false);
  emit('turn_opened', { turn: 'c', owner: 'ann', kind: 'say' });
  emit('turn_ended', { turn: 'c', outcome: 'cancelled' });
  emit('model_ended', { turn: 'c', index: 0, text: 'Too late.' });
  expect(spoken).toEqual(['The first answer.']);
  answer('d', 'What is asked next.');
  expect(spoken.at(-1)).toBe('What is asked next.');
});

test('an answer that waits is not spoken once a CANCEL of it was accepted [page.talk]', () => {
  const { emit, answer, spoken, finish } = startTalk();
  answer('a', 'The first answer.');
  answer('b', 'The second answer.');
  emit('cancel_accepted', { stopping: ['b'], pending: [] });
  finish();
  expect(spoken).toEqual(['The first answer.']);
});

test('a pause of what another connection plays does not silence this page [page.talk]', () => {
  const { emit, answer, spoken } = startTalk();
  emit('speech_stop', { turn: 'elsewhere', why: 'barge_in', by: 'ann' });
  answer('a', 'An answer.');
  expect(spoken).toEqual(['An answer.']);
});

test('pauses without words of what another connection plays are none of this page: its sounds go on to interrupt [page.talk]', () => {
  const { emit, answer, talk } = startTalk();
  answer('a', 'An answer.');
  for (let i = 0; i < 3; i++) emit('speech_resume', { turn: 'elsewhere' });
  expect(talk.getSnapshot().isSoundIgnored).toBe(false);
  for (let i = 0; i < 2; i++) emit('speech_resume', { turn: 'a' });
  expect(talk.getSnapshot().isSoundIgnored).toBe(true);
});

test('an answer after one that was paused at its very end is spoken [page.talk]', () => {
  const { emit, answer, spoken, finish } = startTalk();
  answer('a', 'An answer.');
  finish();
  emit('speech_stop', { turn: 'a', why: 'barge_in', by: 'ann' }); // it was on its way; nothing is left to be cut
  answer('b', 'The next one.');
  expect(spoken.at(-1)).toBe('The next one.');
});

test('words that were spoken a while ago are the own words of the person [page.talk]', () => {
  const { answer, said, say, finish } = startTalk();
  answer('a', 'Delete it or keep it?');
  say('keep it');
  finish();
  say('keep it');
  expect(said).toEqual(['']);
  vi.advanceTimersByTime(2_000);
  say('keep it');
  expect(said).toEqual(['', 'keep it']);
});

test('a gateway that was started anew learns that this page speaks [page.talk]', () => {
  const { emit, said } = startTalk();
  emit('replayed');
  expect(said).toEqual(['', '']);
});
