// The sound for a stop: a notice in the tick of the stop, where the configuration asks for it.
import { describe, expect, test } from 'vitest';
import { createMemoryLog } from '../../src/adapters/stores/memory.ts';
import { sessionSpecOf } from '../../src/core/session/session-spec.ts';
import { callsOnce, callsResponse } from '../support/harness.ts';
import { holdAppend } from '../support/held-log.ts';
import { openVoiceRoom, startSpeaking, type VoiceRoomOptions } from './voice-room.ts';

const voice = { stopSound: true } as const;

/** A room in which a tool of ann runs, and nothing is spoken. */
async function startWork(options: VoiceRoomOptions = {}) {
  const room = await openVoiceRoom({ respond: callsOnce(['wait', { ms: 60_000 }]), ...options });
  const turn = await room.say('ann', 'Build it.');
  await room.harness.clock.advance(100);
  return { room, turn };
}

describe('the sound for a stop', () => {
  test('comes once, in the tick of the stop and before its commit, also where nothing is spoken [speech.stop-sound]', async () => {
    const hold = holdAppend((types) => types.includes('cancel_accepted'));
    const { room } = await startWork({ voice, log: hold.wrap(createMemoryLog()) });
    const stop = room.harness.runtime.voice.transcript('s', room.speaker('ann'), { text: 'stop', final: true });
    await room.harness.clock.advance(0);
    expect(room.notices).toEqual(['sound by ann']);
    expect(room.harness.recorder.of('cancel_accepted')).toEqual([]);
    hold.release();
    await room.harness.clock.advance(2_000);
    expect(await stop).toMatchObject({ type: 'stop_phrase' });
    const [accepted] = room.harness.recorder.of('cancel_accepted');
    expect(room.harness.recorder.speech).toEqual([{ type: 'stop_sound', cancel: accepted?.cancel, by: 'ann' }]);
  });

  test('is off by default', async () => {
    const { room } = await startWork();
    await room.transcript('ann', 'stop');
    expect(room.notices).toEqual([]);
  });

  test('is no sign for a failed acknowledgement, and does not take its place [speech.stop-sound]', async () => {
    const respond = (_: unknown, n: number) => (n === 0 ? callsResponse(['wait', { ms: 60_000 }]) : { steps: [] });
    const { room } = await startWork({ voice, respond, spec: { acknowledge: 'on' } });
    await room.transcript('ann', 'stop');
    await room.harness.clock.advance(10_000);
    expect(room.harness.recorder.of('earcon')).toHaveLength(1);
    expect(room.notices.filter((notice) => notice.startsWith('sound'))).toEqual(['sound by ann']);
  });

  test('is not for a stop of words that acknowledge one, nor for words that may stop nothing', async () => {
    const { room } = await startSpeaking({ voice, spec: { acknowledge: 'on' } });
    await room.transcript('bob', 'stop');
    expect(room.notices).toEqual([]);
    await room.transcript('ann', 'stop');
    await room.harness.clock.advance(50);
    await room.transcript('ann', 'stop');
    await room.harness.clock.advance(50);
    expect(room.harness.recorder.of('cancel_accepted')).toHaveLength(2);
    expect(room.notices.filter((notice) => notice.startsWith('sound'))).toEqual(['sound by ann']);
  });

  test('is true or false', () => {
    expect(() => sessionSpecOf({ kind: 'voice', voice: { stopSound: 'yes' as never } })).toThrow(
      new RangeError('voice.stopSound of the session must be true or false, and is "yes".'),
    );
  });
});
