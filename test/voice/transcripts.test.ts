// Transcripts in a voice session: which ones count, as what, and what is recorded of the others.
import { describe, expect, test } from 'vitest';
import { callsOnce, toolOf } from '../support/harness.ts';
import { openVoiceRoom, type VoiceRoom, type VoiceRoomOptions } from './voice-room.ts';

/** A turn of ann with a call that runs. */
async function startWork(options: VoiceRoomOptions = {}): Promise<{ room: VoiceRoom; turn: string }> {
  const room = await openVoiceRoom({ respond: callsOnce(['wait', { ms: 9_000 }]), ...options });
  const turn = await room.say('ann', 'Look it up.');
  await room.harness.clock.advance(50);
  return { room, turn };
}

const logOf = async ({ harness }: VoiceRoom) => (await harness.log.read('s', 0)).map(({ body }) => body);

describe('a final transcript', () => {
  test.each(['Stop?', 'stop', 'Never. Mind.', '¿Para?', 'Hör, auf!', 'No, para.', 'OK… stop, please?!', '停！'])(
    '"%s" is a stop phrase: the punctuation is the recognizer\'s [intent.one] [intent.final]',
    async (text) => {
      const { room } = await startWork();
      expect(await room.transcript('ann', text)).toMatchObject({ type: 'stop_phrase' });
    },
  );

  test.each([
    'Stop the music?',
    "Don't stop.",
    'Can you stop the music?',
    'No para',
    'Non-stop.',
    'We, stop worrying.',
  ])('"%s" is none [intent.one]', async (text) => {
    const { room } = await startWork();
    expect(await room.transcript('ann', text)).toMatchObject({ type: 'turn_opened' });
    expect(room.harness.aborted).toEqual([]);
  });

  test('typed words keep their question mark: "stop?" is a question [intent.one]', async () => {
    const { room } = await startWork();
    const pending = room.harness.session.say(room.speaker('ann'), { text: 'stop?' });
    await room.harness.clock.advance(0);
    expect(await pending).toMatchObject({ type: 'turn_opened' });
  });

  test.each([
    { noSpeech: 0.59, confidence: 0.5, becomes: 'stop_phrase' },
    { noSpeech: 0.6, confidence: 0.9, becomes: 'transcript_ignored' },
    { noSpeech: 0.1, confidence: 0.49, becomes: 'turn_opened' },
    { noSpeech: undefined, confidence: undefined, becomes: 'stop_phrase' },
  ])(
    '"stop" with $noSpeech of silence and $confidence becomes $becomes [intent.final]',
    async ({ becomes, ...evidence }) => {
      const { room } = await startWork();
      expect(await room.transcript('ann', 'stop', evidence)).toMatchObject({ type: becomes });
    },
  );

  test('one that is dropped is recorded, and a blank one is not [intent.final]', async () => {
    const { room } = await startWork();
    await room.transcript('ann', 'stop', { noSpeech: 0.9 });
    await room.transcript('ann', '  ', { noSpeech: 0.9 });
    const dropped = (await logOf(room)).filter(({ type }) => type === 'transcript_dropped');
    expect(dropped).toMatchObject([{ by: 'ann', via: 'discord', text: 'stop', noSpeech: 0.9 }]);
  });

  test('a stop phrase that the recognizer is not sure of is said, and says why it stopped nothing [intent.final]', async () => {
    const { room } = await startWork();
    await room.transcript('ann', 'stop', { confidence: 0.2 });
    expect(room.harness.recorder.of('turn_opened').at(-1)).toMatchObject({
      text: 'stop',
      spoken: { confidence: 0.2, stopRefused: 'low_confidence' },
    });
  });

  test('words that are deferred keep what the recognizer said of them, and so does the turn that they open', async () => {
    const { room, turn } = await startWork({ spec: { whileRunning: 'steer' } });
    const said = { text: 'And the logs', spoken: { confidence: 0.8, noSpeech: 0.1 } };
    expect(await room.transcript('ann', said.text, said.spoken)).toMatchObject({ type: 'input_deferred', turn });
    expect(room.harness.recorder.of('input_deferred')).toMatchObject([said]);
    await room.harness.cancel({ target: turn }, room.speaker('zoe'));
    await room.transcript('ann', 'stop', { confidence: 0.2 });
    expect(room.harness.recorder.of('input_deferred').at(-1)).toMatchObject({
      spoken: { confidence: 0.2, stopRefused: 'low_confidence' },
    });
  });

  test('a stop phrase withdraws a question that waits for an answer, like the choice of a song [intent.one]', async () => {
    const pick = toolOf('pick', (_, { ask }) => ask({ text: 'Which of the two songs?', choices: ['one', 'two'] }));
    const { room } = await startWork({ tools: [pick], respond: callsOnce(['pick']) });
    expect(room.harness.recorder.of('question_asked')).toHaveLength(1);
    expect(await room.transcript('ann', 'nvm')).toMatchObject({ type: 'stop_phrase' });
    await room.harness.clock.advance(100);
    expect(room.harness.recorder.of('question_closed')).toMatchObject([{ answer: 'withdrawn', by: null }]);
  });
});

test('who joins is told the rules of speech that are in force', async () => {
  const { room } = await startWork({ voice: { bargeIn: 'anyone', noSpeechFrom: 0.8 } });
  expect(room.harness.recorder.joins.at(-1)?.voice).toEqual({
    bargeIn: 'anyone',
    minBargeInMs: 200,
    falseInterruptionMs: 2_000,
    confidenceFrom: 0.5,
    noSpeechFrom: 0.8,
    stopSound: false,
    addressedFrom: 0.7,
    paused: null,
    queued: [],
  });
});
