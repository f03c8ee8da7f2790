// The bot's speech: who interrupts it, when it goes on, and what the history keeps of it.
import { describe, expect, test } from 'vitest';
import type { Script } from '../../src/model/scripted.ts';
import { createMemoryLog } from '../../src/transcript/memory.ts';
import { callsResponse, textResponse } from '../support/harness.ts';
import { holdAppend } from '../support/held-log.ts';
import { openVoiceRoom, type VoiceRoom, type VoiceRoomOptions } from './voice-room.ts';

const answer = 'The first of the four. The second. The third. The last.';
const heard = 'The first of the four.';

/** A turn of ann whose whole answer is there and of which `heard` was played. */
async function startSpeaking(options: VoiceRoomOptions = {}): Promise<{ room: VoiceRoom; turn: string }> {
  const room = await openVoiceRoom({ respond: (_, n) => textResponse(n === 0 ? answer : 'ok'), ...options });
  const turn = await room.say('ann', 'Tell me all four.');
  await room.harness.clock.advance(50);
  await room.played(turn, heard.length);
  return { room, turn };
}

const cutsOf = ({ harness }: VoiceRoom) => harness.recorder.of('speech_cut');

describe('a barge-in', () => {
  test('pauses speech at once, and words cut it at what was heard: the next request has exactly that [history.partial.voice]', async () => {
    const { room, turn } = await startSpeaking();
    expect(await room.bargeIn('ann', 600)).toEqual({ type: 'barge_in', result: 'paused', turn });
    expect(room.notices).toEqual([`stop ${turn}: barge_in by ann`]);
    expect(cutsOf(room)).toEqual([]);
    await room.transcript('ann', 'Only the first one, thanks');
    expect(cutsOf(room)).toMatchObject([
      { turn, why: 'barge_in', by: 'ann', heard: [{ index: 0, offset: heard.length }] },
    ]);
    await room.harness.clock.advance(50);
    expect(room.ownWords).toEqual([`${heard}… [cut off here: nothing after this was heard]`]);
    expect(room.notices).toHaveLength(1);
  });

  test('without final words it goes on after `falseInterruptionMs`, and nothing is cut', async () => {
    const { room, turn } = await startSpeaking();
    await room.bargeIn('ann', 600);
    await room.harness.clock.advance(1_999);
    expect(room.notices).toHaveLength(1);
    await room.harness.clock.advance(1);
    expect(room.notices).toEqual([`stop ${turn}: barge_in by ann`, `resume ${turn}`]);
    await room.transcript('ann', 'And now?');
    await room.harness.clock.advance(50);
    expect([cutsOf(room), room.ownWords]).toEqual([[], [answer]]);
  });

  test('words that are not final cut nothing, and postpone the time to go on [intent.final]', async () => {
    const { room } = await startSpeaking();
    await room.bargeIn('ann', 600);
    await room.harness.clock.advance(1_500);
    const reply = await room.transcript('ann', 'Well I was', { final: false });
    expect(reply).toEqual({ type: 'transcript_ignored', reason: 'partial' });
    await room.harness.clock.advance(1_500);
    expect(room.notices).toHaveLength(1);
    await room.harness.clock.advance(500);
    expect(room.notices.at(-1)).toMatch(/^resume/);
  });

  test('only words of who has interrupted cut speech: others talk to each other', async () => {
    const { room, turn } = await startSpeaking();
    await room.bargeIn('ann', 600);
    await room.transcript('bob', 'Did you see that?');
    expect(cutsOf(room)).toEqual([]);
    await room.harness.clock.advance(2_000);
    expect(room.notices.at(-1)).toBe(`resume ${turn}`);
  });

  test.each([
    { by: 'bob', ms: 600, voice: {}, result: 'not_allowed' },
    { by: 'bob', ms: 600, voice: { bargeIn: 'anyone' }, result: 'paused' },
    { by: 'ann', ms: 600, voice: { bargeIn: 'none' }, result: 'not_allowed' },
    { by: 'ann', ms: 499, voice: {}, result: 'too_short' },
    { by: 'ann', ms: 500, voice: {}, result: 'paused' },
    { by: 'ann', ms: 100, voice: { minBargeInMs: 100 }, result: 'paused' },
    { by: 'ann', ms: undefined, voice: {}, result: 'paused' },
  ] as const)('of $by for $ms ms under $voice: $result', async ({ by, ms, voice, result }) => {
    const { room } = await startSpeaking({ voice });
    expect(await room.bargeIn(by, ms)).toMatchObject({ type: 'barge_in', result });
    expect(room.notices).toHaveLength(result === 'paused' ? 1 : 0);
  });

  test('of a moderator of the room interrupts what is said to others', async () => {
    const { room } = await startSpeaking();
    await room.harness.session.setSpeaker(room.speaker('mo'), { present: true, roles: ['moderator'] });
    expect(await room.bargeIn('mo', 600)).toMatchObject({ result: 'paused' });
  });

  test('interrupts nothing where nothing is spoken: before a turn, and after all of it was played', async () => {
    const { room, turn } = await startSpeaking();
    await room.played(turn, answer.length);
    expect(await room.bargeIn('ann', 600)).toEqual({ type: 'barge_in', result: 'nothing_spoken' });
    const empty = await openVoiceRoom();
    expect(await empty.bargeIn('ann', 600)).toEqual({ type: 'barge_in', result: 'nothing_spoken' });
  });

  test('leaves model and tools at work; what the turn says after the tool is spoken again', async () => {
    const first: Script = {
      steps: [...textResponse('I am looking. Wait.').steps, ...callsResponse(['wait', { ms: 900 }]).steps],
    };
    const room = await openVoiceRoom({ respond: (_, n) => (n === 0 ? first : textResponse('Found it.')) });
    const turn = await room.say('ann', 'Find it.');
    await room.harness.clock.advance(50);
    await room.played(turn, 13);
    await room.bargeIn('ann', 600);
    await room.transcript('ann', 'Take your time');
    expect(room.harness.aborted).toEqual([]);
    await room.harness.clock.advance(1_000);
    expect(Object.values(room.harness.outcomes())).toEqual(['completed']);
    const [, next] = room.harness.provider.requests;
    expect(next?.messages.find(({ role }) => role === 'assistant')?.content).toMatch(/^I am looking\.… \[cut off here/);
    await room.played(turn, 5, 1);
    expect(await room.bargeIn('ann', 600)).toMatchObject({ result: 'paused', turn });
  });

  test('is handled although the store is slow', async () => {
    const hold = holdAppend((types) => types.includes('model_ended'));
    const { room, turn } = await startSpeaking({ log: hold.wrap(createMemoryLog()) });
    await room.bargeIn('ann', 600);
    expect(room.notices).toEqual([`stop ${turn}: barge_in by ann`]);
    hold.release();
  });
});

describe('a stop while the bot speaks', () => {
  test('sends `speech_stop` before its acceptance is durable, and cuts the history to what was heard [history.partial.voice]', async () => {
    const hold = holdAppend((types) => types.includes('cancel_accepted'));
    const slow: Script = { steps: [{ text: answer }, { waitMs: 5_000 }, { text: ' And more.' }] };
    const room = await openVoiceRoom({
      log: hold.wrap(createMemoryLog()),
      respond: (_, n) => (n === 0 ? slow : textResponse('ok')),
    });
    const turn = await room.say('ann', 'Tell me all four.');
    await room.harness.clock.advance(50);
    await room.played(turn, 9);
    const stop = room.harness.runtime.voice.transcript('s', room.speaker('ann'), { text: 'Stop?', final: true });
    await room.harness.clock.advance(0);
    expect(room.notices).toEqual([`stop ${turn}: cancel by ann`]);
    expect(room.harness.recorder.of('cancel_accepted')).toEqual([]);
    hold.release();
    await room.harness.clock.advance(500);
    expect(await stop).toMatchObject({ type: 'stop_phrase' });
    await room.played(turn, heard.length);
    expect(cutsOf(room).map((cut) => cut.heard)).toEqual([
      [{ index: 0, offset: 9 }],
      [{ index: 0, offset: heard.length }],
    ]);
    await room.transcript('ann', 'What was the first?');
    await room.harness.clock.advance(50);
    expect(room.ownWords[0]).toBe(`${heard}… [cut off here: nothing after this was heard]`);
  });

  test('of a turn that has ended, and is only being read out, stops the speech; the words are an ordinary message', async () => {
    const { room, turn } = await startSpeaking();
    expect(room.harness.endOf(turn)?.outcome).toBe('completed');
    expect(await room.transcript('ann', 'stop')).toMatchObject({ type: 'turn_opened' });
    expect(room.notices).toEqual([`stop ${turn}: cancel by ann`]);
    await room.harness.clock.advance(50);
    expect(room.ownWords[0]).toBe(`${heard}… [cut off here: nothing after this was heard]`);
  });

  test.each([
    { target: 'session', by: 'ann', stops: true },
    { target: 'mine', by: 'ann', stops: true },
    { target: 'mine', by: 'bob', stops: false },
    { target: 'session', by: 'bob', stops: false },
  ])(
    'a CANCEL of $target by $by of a turn that has ended stops its speech: $stops [owner.voice]',
    async ({ target, by, stops }) => {
      const { room } = await startSpeaking();
      await room.harness.cancel({ target }, room.speaker(by));
      expect(room.notices).toHaveLength(stops ? 1 : 0);
    },
  );

  test('while speech is paused ends the pause: nothing goes on later', async () => {
    const { room, turn } = await startSpeaking();
    await room.bargeIn('ann', 600);
    await room.harness.cancel({ target: turn }, room.speaker('ann'));
    await room.harness.clock.advance(5_000);
    expect(room.notices).toEqual([`stop ${turn}: barge_in by ann`, `stop ${turn}: cancel by ann`]);
  });
});

describe('what was heard', () => {
  test('a block without PLAYED was not heard, once a bridge sends it [history.partial.voice]', async () => {
    const { room } = await startSpeaking();
    await room.transcript('ann', 'Go on');
    await room.harness.clock.advance(50);
    await room.bargeIn('ann', 600);
    await room.transcript('ann', 'Wait');
    await room.harness.clock.advance(50);
    expect(cutsOf(room).at(-1)?.heard).toEqual([{ index: 0, offset: heard.length }]);
  });

  test('without any PLAYED it is what had been published when speech was stopped [history.partial.voice]', async () => {
    const slow: Script = { steps: [{ text: 'One. ' }, { waitMs: 1_000 }, { text: 'Two.' }] };
    const room = await openVoiceRoom({ respond: (_, n) => (n === 0 ? slow : textResponse('ok')) });
    const turn = await room.say('ann', 'Count.');
    await room.harness.clock.advance(50);
    expect(await room.bargeIn('ann', 600)).toMatchObject({ result: 'paused' });
    await room.harness.clock.advance(1_100);
    await room.transcript('ann', 'Enough of one');
    expect(cutsOf(room)).toMatchObject([{ turn, heard: [{ index: 0, offset: 5 }] }]);
  });

  test('a report of more than was published counts as all of it; a smaller one than before changes nothing', async () => {
    const { room, turn } = await startSpeaking();
    expect(await room.played(turn, 5)).toMatchObject({ offset: heard.length });
    expect(await room.played(turn, 9_999)).toMatchObject({ offset: answer.length });
    expect(await room.played('turn_none', 5)).toEqual({ type: 'unknown_target', target: 'turn_none' });
  });
});
