// The bot's speech: who interrupts it, when it goes on, and what the history keeps of it.
import { describe, expect, test } from 'vitest';
import type { Script } from '../../src/adapters/models/scripted.ts';
import { createMemoryLog } from '../../src/adapters/stores/memory.ts';
import { callsResponse, textResponse } from '../support/harness.ts';
import { holdAppend } from '../support/held-log.ts';
import { answer, cutsOf, heard, openVoiceRoom, startSpeaking } from './voice-room.ts';

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

  test.each(['Mhm.', 'yeah, yeah', 'うんうん'])(
    'words that only show that somebody listens cut nothing, and speech goes on from its place: %s [speech.backchannel]',
    async (words) => {
      const { room, turn } = await startSpeaking();
      await room.bargeIn('ann', 600);
      expect(await room.transcript('ann', words)).toMatchObject({ type: 'turn_opened' });
      await room.harness.clock.advance(2_000);
      expect(cutsOf(room)).toEqual([]);
      expect(room.notices.filter((notice) => notice.endsWith(turn))).toEqual([`resume ${turn}`]);
      expect(await room.bargeIn('ann', 600)).toMatchObject({ result: 'paused', turn });
      await room.transcript('ann', 'Yeah, but only the first one');
      expect(cutsOf(room)).toMatchObject([{ turn, why: 'barge_in', heard: [{ index: 0, offset: heard.length }] }]);
    },
  );

  test('a typed "ok" of who has interrupted cuts speech: nobody types to show that they listen', async () => {
    const { room } = await startSpeaking();
    await room.bargeIn('ann', 600);
    await room.say('ann', 'ok');
    expect(cutsOf(room)).toHaveLength(1);
  });

  test('a SAY of who has interrupted cuts speech as a transcript does', async () => {
    const { room } = await startSpeaking();
    await room.bargeIn('ann', 600);
    await room.say('ann', 'Only the first one, thanks');
    await room.harness.clock.advance(5_000);
    expect(cutsOf(room)).toMatchObject([{ why: 'barge_in', heard: [{ index: 0, offset: heard.length }] }]);
    expect(room.notices).toHaveLength(1);
  });

  test('a transcript that is sent again cuts nothing that is spoken later', async () => {
    const { room } = await startSpeaking({ respond: () => textResponse(answer) });
    await room.transcript('ann', 'And what else?', { ref: 't1' });
    await room.harness.clock.advance(50);
    await room.bargeIn('ann', 600);
    expect(await room.transcript('ann', 'And what else?', { ref: 't1' })).toMatchObject({ repeated: {} });
    expect(cutsOf(room)).toEqual([]);
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
    { by: 'ann', ms: 199, voice: {}, result: 'too_short' },
    { by: 'ann', ms: 200, voice: {}, result: 'paused' },
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

  test('a character of two code units that was played by half was not heard [history.partial.voice]', async () => {
    const room = await openVoiceRoom({ respond: () => textResponse('Ja 🎉 genau') });
    const turn = await room.say('ann', 'Is it?');
    await room.harness.clock.advance(50);
    await room.played(turn, 4);
    await room.bargeIn('ann', 600);
    await room.transcript('ann', 'Only that');
    await room.harness.clock.advance(50);
    expect(room.ownWords[0]).toBe('Ja … [cut off here: nothing after this was heard]');
  });

  test('a report of more than was published counts as all of it; a smaller one than before changes nothing', async () => {
    const { room, turn } = await startSpeaking();
    expect(await room.played(turn, 5)).toMatchObject({ offset: heard.length });
    expect(await room.played(turn, 9_999)).toMatchObject({ offset: answer.length });
    expect(await room.played('turn_none', 5)).toEqual({ type: 'unknown_target', target: 'turn_none' });
  });
});
