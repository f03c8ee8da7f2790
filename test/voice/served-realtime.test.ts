// `belay serve` with a model of the Realtime API, in a process of its own, at the strict server: one spoken turn, a stop, silence.
import { expect, test } from 'vitest';
import { connect } from '../../src/client/client.ts';
import { SessionSound } from '../../src/client/session-sound.ts';
import { spokenSound } from '../adapters/models/realtime/linked-model.ts';
import { room, serveBelay, tokenOf } from '../support/belay.ts';
import { useEndpoint } from '../support/journey.ts';
import { RealtimeServer } from '../support/realtime/realtime-server.ts';
import { until } from '../support/until.ts';

const story = 'Once there was a fox that lived in a wood and met a crow one day in the rain.';
const endpoint = useEndpoint(); // of text: nobody asks it
const model = { api: 'realtime', apiKey: 'the-key-of-the-tests', name: 'gpt-realtime-2.1' };

test('a served model hears a turn, speaks it, and is silent after a spoken stop [voice.realtime]', async () => {
  const cancelled = Promise.withResolvers<void>();
  const answers = [
    { text: story, ms: 60_000 },
    { text: 'Once more.', ms: 600 },
  ];
  const said = ['Tell me a story.', 'Stop!', 'Say it once more.'];
  await using provider = await RealtimeServer.start({
    respond: () => answers.shift() ?? {},
    transcribe: () => ({ text: said.shift() ?? '', logprob: -0.05 }),
    // the first response ends when it is cancelled
    gate: ({ type }, when) =>
      type === 'response.output_audio.done' && when === 'before' && answers.length === 1
        ? cancelled.promise
        : undefined,
  });
  const realtime = { voice: 'cedar', language: 'en', silenceMs: 300 };
  const served = await serveBelay(endpoint, {
    config: {
      model: { ...model, baseUrl: provider.baseUrl, realtime },
      sessions: { [room]: { kind: 'voice', policy: 'anyone' } },
    },
  });
  const sound = { send: true, receive: true };
  const client = await connect({ url: served.url, token: tokenOf('bridge'), sound });
  const session = client.session(room);
  await session.joined;
  /** What came, in its order: frames by their type, and sound by its turn. */
  const came: { readonly type: string; readonly turn?: string | undefined }[] = [];
  session.on('*', (frame) => came.push(frame as never));
  const bridge = new SessionSound(client, room);
  bridge.onSpeech(({ turn }) => came.push({ type: 'sound', turn }));
  const has = (type: string, turn?: string) =>
    came.some((one) => one.type === type && (turn === undefined || one.turn === turn));
  const opened = () => came.flatMap(({ type, turn = '' }) => (type === 'turn_opened' ? [turn] : []));
  const speak = async () => {
    const writer = bridge.speakerStream('ann').getWriter();
    for (const pcm of spokenSound(400, 400)) await writer.write(pcm);
  };

  await speak();
  const first = await until(() => opened()[0], { what: 'the turn' });
  expect(came.find(({ type }) => type === 'turn_opened')).toMatchObject({ owner: 'ann', text: 'Tell me a story.' });
  await until(() => has('sound', first), { what: 'sound' });
  await speak();
  await until(() => provider.session.received.some(({ type }) => type === 'response.cancel'), { what: 'the cancel' });
  cancelled.resolve();
  await until(() => has('cancel_settled'), { what: 'the receipt' });
  await speak();
  const second = await until(() => opened()[1], { what: 'the next turn' });
  await until(() => has('sound', second), { what: 'the next sound' });

  const stop = came.findIndex(({ type, turn }) => type === 'speech_stop' && turn === first);
  expect(stop).toBeGreaterThan(-1);
  expect(came.slice(stop).filter(({ type, turn }) => type === 'sound' && turn === first)).toEqual([]);
  expect(opened()).toHaveLength(2);
  expect(provider.refusals).toEqual([]);
  expect(provider.sessions).toHaveLength(1);
  expect(provider.session.config).toMatchObject({
    audio: {
      input: { transcription: { language: 'en' }, turn_detection: { silence_duration_ms: 300 } },
      output: { voice: 'cedar' },
    },
  });
  expect(await endpoint.requests()).toEqual([]);
  await client.close();
});
