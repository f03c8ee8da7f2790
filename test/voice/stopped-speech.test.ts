// A stop while the bot speaks: its speech stops at once, also where its turn has ended, and the history keeps what was heard.
import { describe, expect, test } from 'vitest';
import { replayDecision } from '../../machines/decision-replay.ts';
import type { Script } from '../../src/adapters/models/scripted.ts';
import { createMemoryLog } from '../../src/adapters/stores/memory.ts';
import { textResponse } from '../support/harness.ts';
import { holdAppend } from '../support/held-log.ts';
import { answer, cutsOf, heard, openVoiceRoom, startSpeaking } from './voice-room.ts';

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

  test('of a turn that has ended, and is only being read out, is a stop: it has a receipt, and opens no turn [cancel.speech]', async () => {
    const { room, turn } = await startSpeaking();
    expect(room.harness.endOf(turn)?.outcome).toBe('completed');
    const reply = await room.transcript('ann', 'stop');
    expect(reply).toMatchObject({ type: 'stop_phrase', repeated: false });
    expect(room.notices).toEqual([`stop ${turn}: cancel by ann`]);
    const started = room.harness.recorder.of('speech_started').at(-1);
    expect(started).toMatchObject({ turn, owner: 'ann' });
    expect(room.harness.settledReceipts()).toMatchObject([
      { nodes: [{ node: started?.speech, kind: 'speech', outcome: 'cancelled', effect: 'none' }] },
    ]);
    expect(room.harness.recorder.of('speech_ended').at(-1)).toMatchObject({
      speech: started?.speech,
      turn,
      outcome: 'cancelled',
      effect: 'none',
    });
    await room.transcript('ann', 'What was the first?');
    await room.harness.clock.advance(50);
    expect(room.ownWords[0]).toBe(`${heard}… [cut off here: nothing after this was heard]`);
    expect(room.harness.provider.requests).toHaveLength(2);
  });

  test('of a turn that has ended is acknowledged, and the model is told that it was still speaking [cancel.speech]', async () => {
    const { room } = await startSpeaking({ spec: { acknowledge: 'on' } });
    await room.transcript('ann', 'stop');
    await room.harness.clock.advance(50);
    const [, request] = room.harness.provider.requests;
    expect(request?.messages.at(-1)?.content).toContain(
      'You had finished your answer, and were still saying it aloud: that was stopped.',
    );
    expect(room.harness.recorder.of('speech_ended').at(-1)).toMatchObject({ outcome: 'cancelled' });
    const [sounding] = await room.harness.session.nodes(); // that of the acknowledgement
    expect(sounding).toMatchObject({ kind: 'speech', acknowledges: room.harness.settledReceipts()[0]?.cancel });
    await room.transcript('ann', 'stop');
    await room.harness.clock.advance(50);
    expect(room.harness.provider.requests).toHaveLength(2); // the stop of an acknowledgement is silent
    expect(room.harness.settledReceipts()).toHaveLength(2);
  });

  test.each(['turn', 'lane', 'speech', 'mine', 'session'])(
    'by a CANCEL of its $0 reaches it although the turn has ended, and nothing is left for another one [cancel.speech]',
    async (kind) => {
      const { room, turn } = await startSpeaking();
      const speech = room.harness.recorder.of('speech_started').at(-1)?.speech ?? '';
      const targets: Record<string, string> = { turn, lane: `lane:${turn}`, speech };
      const target = targets[kind] ?? kind;
      const reply = await room.harness.cancel({ target, ref: 'c1' }, room.speaker('ann'));
      expect(reply).toMatchObject({
        type: 'cancel_accepted',
        receipt: { stopping: [speech], detached: [], refused: [] },
      });
      expect(room.notices).toEqual([`stop ${turn}: cancel by ann`]);
      expect(await room.harness.session.nodes()).toEqual([]);
      expect(await room.harness.cancel({ target, ref: 'c2' }, room.speaker('ann'))).toMatchObject({
        type: 'already_settled',
      });
    },
  );

  test('by a CANCEL of tools does not reach it', async () => {
    const { room, turn } = await startSpeaking();
    expect(await room.harness.cancel({ target: `tools:${turn}` }, room.speaker('ann'))).toMatchObject({
      type: 'already_settled',
    });
    expect(await room.harness.session.nodes()).toMatchObject([{ kind: 'speech', owner: 'ann', parent: null }]);
  });

  test('of a turn that runs stops both, by one receipt; that of the turn of somebody else goes on [cancel.speech]', async () => {
    const slow: Script = { steps: [{ text: answer }, { waitMs: 5_000 }, { text: ' And more.' }] };
    const room = await openVoiceRoom({ respond: () => slow });
    const [turn, other] = [await room.say('ann', 'Tell me.'), await room.say('bob', 'Me, too.')];
    await room.harness.clock.advance(50);
    await room.transcript('ann', 'stop');
    await room.harness.clock.advance(50);
    const [own, others] = room.harness.recorder.of('speech_started');
    expect(own).toMatchObject({ turn, owner: 'ann' });
    expect(others).toMatchObject({ turn: other, owner: 'bob' });
    expect(room.harness.settledReceipts()[0]?.nodes.map(({ node, outcome }) => [node, outcome])).toEqual([
      [turn, 'cancelled'],
      [own?.speech, 'cancelled'],
    ]);
    expect(room.harness.recorder.of('speech_ended').map(({ speech }) => speech)).toEqual([own?.speech]);
  });

  test('of a turn that may not be interrupted stops its speech at once: a shield protects no sound', async () => {
    const slow: Script = { steps: [{ text: answer }, { waitMs: 500 }, { text: ' And more.' }] };
    const room = await openVoiceRoom({ respond: () => slow, spec: { interruptible: false, shieldMs: 5_000 } });
    const turn = await room.say('ann', 'Tell me.');
    await room.harness.clock.advance(50);
    const speech = room.harness.recorder.of('speech_started').at(-1)?.speech;
    await room.transcript('ann', 'stop');
    expect(room.notices).toEqual([`stop ${turn}: cancel by ann`]);
    expect(room.harness.recorder.of('cancel_accepted')).toMatchObject([{ stopping: [speech], pending: [turn] }]);
    await room.harness.clock.advance(1_000);
    expect(room.harness.endOf(turn)?.outcome).toBe('completed');
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

  test('of a turn that has ended has its decision in the log, with its evidence, and a refused one too [owner.replay]', async () => {
    const { room } = await startSpeaking();
    const node = room.harness.recorder.of('speech_started').at(-1)?.speech;
    await room.transcript('bob', 'stop', { addressed: 0.2 });
    await room.transcript('ann', 'stop');
    const all = room.harness.recorder.of('cancel_decided');
    const decisions = all.filter(({ nodes }) => nodes.some((one) => one.node === node));
    expect(decisions).toMatchObject([
      {
        by: 'bob',
        source: 'phrase',
        addressed: 0.2,
        nodes: [{ node, kind: 'speech', may: false, because: 'words_not_addressed' }],
      },
      {
        by: 'ann',
        source: 'phrase',
        target: 'session',
        nodes: [{ node, may: true, because: 'initiator' }, { may: false }],
      },
    ]);
    expect(decisions.map((decision) => replayDecision(decision))).toEqual([[], []]);
  });

  test('of a turn that has ended while its speech is paused ends the pause, also without any PLAYED', async () => {
    const room = await openVoiceRoom({
      respond: () => ({ steps: [{ text: 'One. ' }, { waitMs: 500 }, { text: 'Two.' }] }),
    });
    const turn = await room.say('ann', 'Count.');
    await room.harness.clock.advance(50);
    await room.bargeIn('ann', 600);
    await room.harness.clock.advance(1_000);
    expect(room.harness.endOf(turn)?.outcome).toBe('completed');
    await room.harness.cancel({ target: 'mine' }, room.speaker('ann'));
    await room.harness.clock.advance(5_000);
    expect(room.notices).toEqual([`stop ${turn}: barge_in by ann`, `stop ${turn}: cancel by ann`]);
    expect(cutsOf(room)).toMatchObject([{ turn, why: 'cancel', heard: [{ index: 0, offset: 5 }] }]);
  });

  test('that is sent again reaches no speech that is newer than its first sending [cancel.idempotent]', async () => {
    const { room, turn } = await startSpeaking({ respond: () => textResponse(answer) });
    await room.harness.cancel({ target: 'mine', ref: 'c1' }, room.speaker('ann'));
    await room.transcript('ann', 'And what else?');
    await room.harness.clock.advance(50);
    await room.harness.cancel({ target: 'mine', ref: 'c1' }, room.speaker('ann'));
    expect(room.notices).toEqual([`stop ${turn}: cancel by ann`]);
  });

  test('of several turns: what was played of each corrects its cut', async () => {
    const { room, turn } = await startSpeaking({ respond: () => textResponse(answer) });
    const second = await room.say('bob', 'Tell me, too.');
    await room.harness.clock.advance(50);
    await room.harness.session.setSpeaker(room.speaker('mo'), { present: true, roles: ['moderator'] });
    await room.transcript('mo', 'stop');
    await room.played(turn, heard.length + 5);
    expect(cutsOf(room).map((cut) => [cut.turn, cut.heard[0]?.offset])).toEqual([
      [turn, heard.length],
      [second, 0],
      [turn, heard.length + 5],
    ]);
  });

  test('by words of who has interrupted is a stop, and no cut by a barge-in', async () => {
    const slow: Script = { steps: [{ text: answer }, { waitMs: 5_000 }, { text: ' And more.' }] };
    const room = await openVoiceRoom({ respond: () => slow });
    const turn = await room.say('ann', 'Tell me all four.');
    await room.harness.clock.advance(50);
    await room.played(turn, heard.length);
    await room.bargeIn('ann', 600);
    expect(await room.transcript('ann', 'Stop!')).toMatchObject({ type: 'stop_phrase' });
    await room.harness.clock.advance(5_000);
    expect(room.notices).toEqual([`stop ${turn}: barge_in by ann`, `stop ${turn}: cancel by ann`]);
    expect(cutsOf(room)).toMatchObject([{ why: 'cancel', heard: [{ index: 0, offset: heard.length }] }]);
  });

  test('while speech is paused ends the pause: nothing goes on later', async () => {
    const { room, turn } = await startSpeaking();
    await room.bargeIn('ann', 600);
    await room.harness.cancel({ target: turn }, room.speaker('ann'));
    await room.harness.clock.advance(5_000);
    expect(room.notices).toEqual([`stop ${turn}: barge_in by ann`, `stop ${turn}: cancel by ann`]);
  });
});
