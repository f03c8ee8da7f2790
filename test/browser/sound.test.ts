// The player and the recorder of the client in a real Chromium, over a real gateway: judged by the samples that are audible, and that arrive.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { createScriptedProvider } from '../../src/adapters/models/scripted.ts';
import type { SpeakerSound } from '../../src/core/contracts/sound.ts';
import { systemSources } from '../../src/core/sources/system.ts';
import { attach } from '../../src/embed/attach.ts';
import { createRuntime } from '../../src/embed/runtime.ts';
import { createTokenAuthenticator } from '../../src/gateway/auth/token-file.ts';
import { scaled } from '../support/time-scale.ts';
import { until } from '../support/until.ts';
import { describeInBrowser, openTab, useBrowser } from './tab.ts';

const token = 'a-token-of-ann-alone';

/** Runs in the page. `audible` has every sample that the player has played since its first sound. */
const script = `
import { connect, SessionSound, SoundPlayer, SoundRecorder } from './src/client/index.ts';
globalThis.sound = {
  audible: [], stops: [],
  async open(url, token) {
    const client = await connect({ url, token, sound: { send: true, receive: true } });
    const session = client.session('s');
    await session.joined;
    const sound = new SessionSound(client, 's');
    const context = new AudioContext({ sampleRate: 24000, sinkId: { type: 'none' } });
    const player = await SoundPlayer.open({ context });
    player.follow(session, sound);
    await SoundRecorder.open((pcm) => {
      const samples = new Int16Array(pcm.buffer);
      if (this.audible.length > 0 || samples.some((one) => one !== 0)) this.audible.push(...samples);
    }, { context, source: player.node });
    session.on('speech_stop', ({ why }) => this.stops.push([why, this.audible.length]));
    this.session = session;
    this.sound = sound;
  },
  async record() {
    this.recorder = await SoundRecorder.open((pcm) => this.sound.sendSound(pcm));
  },
};`;

describeInBrowser('sound in a browser', () => {
  const browser = useBrowser([
    '--use-fake-device-for-media-stream',
    '--use-fake-ui-for-media-stream',
    '--autoplay-policy=no-user-gesture-required',
  ]);

  async function openPage() {
    const stdin = { contents: script, resolveDir: process.cwd(), loader: 'ts' } as const;
    const { outputFiles } = await build({ stdin, bundle: true, format: 'iife', write: false });
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'text/html').end(`<!doctype html><script>${outputFiles[0]?.text}</script>`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const respond = () => ({ steps: [{ text: 'A long story.' }, { waitMs: 60_000 }] });
    const provider = createScriptedProvider({ clock: systemSources.clock, respond });
    const runtime = await createRuntime({ provider, acknowledge: 'off', session: () => ({ access: 'open' }) });
    attach(server, runtime, { authenticator: createTokenAuthenticator({ [token]: { speaker: 'ann' } }) });
    onTestFinished(async () => {
      await runtime.close({ force: true });
      server.closeAllConnections();
      server.close();
    });
    const page = await openTab(browser, `http://127.0.0.1:${port}/`);
    await page.evaluate(`sound.open('ws://127.0.0.1:${port}/belay', '${token}')`);
    return { page, embedded: await runtime.session('s') };
  }

  const audibleIn = (page: Page) => page.evaluate('sound.audible') as Promise<number[]>;
  const counted = (samples: number) =>
    new Uint8Array(Int16Array.from({ length: samples }, (_, i) => (i % 30_000) + 1).buffer);

  test('the player plays each sample once, in order, and is silent at a stop [voice.sound]', async () => {
    const { page, embedded } = await openPage();
    const turn = (await page.evaluate("sound.session.say('Tell me.').opened")) as string;
    void (await embedded.speak(turn)).write(counted(72_000), { offset: 13 });
    await until(async () => (await audibleIn(page)).length > 12_000, { ms: 20_000 });
    await page.evaluate(`sound.session.cancel(${JSON.stringify(turn)}).settled`);
    const atStop = (await audibleIn(page)).length;
    await until(async () => (await audibleIn(page)).length > atStop + 12_000, { ms: 20_000 });
    const audible = await audibleIn(page);
    const heard = audible.filter((one) => one !== 0);
    expect(heard).toEqual(Array.from({ length: heard.length }, (_, i) => (i % 30_000) + 1));
    expect(heard.length).toBeGreaterThan(12_000);
    const [[why, at] = ['', 0]] = (await page.evaluate('sound.stops')) as [string, number][];
    expect(why).toBe('cancel');
    const late = audible.slice(at).filter((one) => one !== 0).length;
    expect(late, 'samples after the stop: what the audio thread had in hand').toBeLessThan(scaled(50) * 24);
    expect(audible.slice(-9_600).every((one) => one === 0)).toBe(true);
  });

  test('the recorder sends the microphone, sample by sample [voice.sound]', async () => {
    const { page, embedded } = await openPage();
    const heard: SpeakerSound[] = [];
    await embedded.onSound((piece) => heard.push(piece));
    await page.evaluate('sound.record()');
    await until(() => heard.length >= 75, { ms: 20_000 });
    await page.evaluate('sound.recorder.close()');
    expect(
      heard.every(({ speaker, position, pcm }, i) => speaker === 'ann' && position === i * 480 && pcm.length === 960),
    ).toBe(true);
    const samples = heard.flatMap(({ pcm }) => [...new Int16Array(pcm.slice().buffer)]);
    expect(
      samples.some((one) => Math.abs(one) > 1_000),
      'the device of the browser beeps',
    ).toBe(true);
  });
});
