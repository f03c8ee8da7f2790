// A room with sound: a bridge sends what its speakers say and plays what the bot speaks, over one connection. A recognizer and a voice work in the process of the runtime.
//
// Both are played by this program, with tones for words: a low one asks for a story, a high one says stop. Everything else is real: a gateway, a socket, samples.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { attach, createRuntime, createTokenAuthenticator, systemSources } from '@belay/runtime';
import { connect, SessionSound } from '@belay/runtime/client';
import { createScriptedProvider } from '@belay/runtime/testing';

const rate = 24_000;
/** Returns the PCM of a tone: 24 000 samples a second, 16 bits, the low byte first. */
function tone(hertz: number, ms: number): Uint8Array {
  const pcm = new DataView(new ArrayBuffer(((rate * ms) / 1_000) * 2));
  for (let i = 0; i < pcm.byteLength / 2; i++)
    pcm.setInt16(i * 2, 12_000 * Math.sin((2 * Math.PI * hertz * i) / rate), true);
  return new Uint8Array(pcm.buffer);
}
/** Returns the pitch of a tone in hertz: how often its samples rise above zero in a second. */
function pitchOf(pcm: Uint8Array): number {
  const view = new DataView(pcm.buffer, pcm.byteOffset, pcm.byteLength);
  let rises = 0;
  for (let at = 2; at < pcm.length; at += 2)
    if (view.getInt16(at - 2, true) < 0 && view.getInt16(at, true) >= 0) rises++;
  return (rises * rate * 2) / pcm.length;
}

const story = 'Once there was a fox that lived in a wood and met a crow one day in the rain.';
const runtime = await createRuntime({
  provider: createScriptedProvider({ clock: systemSources.clock, respond: () => ({ steps: [{ text: story }] }) }),
  session: () => ({ kind: 'voice', access: 'open', policy: 'anyone', acknowledge: 'off' }),
});

// the recognizer and the voice: they join as a bridge, of the same process
const session = await runtime.session('voice/room-1');
const bot = session.as({ id: 'bot', roles: ['bridge'] });
await bot.joined;
const spoken = new Map<string, Uint8Array[]>();
await session.onSound(({ speaker, pcm }) => {
  const pieces = [...(spoken.get(speaker) ?? []), pcm];
  spoken.set(speaker, pieces);
  if (pieces.length < 10) return; // a word has 200 ms
  spoken.delete(speaker);
  const words = pitchOf(Buffer.concat(pieces)) > 600 ? 'Stop.' : 'Belay, tell me a story.';
  void bot.speaks(speaker).transcript(words, { final: true, confidence: 0.9 });
});
const stopped = new Set<string>();
bot.on('speech_stop', ({ turn }) => stopped.add(turn));
bot.on('model_ended', async ({ turn, index, text }) => {
  const writer = await session.speak(turn, index);
  let offset = 0;
  for (const word of text.split(/(?<= )/)) {
    if (stopped.has(turn)) return;
    offset += word.length;
    await writer.write(tone(200 + 20 * word.length, 200), { offset });
  }
});

// the gateway, and the bridge of the room
const server = createServer();
const authenticator = createTokenAuthenticator({ 'a-token-of-the-bridge': { speaker: 'phone', roles: ['bridge'] } });
attach(server, runtime, { authenticator });
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;
const client = await connect({
  url: `ws://127.0.0.1:${port}/belay`,
  token: 'a-token-of-the-bridge',
  sound: { send: true, receive: true },
});
console.log(`agreed on ${client.soundTerms?.encoding} at ${client.soundTerms?.rate} Hz`);
const room = client.session('voice/room-1');
await room.joined;
const ann = room.speaks('ann');
await ann.enter();

// what is received is played: here it is counted. PLAYED says so in milliseconds
const sound = new SessionSound(client, room.id);
let playedMs = 0;
let silentSince: number | null = null;
let afterStop = 0;
sound.onSpeech(({ turn, index, position, pcm }) => {
  if (silentSince !== null) afterStop++;
  playedMs = (position + pcm.length / 2) / (rate / 1_000);
  if (position % 4_800 === 0) void room.played({ turn, index, ms: playedMs });
});
room.on('speech_stop', () => {
  silentSince = playedMs;
});
const cut = new Promise<number | undefined>((resolve) =>
  room.on('speech_cut', ({ heard }) => resolve(heard[0]?.offset)),
);

// ann says the low tone; when a second of the story was heard, she says the high one
const voice = sound.speakerStream('ann').getWriter();
await voice.write(tone(300, 200));
while (playedMs < 1_000) await new Promise((resolve) => setTimeout(resolve, 5));
await voice.write(tone(900, 200));
const heard = await cut;
await new Promise((resolve) => setTimeout(resolve, 500));

console.log(`stopped after ${silentSince} ms of the story: "${story.slice(0, heard)}…"`);
assert(silentSince !== null && silentSince < 200 * story.split(' ').length);
assert(heard !== undefined && heard > 0 && heard < story.length);
assert.equal(afterStop, 0);

await client.close();
await runtime.close();
server.close();
