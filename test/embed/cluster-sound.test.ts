// Sound over a bus: it is received on the host of the connection, wherever it is published, and once.
import { expect, onTestFinished, test } from 'vitest';
import { createLocalBuses } from '../../src/adapters/buses/local-buses.ts';
import { createScriptedProvider } from '../../src/adapters/models/scripted.ts';
import type { SpeakerSound, SpeechSound } from '../../src/core/contracts/sound.ts';
import { systemSources } from '../../src/core/sources/system.ts';
import { createRuntime, type EmbeddedRuntime } from '../../src/embed/runtime.ts';
import { newStorePath } from '../support/store-path.ts';
import { until } from '../support/until.ts';

test('sound of a session reaches subscribers on every host [voice.sound]', async () => {
  const store = newStorePath();
  const buses = createLocalBuses({ key: 'the key of the cluster in this test' });
  const start = async (host: string): Promise<EmbeddedRuntime> => {
    const bus = buses.connect();
    const provider = createScriptedProvider({ clock: systemSources.clock, respond: () => ({ steps: [] }) });
    const runtime = await createRuntime({ store, host, bus, provider });
    onTestFinished(async () => {
      await runtime.close({ force: true });
      await bus.close();
    });
    return runtime;
  };
  const [one, two] = [await start('one'), await start('two')];
  const [here, there] = [await one.voice.sound(), await two.voice.sound()];
  const heard: Record<string, (SpeakerSound | SpeechSound)[]> = { here: [], there: [] };
  here.subscribe('a session', { speech: (sound) => heard['here']?.push(sound) });
  const unsubscribe = there.subscribe('a session', {
    speaker: (sound) => heard['there']?.push(sound),
    speech: (sound) => heard['there']?.push(sound),
  });
  const pcm = Uint8Array.of(1, 2, 254, 255);
  here.publishSpeaker('a session', { speaker: 'ann', position: 7, pcm });
  here.publishSpeech('a session', { turn: 't', index: 1, position: 22, pcm, offset: 3 });
  there.publishSpeech('another session', { turn: 't', index: 1, position: 9, pcm });
  await until(() => heard['there']?.length === 2);
  expect(heard['there']).toEqual([
    { speaker: 'ann', position: 7, pcm },
    { turn: 't', index: 1, position: 22, pcm, offset: 3 },
  ]);
  expect(there.placeAt('a session', { turn: 't', index: 1 }, 1)).toEqual({ offset: 3, estimated: false });
  unsubscribe();
  here.publishSpeech('a session', { turn: 't', index: 1, position: 11, pcm });
  there.publishSpeech('a session', { turn: 't', index: 1, position: 13, pcm });
  await until(() => heard['here']?.length === 3);
  expect(heard['there']).toHaveLength(2);
});
