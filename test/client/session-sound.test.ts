// Sound through the client library: over a real gateway, and at one that is older than sound.
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { createScriptedProvider } from '../../src/adapters/models/scripted.ts';
import { type ConnectOptions, connect } from '../../src/client/client.ts';
import { SessionSound, type SpokenSound } from '../../src/client/session-sound.ts';
import type { SpeakerSound } from '../../src/core/contracts/sound.ts';
import { systemSources } from '../../src/core/sources/system.ts';
import { createRuntime } from '../../src/embed/runtime.ts';
import type { ServerFrame } from '../../src/wire/server-frames.ts';
import { encodeSound } from '../../src/wire/sound-codec.ts';
import { startGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';
import { type FakeSocket, setUpClient, welcome } from './held-sockets.ts';

async function openRoom(options: Partial<ConnectOptions> = {}) {
  const provider = createScriptedProvider({
    clock: systemSources.clock,
    respond: () => ({ steps: [{ text: 'Yes.' }] }),
  });
  const runtime = await createRuntime({ provider, session: () => ({ access: 'open' }) });
  const { url } = await startGateway({ runtime });
  const client = await connect({ url, sound: { send: true, receive: true }, ...options });
  onTestFinished(async () => {
    await client.close();
    await runtime.close();
  });
  const session = client.session('s');
  await session.joined;
  return { client, session, embedded: await runtime.session('s'), sound: new SessionSound(client, 's') };
}

const counted = (samples: number, from = 0): Uint8Array =>
  new Uint8Array(Int16Array.from({ length: samples }, (_, i) => (from + i) % 32_000).buffer);
const joinedPcm = (pieces: readonly { readonly pcm: Uint8Array }[]): Buffer =>
  Buffer.concat(pieces.map(({ pcm }) => pcm));

describe('SessionSound', () => {
  test.each<[string, Partial<ConnectOptions>]>([
    ['the WebSocket of the platform', {}],
    ['that of `ws`', { createSocket: (url, protocol) => new WebSocket(url, protocol) }],
  ])('carries sound both ways over %s, sample by sample [voice.sound]', async (_, options) => {
    const { client, session, embedded, sound } = await openRoom(options);
    expect(client.features).toContain('sound');
    expect(client.soundTerms).toMatchObject({ send: true, receive: true, rate: 24_000, aheadMs: 300 });
    const heard: SpeakerSound[] = [];
    await embedded.onSound((piece) => heard.push(piece));
    sound.sendSound(counted(20_000)); // more than one frame has
    sound.skipSilence(100);
    sound.sendSound(counted(480));
    await until(() => joinedPcm(heard).length === 2 * 20_480);
    expect(joinedPcm(heard).equals(Buffer.concat([counted(20_000), counted(480)]))).toBe(true);
    expect(heard.at(-1)).toMatchObject({ speaker: 'local', position: 20_000 + 2_400 });
    const spoken: SpokenSound[] = [];
    sound.onSpeech((piece) => spoken.push(piece));
    const turn = await session.say('Go on.').opened;
    await (await embedded.speak(turn)).write(counted(9_600));
    await until(() => joinedPcm(spoken).length === 2 * 9_600);
    expect(joinedPcm(spoken).equals(Buffer.from(counted(9_600)))).toBe(true);
    expect(spoken.map(({ position }) => position / 480)).toEqual(Array.from({ length: 20 }, (_, i) => i));
    expect(spoken.every((piece) => piece.turn === turn && piece.index === 0)).toBe(true);
  });

  test('has streams for Node, which send no faster than sound is spoken', async () => {
    const { session, embedded, sound } = await openRoom();
    const heard: SpeakerSound[] = [];
    await embedded.onSound((piece) => heard.push(piece));
    const pcm = Buffer.from(counted(7_200));
    const began = performance.now();
    const voice = Writable.fromWeb(sound.speakerStream() as Parameters<typeof Writable.fromWeb>[0]);
    await pipeline(Readable.from([pcm.subarray(0, 333), pcm.subarray(333)]), voice);
    expect(performance.now() - began).toBeGreaterThan(250); // of 300 ms
    await until(() => joinedPcm(heard).length === pcm.length);
    expect(joinedPcm(heard).equals(pcm)).toBe(true);
    const speech = Readable.fromWeb(sound.speechStream() as Parameters<typeof Readable.fromWeb>[0], {
      objectMode: true,
    });
    const turn = await session.say('Go on.').opened;
    await (await embedded.speak(turn)).write(counted(960));
    const pieces: SpokenSound[] = [];
    for await (const piece of speech) {
      pieces.push(piece);
      if (pieces.length === 2) break;
    }
    expect(joinedPcm(pieces).equals(Buffer.from(counted(960)))).toBe(true);
  });
});

describe('a gateway that is older than sound', () => {
  test('refuses the field of HELLO, and is greeted without it [client.features]', async () => {
    const { client, sockets } = setUpClient({ sound: { send: true } });
    await null; // the token is asked for first
    const [socket] = sockets as unknown as readonly [FakeSocket];
    socket.onopen?.();
    socket.hear({ type: 'error', code: 'unknown_field', message: 'No such field.', field: 'sound' } as ServerFrame);
    expect(socket.sent).toEqual([{ type: 'HELLO', sound: { send: true } }, { type: 'HELLO' }]);
    socket.hear(welcome);
    expect([client.state.kind, client.soundTerms]).toEqual(['open', null]);
    client.sendSound(encodeSound({ kind: 'speaker', session: 's', name: '', block: 0, position: 0, pcm: counted(1) }));
    expect(socket.sent).toHaveLength(2);
  });
});
