// Several speakers at the one input that a session of the Realtime API has, at the strict server: one of them is heard at a time, and the words are theirs.
import { expect, test } from 'vitest';
import { until } from '../../../support/until.ts';
import { LinkedModel, spokenSound } from './linked-model.ts';

const frameBytes = 960;

/** Starts a model that recognizes so many words; returns what the provider has got, in milliseconds. */
async function startHearing(...words: readonly string[]) {
  const left = [...words];
  const it = await LinkedModel.start({ respond: () => ({}), transcribe: () => ({ text: left.shift() ?? '' }) });
  const sentMs = () => {
    const appended = it.server.session.received.filter(({ type }) => type === 'input_audio_buffer.append');
    return appended.reduce((ms, { audio }) => ms + Buffer.from(String(audio), 'base64').length / 48, 0);
  };
  const said = () => it.room.heard.filter(({ final }) => final).map(({ speaker, text }) => [speaker, text]);
  return { it, sentMs, said };
}

test('who speaks over somebody is not mixed into it, and is heard after it [voice.realtime]', async () => {
  const { it, sentMs, said } = await startHearing('Tell me a story.', 'And a song.');
  await using _ = it;
  const [annSound, bobSound] = [spokenSound(600), spokenSound(400, 900)];
  annSound.forEach((pcm, at) => {
    it.speak('ann', [pcm]);
    it.speak('bob', bobSound.slice(at, at + 1)); // loud at the same time
  });
  await until(() => said().length === 1);
  expect([said(), sentMs()]).toEqual([[['ann', 'Tell me a story.']], (annSound.length * frameBytes) / 48]);
  it.speak('bob', spokenSound(400));
  await until(() => said().length === 2);
  expect(said()[1]).toEqual(['bob', 'And a song.']);
  expect(it.room.voices.map(({ speaker, state }) => [speaker, state])).toEqual([
    ['ann', 'began'],
    ['ann', 'ended'],
    ['bob', 'began'],
    ['bob', 'ended'],
  ]);
});

test('silence of many takes the input from nobody, and costs the provider nothing', async () => {
  const { it, sentMs, said } = await startHearing('Tell me a story.');
  await using _ = it;
  const quiet = new Uint8Array(frameBytes);
  it.speak('ann', spokenSound(200, 0));
  await until(() => it.room.voices.length === 1);
  for (const pcm of spokenSound(200)) {
    it.speak('ann', [pcm]);
    for (const other of ['bob', 'carol', 'dave']) it.speak(other, [quiet]);
  }
  await until(() => said().length === 1);
  expect([said(), sentMs()]).toEqual([[['ann', 'Tell me a story.']], 200 + 200 + 700]);
});

test('the beginning of a word is sent with it, when somebody else takes the input', async () => {
  const { it, sentMs, said } = await startHearing('Tell me a story.', 'And a song.');
  await using _ = it;
  it.speak('ann', spokenSound(400));
  await until(() => said().length === 1);
  const before = sentMs();
  it.speak('bob', spokenSound(0, 800)); // it comes before the word; the last 300 ms of it are kept
  it.speak('bob', spokenSound(400));
  await until(() => said().length === 2);
  expect([said()[1], sentMs() - before]).toEqual([['bob', 'And a song.'], 300 + 400 + 700]);
});
