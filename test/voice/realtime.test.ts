// A voice session whose model hears and speaks, at the strict Realtime server: judged by the sound that a listener gets, and by what the provider was asked for.
import { expect, test } from 'vitest';
import { type SpeechSound, soundMs } from '../../src/core/contracts/sound.ts';
import { createRealtimeModel } from '../../src/embed/realtime-model.ts';
import { createRuntime, type EmbeddedRuntime } from '../../src/embed/runtime.ts';
import { spokenSound } from '../adapters/models/realtime/linked-model.ts';
import { RealtimeServer } from '../support/realtime/realtime-server.ts';
import type { ServerScript } from '../support/realtime/server-script.ts';
import { until } from '../support/until.ts';

/** A room with a bridge that notes what it gets. */
class SpokenRoomOfTest implements AsyncDisposable {
  readonly server: RealtimeServer;
  readonly runtime: EmbeddedRuntime;
  readonly sounds: SpeechSound[] = [];
  readonly facts: { readonly type: string; readonly [field: string]: unknown }[] = [];

  private constructor(server: RealtimeServer, runtime: EmbeddedRuntime) {
    this.server = server;
    this.runtime = runtime;
  }

  static async open(script: ServerScript, kind: 'voice' | 'text' = 'voice'): Promise<SpokenRoomOfTest> {
    const server = await RealtimeServer.start(script);
    const provider = createRealtimeModel({
      baseUrl: server.baseUrl,
      apiKey: 'the-key-of-the-tests',
      model: 'gpt-realtime-2.1',
    });
    const runtime = await createRuntime({ provider, session: () => ({ kind, access: 'open', policy: 'anyone' }) });
    const room = new SpokenRoomOfTest(server, runtime);
    (await runtime.voice.sound()).subscribe('s', { speech: (sound) => room.sounds.push(sound) });
    return room;
  }

  async bridge() {
    const bridge = (await this.runtime.session('s')).as({ id: 'bridge', roles: ['bridge'] });
    bridge.on('*', (frame) => this.facts.push(frame as never));
    await bridge.joined;
    return bridge;
  }

  /** Has a speaker say something for so long. */
  async speak(speaker: string, ms: number): Promise<void> {
    const relay = await this.runtime.voice.sound();
    let position = 0;
    for (const pcm of spokenSound(ms)) {
      relay.publishSpeaker('s', { speaker, position, pcm });
      position += pcm.length / 2;
    }
  }

  of(type: string) {
    return this.facts.filter((fact) => fact.type === type);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.runtime.close();
    await this.server[Symbol.asyncDispose]();
  }
}

const story = 'Once there was a fox that lived in a wood.';

test('what is said opens a turn of its speaker, whose response is spoken whole [voice.realtime]', async () => {
  await using room = await SpokenRoomOfTest.open({
    respond: () => ({ text: story, ms: 1_500 }),
    transcribe: () => ({ text: 'Tell me a story.', logprob: -0.05 }),
  });
  await room.bridge();
  await room.speak('ann', 400);
  await until(() => room.of('turn_ended').length > 0);
  expect(room.of('turn_opened')[0]).toMatchObject({ owner: 'ann', text: 'Tell me a story.' });
  expect(room.of('model_ended')[0]).toMatchObject({ outcome: 'completed', text: story });
  const { turn } = room.of('turn_opened')[0] as { turn?: string };
  await until(
    () => room.sounds.filter((sound) => sound.turn === turn).reduce((ms, { pcm }) => ms + soundMs(pcm), 0) >= 1_500,
  );
  expect(room.sounds.at(-1)).toMatchObject({ offset: story.length, estimated: false });
  const { turn_detection: detection } = (room.server.session.config['audio'] as { input: { turn_detection: object } })
    .input as never;
  expect(detection).toMatchObject({ create_response: false, interrupt_response: false });
  expect(room.server.requests.every(({ isAsked }) => isAsked)).toBe(true);
  expect(room.server.requests[0]?.context).toMatchObject([{ role: 'user', audioMs: expect.any(Number) }]);
  expect(room.server.refusals).toEqual([]);
});

test('a stop phrase stops the response, opens no turn, and is acknowledged outside of the conversation [voice.realtime]', async () => {
  let said = 0;
  await using room = await SpokenRoomOfTest.open({
    respond: (request) =>
      request?.isApart ? { text: 'Stopped.', ms: 200 } : { text: story, ms: 1_500, neverDone: true },
    transcribe: () => ({ text: said++ === 0 ? 'Tell me a story.' : 'Stop!' }),
  });
  const bridge = await room.bridge();
  const turn = bridge.speaks('ann').say('Tell me a story.');
  const id = await turn.opened;
  said = 1;
  await until(() => room.sounds.length > 0);
  await room.speak('ann', 400);
  await until(() => room.of('cancel_settled').length === 1);
  expect(room.of('turn_opened').filter(({ kind }) => kind === 'say')).toHaveLength(1);
  expect(room.server.session.received.find(({ type }) => type === 'response.cancel')).toMatchObject({
    response_id: room.server.requests[0]?.id,
  });
  const before = room.sounds.filter((sound) => sound.turn === id).length;
  await until(() => room.of('acknowledged').length === 1);
  expect(room.sounds.filter((sound) => sound.turn === id)).toHaveLength(before);
  expect(room.server.requests[1]).toMatchObject({ isApart: true });
});

test('a text session gets text, and nothing is heard in it', async () => {
  await using room = await SpokenRoomOfTest.open({ respond: () => ({ text: story }) }, 'text');
  const ann = (await room.runtime.session('s')).as('ann');
  const { text } = (await ann.say('Tell me a story.').ended) as { text?: string };
  expect(text ?? story).toBe(story);
  expect(room.server.requests[0]?.params).toMatchObject({ output_modalities: ['text'], conversation: 'none' });
  expect(room.sounds).toEqual([]);
});
