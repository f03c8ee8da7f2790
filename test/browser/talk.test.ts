// Talking to a session on the page, in a real Chromium whose microphone plays a file; the recognizer and the voice of the browser are played by the test.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBelay, room, tokenOf } from '../support/belay.ts';
import { useEndpoint } from '../support/journey.ts';
import { connectRaw, type RawClient } from '../support/raw-client.ts';
import { until } from '../support/until.ts';
import { addAxe, overflowOf, violationsOn } from './axe.ts';
import { pageMs, sayOn, untilShows } from './page-actions.ts';
import { openRoom } from './room-tabs.ts';
import { scriptedSpeech, toneFile, withoutMicrophone, withoutRecognizer } from './scripted-speech.ts';
import { describeInBrowser, type TabOptions, useBrowser } from './tab.ts';

const sounds = mkdtempSync(join(tmpdir(), 'belay-talk-'));
const microphone = join(sounds, 'microphone.wav');
writeFileSync(microphone, toneFile());
afterAll(() => rmSync(sounds, { recursive: true, force: true }));

const first = 'The first of the four.';
const answer = `${first} The second of them. The third one.`;

describeInBrowser('Talk', () => {
  const browser = useBrowser([
    '--use-fake-device-for-media-stream',
    '--use-fake-ui-for-media-stream',
    `--use-file-for-fake-audio-capture=${microphone}`,
  ]);
  const endpoint = useEndpoint();

  beforeAll(async () => {
    await endpoint.script([
      { when: { user: 'Tell me all four' }, reply: { text: answer } },
      { when: { user: 'Go on for ever' }, reply: { text: `${answer} And`, end: 'hang' } },
      { when: { user: 'Only the first' }, reply: { text: 'Understood.' } },
    ]);
  });

  /** A tab of ann, in which Talk is not open, and a witness of what the session does. */
  async function start(options: TabOptions = {}) {
    const belay = await openBelay(endpoint);
    const page = await openRoom(browser, belay, 'ann', { before: scriptedSpeech, ...options });
    const witness = await connectRaw(belay.url);
    await witness.hello(tokenOf('witness'));
    await witness.join(room);
    return { page, witness, panel: page.getByRole('region', { name: 'Talk' }) };
  }

  /** Talks, with the microphone. */
  async function startTalking(options: TabOptions = {}) {
    const started = await start(options);
    await started.page.getByRole('button', { name: 'Talk' }).click();
    await started.panel.getByRole('button', { name: 'Use the microphone' }).click();
    await untilShows(started.panel, 'Listening.');
    return started;
  }

  const play = (page: Page, script: string) => page.evaluate(`talkTest.${script}`);
  const spokenBy = (page: Page) => page.evaluate('talkTest.utterances') as Promise<string[]>;

  /** Waits until the voice speaks a text. */
  const untilSpoken = (page: Page, text: string) =>
    until(async () => (await spokenBy(page)).some((one) => one.includes(text)), {
      ms: pageMs,
      what: `the voice: ${text}`,
    });

  async function startAnswer() {
    const talking = await startTalking();
    await play(talking.page, `words('Tell me all four', true)`);
    await untilSpoken(talking.page, first);
    return talking;
  }

  const cutOf = (witness: RawClient) => witness.waitFor('speech_cut');

  test('names who receives the sound before the first use, loads nothing before it, and shows that the microphone works [page.talk]', async () => {
    const { page, panel } = await start();
    const loaded = () =>
      page.evaluate(
        `performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.includes('talk-panel'))`,
      );
    expect(await loaded()).toEqual([]);
    await page.getByRole('button', { name: 'Talk' }).click();
    await untilShows(panel, 'may be sent to Google');
    expect(await loaded()).toHaveLength(1);
    expect(await page.evaluate('talkTest.recognizer')).toBeNull();
    await panel.getByRole('button', { name: 'Use the microphone' }).click();
    await untilShows(panel, 'Listening.');
    await panel.getByRole('meter', { name: 'Level of the microphone' }).waitFor();
    const level = () => page.evaluate(`document.querySelector('meter').value`);
    await until(async () => Number(await level()) > 0.05, { ms: pageMs, what: 'the level of the tone' });
    await panel.getByRole('button', { name: 'End talking' }).click();
    expect(await page.evaluate('talkTest.recognizer')).toBeNull();
    await page.getByRole('button', { name: 'Talk' }).click();
    await untilShows(panel, 'Listening.'); // it is asked once
  });

  test('says what is heard, and speaks the answer sentence by sentence [page.talk]', async () => {
    const { page, panel } = await startTalking();
    await play(page, `words('Tell me', false)`);
    await untilShows(panel, 'Tell me…');
    await play(page, `words('Tell me all four', true)`);
    await untilShows(panel, 'You said: Tell me all four');
    await untilSpoken(page, first);
    await play(page, 'word(4)');
    await untilShows(panel, 'Speaking.');
    for (const next of ['The second of them.', 'The third one.']) {
      await play(page, 'finish()');
      await untilSpoken(page, next);
    }
    await play(page, 'finish()');
    await untilShows(panel, 'Listening.');
    expect((await spokenBy(page)).map((text) => text.trim())).toEqual([first, 'The second of them.', 'The third one.']);
  });

  test('a sound pauses it, and words cut it at the last word that was heard [page.talk]', async () => {
    const { page, panel, witness } = await startAnswer();
    await play(page, 'word(10)');
    await play(page, 'sound()');
    await untilShows(panel, 'Paused: you speak.');
    expect(await page.evaluate('talkTest.current')).toBeNull();
    await play(page, `words('Only the first', true)`);
    expect(await cutOf(witness)).toMatchObject({ why: 'barge_in', by: 'ann', heard: [{ index: 0, offset: 10 }] });
    await untilSpoken(page, 'Understood.');
    expect((await spokenBy(page)).some((text) => text.includes('second'))).toBe(false);
  });

  test('without words it goes on from that word [page.talk]', async () => {
    const { page, panel, witness } = await startAnswer();
    await play(page, 'word(10)');
    await play(page, 'sound()');
    await untilShows(panel, 'Paused: you speak.');
    await until(async () => (await spokenBy(page)).length > 1, { ms: pageMs, what: 'the rest of the sentence' });
    expect(await spokenBy(page)).toEqual([first, first.slice(10)]);
    expect(witness.all('speech_cut')).toEqual([]);
  });

  test('a stop phrase stops the turn, and the voice in the tick of `speech_stop` [page.talk]', async () => {
    const { page, panel, witness } = await startTalking();
    await play(page, `words('Go on for ever', true)`);
    await untilSpoken(page, first);
    await play(page, `words('Stop.', true)`);
    expect(await witness.waitFor('turn_ended')).toMatchObject({ outcome: 'cancelled' });
    await untilShows(panel, 'Listening.');
    expect(await page.evaluate('[talkTest.current, talkTest.silenced > 0]')).toEqual([null, true]);
    expect((await spokenBy(page)).map((text) => text.trim())).toEqual([first]);
  });

  test('a voice that names no words is estimated after a second, and marked [page.talk]', async () => {
    const { page, panel, witness } = await startAnswer();
    await untilShows(panel, '(place estimated)');
    await play(page, `words('Only the first', true)`);
    const { heard } = await cutOf(witness);
    expect(heard).toMatchObject([{ index: 0, estimated: true }]);
  });

  test('the answer that the microphone hears from the loudspeaker is not said [page.talk]', async () => {
    const { page, panel, witness } = await startAnswer();
    await play(page, `words('the first of the four', true)`);
    await untilShows(panel, 'The microphone has heard the answer itself.');
    expect(await page.evaluate('talkTest.current !== null')).toBe(true);
    expect(witness.all('turn_opened')).toHaveLength(1);
  });

  test('a browser without a recognizer reads aloud what is typed for, and asks nothing [page.talk]', async () => {
    const { page, panel } = await start({ before: withoutRecognizer });
    await page.getByRole('button', { name: 'Talk' }).click();
    await untilShows(panel, 'This browser recognizes no speech: answers are read aloud.');
    await sayOn(page, 'Tell me all four');
    await untilSpoken(page, first);
    await panel.getByRole('button', { name: 'Skip the rest of this answer' }).click();
    expect(await page.evaluate('talkTest.current')).toBeNull();
  });

  test('a refused microphone is said, and answers are read aloud [page.talk]', async () => {
    const { page, panel } = await start({ before: withoutMicrophone });
    await page.getByRole('button', { name: 'Talk' }).click();
    await panel.getByRole('button', { name: 'Use the microphone' }).click();
    await untilShows(panel.getByRole('alert'), 'The browser refuses the microphone.');
    await sayOn(page, 'Tell me all four');
    await untilSpoken(page, first);
  });

  test('by keyboard alone, on a phone, without a violation of accessibility [page.talk]', async () => {
    const { page, panel, witness } = await start({
      viewport: { width: 390, height: 844 },
      reducedMotion: 'reduce',
      bypassCSP: true,
    });
    await page.getByRole('button', { name: 'Talk' }).focus();
    await page.keyboard.press('Enter');
    await untilShows(panel, 'may be sent to Google');
    await addAxe(page);
    expect(await violationsOn(page)).toEqual([]);
    await page.keyboard.press('Enter'); // the focus is on the microphone
    await untilShows(panel, 'Listening.');
    await play(page, `words('Tell me all four', true)`);
    await untilSpoken(page, first);
    await witness.waitFor('turn_ended');
    await panel.getByText('Speaking.').waitFor();
    expect(await violationsOn(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await page.keyboard.press('Escape'); // nothing runs: it silences the answer
    await untilShows(panel, 'Listening.');
    expect(await page.evaluate('talkTest.current')).toBeNull();
  });
});
