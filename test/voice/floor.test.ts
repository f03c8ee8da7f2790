// One speech at a time in a room: another answer waits until the floor is free, and a stop reaches it there.
import { describe, expect, test } from 'vitest';
import type { Script } from '../../src/adapters/models/scripted.ts';
import { idleFloorMs } from '../../src/core/session/floor.ts';
import { recover } from '../../src/core/transcript/recover.ts';
import { callerOf, textResponse } from '../support/harness.ts';
import {
  answer,
  cutsOf,
  heard,
  openVoiceRoom,
  startSpeaking,
  type VoiceRoom,
  type VoiceRoomOptions,
} from './voice-room.ts';

const stopped = 'All right, I have stopped.';
const isAcknowledging = (words: string | undefined) => /has just stopped work of yours/.test(words ?? '');

/** Ann hears her answer; that to bob has all of its text, and waits. `acknowledgement`: what acknowledges a stop. */
async function startWaiting(options: VoiceRoomOptions = {}, acknowledgement: Script = textResponse(stopped)) {
  const { room, turn } = await startSpeaking({
    respond: ({ messages }) =>
      isAcknowledging(messages.at(-1)?.content) ? acknowledgement : textResponse('One. ', answer),
    ...options,
  });
  const waiting = await room.say('bob', 'Tell me, too.');
  await room.harness.clock.advance(50);
  const queued = room.harness.recorder.of('speech_queued').at(-1);
  if (queued?.turn !== waiting) throw new Error('The answer to bob does not wait.');
  return { room, turn, waiting, speech: queued.speech };
}

/** The facts of speech from the first that waits on, each with its turn. */
function speechFacts({ harness: { recorder } }: VoiceRoom): readonly string[] {
  const lines = recorder.facts.flatMap((fact) =>
    fact.type === 'speech_queued' || fact.type === 'speech_started'
      ? [`${fact.type} ${fact.turn}`]
      : fact.type === 'speech_ended'
        ? [`${fact.type} ${fact.turn}: ${fact.outcome}, ${fact.effect}`]
        : [],
  );
  return lines.slice(lines.findIndex((line) => line.startsWith('speech_queued')));
}

/** The turn that acknowledges the last stop. */
const acknowledgementIn = ({ harness: { recorder } }: VoiceRoom) =>
  recorder.of('turn_opened').findLast(({ kind }) => kind === 'acknowledgement')?.turn ?? '';

describe('a second answer', () => {
  test('waits while its text streams, and is spoken as soon as all of the first was played [speech.floor]', async () => {
    const { room, turn, waiting, speech } = await startWaiting();
    const { recorder, session } = room.harness;
    expect(room.notices).toEqual([`wait ${waiting}`]);
    expect(recorder.texts.filter((piece) => piece.turn === waiting).map(({ text }) => text)).toEqual(['One. ', answer]);
    expect((await session.nodes()).map(({ node }) => node)).toContain(speech);
    await room.played(turn, answer.length + 4);
    expect(room.notices).toEqual([`wait ${waiting}`]);
    await room.played(turn, answer.length + 5);
    expect(room.notices).toEqual([`wait ${waiting}`, `start ${waiting}`]);
    expect(speechFacts(room)).toEqual([
      `speech_queued ${waiting}`,
      `speech_ended ${turn}: completed, none`,
      `speech_started ${waiting}`,
    ]);
    expect(recorder.of('speech_started').at(-1)).toMatchObject({ speech, turn: waiting, owner: 'bob' });
  });

  test('is announced as waiting before its first text [speech.floor]', async () => {
    const { room, turn } = await startSpeaking({ respond: () => textResponse(answer) });
    const order: string[] = [];
    const listener = callerOf('listener');
    await room.harness.session.join(
      listener,
      {
        ...room.harness.recorder.listener,
        fact: () => {},
        text: (delta) => void order.push(`text ${delta.turn}`),
        speech: (change) => void order.push(`${change.type} ${'turn' in change ? change.turn : ''}`),
      },
      null,
    );
    const waiting = await room.say('bob', 'Tell me, too.');
    await room.harness.clock.advance(50);
    expect(order).toEqual([`speech_wait ${waiting}`, `text ${waiting}`]);
    expect(turn).not.toBe(waiting);
  });

  test('is spoken although a bridge repeats what it had played of the first: that renews nothing', async () => {
    const { room, turn, waiting } = await startWaiting();
    for (let ms = 0; ms <= idleFloorMs; ms += 1_000) {
      await room.played(turn, heard.length);
      await room.harness.clock.advance(1_000);
    }
    expect(room.notices).toEqual([`wait ${waiting}`, `start ${waiting}`]);
  });

  test('is not what a barge-in interrupts, and goes on waiting while the first one is paused', async () => {
    const { room, turn, waiting } = await startWaiting();
    await room.played(waiting, 0);
    expect(await room.bargeIn('bob', 600)).toEqual({ type: 'barge_in', result: 'not_allowed' });
    expect(await room.bargeIn('ann', 600)).toMatchObject({ result: 'paused', turn });
    await room.harness.clock.advance(1_900);
    expect(room.notices).toEqual([`wait ${waiting}`, `stop ${turn}: barge_in by ann`]);
    await room.transcript('ann', 'Only the first one, thanks');
    expect(room.notices.at(-1)).toBe(`start ${waiting}`);
  });

  test('is in what a bridge gets that joins', async () => {
    const { room, waiting } = await startWaiting();
    const joined = room.harness.recorder.joins.length;
    await room.harness.session.join(callerOf('other', ['bridge']), room.harness.recorder.listener, null);
    expect(room.harness.recorder.joins[joined]?.voice).toMatchObject({ paused: null, queued: [waiting] });
  });

  test('starts although it should wait, where its bridge plays it: a bridge that knows no floor', async () => {
    const { room, turn, waiting } = await startWaiting();
    await room.played(waiting, 0);
    expect(room.notices).toEqual([`wait ${waiting}`]);
    await room.played(waiting, 5);
    expect(room.notices).toEqual([`wait ${waiting}`, `start ${waiting}`]);
    await room.played(turn, answer.length + 5);
    await room.transcript('bob', 'stop');
    expect(cutsOf(room)).toMatchObject([{ turn: waiting, heard: [{ index: 0, offset: 5 }] }]);
  });

  test('of a third speaker comes after it: the order is that of their first words', async () => {
    const { room, turn, waiting } = await startWaiting();
    const third = await room.say('carl', 'And me?');
    await room.harness.clock.advance(50);
    await room.played(turn, 1_000);
    await room.played(waiting, 1_000);
    await room.played(third, 1_000);
    expect(speechFacts(room).filter((line) => line.startsWith('speech_started'))).toEqual(
      [waiting, third].map((one) => `speech_started ${one}`),
    );
    expect(await room.harness.session.nodes()).toEqual([]);
  });

  test('gets the floor although the end of the first one was never reported; what is paused keeps it [speech.floor]', async () => {
    const { room, turn, waiting } = await startWaiting({ voice: { falseInterruptionMs: 8_000 } });
    await room.harness.clock.advance(idleFloorMs - 1_000);
    await room.bargeIn('ann', 600);
    await room.harness.clock.advance(7_900);
    expect(room.notices.at(-1)).toBe(`stop ${turn}: barge_in by ann`);
    await room.harness.clock.advance(200);
    expect(room.notices.at(-1)).toBe(`resume ${turn}`);
    await room.harness.clock.advance(idleFloorMs);
    expect(room.notices.at(-1)).toBe(`start ${waiting}`);
    expect(speechFacts(room)).toContain(`speech_ended ${turn}: timed_out, none`);
    expect(cutsOf(room)).toEqual([]);
    await room.played(turn, heard.length); // says nothing new
    expect((await room.harness.session.nodes()).map(({ owner }) => owner)).toEqual(['bob']);
  });

  test('waits for nothing before a bridge has said what it plays: nobody knows when that is over', async () => {
    const slow: Script = { steps: [{ text: answer }, { waitMs: 5_000 }, { text: ' And more.' }] };
    const room = await openVoiceRoom({ respond: () => slow });
    for (const id of ['ann', 'bob']) await room.say(id, 'Tell me.');
    await room.harness.clock.advance(50);
    expect(room.harness.recorder.of('speech_started').map(({ owner }) => owner)).toEqual(['ann', 'bob']);
    expect(room.notices).toEqual([]);
  });

  test('at the own connection of a speaker waits for nothing that the room hears', async () => {
    const { room, turn } = await startSpeaking({ respond: () => textResponse(answer) });
    const dora = callerOf('dora');
    await room.harness.session.join(dora, { ...room.harness.recorder.listener, fact: () => {} }, null);
    const { voice } = room.harness.runtime;
    void voice.transcript('s', dora, { text: '', final: false }); // it plays what dora asks for from now on
    const own = await room.harness.say('And me?', dora);
    await room.harness.clock.advance(50);
    void voice.played('s', dora, { turn: own, index: 0, offset: 0 });
    await room.harness.clock.advance(0);
    expect(room.harness.recorder.of('speech_started').filter((fact) => fact.turn === own)).toHaveLength(1);
    expect(turn).not.toBe(own);
  });
});

describe('a stop of an answer that waits', () => {
  test.each(['turn', 'lane', 'speech', 'mine', 'session'])(
    'by a CANCEL of its $0 reaches it: the receipt names it, and nothing of it is ever spoken [speech.floor] [cancel.speech]',
    async (kind) => {
      const { room, turn, waiting, speech } = await startWaiting();
      const targets: Record<string, string> = { turn: waiting, lane: `lane:${waiting}`, speech };
      const reply = await room.harness.cancel({ target: targets[kind] ?? kind }, room.speaker('bob'));
      expect(reply).toMatchObject({ type: 'cancel_accepted', receipt: { stopping: [speech] } });
      expect(room.notices).toEqual([`wait ${waiting}`, `stop ${waiting}: cancel by bob`]);
      const node = { node: speech, kind: 'speech', outcome: 'cancelled', effect: 'not_started' };
      expect(room.harness.settledReceipts()).toMatchObject([{ nodes: [node] }]);
      expect(cutsOf(room)).toMatchObject([{ turn: waiting, why: 'cancel', heard: [{ index: 0, offset: 0 }] }]);
      await room.played(turn, 1_000);
      await room.harness.clock.advance(20_000);
      expect(room.notices).toHaveLength(2);
      expect(speechFacts(room)).not.toContain(`speech_started ${waiting}`);
    },
  );

  test('while its model still writes stops that, too, and none of what it would have said comes later', async () => {
    const slow: Script = { steps: [{ waitMs: 10 }, { text: 'One. ' }, { waitMs: 3_000 }, { text: answer }] };
    const { room, turn, waiting } = await startWaiting({
      respond: ({ messages }) => (messages.at(-1)?.content.includes('too') ? slow : textResponse('One. ', answer)),
    });
    await room.transcript('bob', 'stop');
    await room.played(turn, 1_000);
    await room.harness.clock.advance(20_000);
    expect(room.harness.endOf(waiting)?.outcome).toBe('cancelled');
    expect(room.notices).toEqual([`wait ${waiting}`, `stop ${waiting}: cancel by bob`]);
  });

  test('of everything stops both, and nothing begins [cancel.speech]', async () => {
    const { room, turn, waiting } = await startWaiting();
    await room.harness.session.setSpeaker(room.speaker('mo'), { present: true, roles: ['moderator'] });
    await room.transcript('mo', 'stop');
    await room.harness.clock.advance(20_000);
    expect(room.notices).toEqual([`wait ${waiting}`, `stop ${turn}: cancel by mo`, `stop ${waiting}: cancel by mo`]);
    expect(await room.harness.session.nodes()).toEqual([]);
  });

  test('that was open when its process died is ended by recovery, as not started [speech.floor]', async () => {
    const { room, waiting, speech } = await startWaiting();
    const closed = recover(room.harness.recorder.facts).filter(({ type }) => type === 'speech_ended');
    expect(closed.at(-1)).toEqual({
      type: 'speech_ended',
      speech,
      turn: waiting,
      outcome: 'failed',
      code: 'crash',
      effect: 'not_started',
    });
  });

  test('by the end of its session ends it', async () => {
    const { room } = await startWaiting();
    const closing = room.harness.runtime.close();
    await room.harness.clock.advance(5_000);
    await closing;
    expect(speechFacts(room).filter((line) => line.startsWith('speech_started'))).toEqual([]);
    expect(speechFacts(room).at(-1)).toMatch(/: cancelled, not_started$/);
  });
});

describe('after a stop of what has the floor', () => {
  test('the floor is kept for the words that acknowledge it; then comes what has waited [speech.floor]', async () => {
    const { room, turn, waiting } = await startWaiting({ spec: { acknowledge: 'on' } });
    await room.transcript('ann', 'stop');
    await room.harness.clock.advance(50);
    const acknowledgement = acknowledgementIn(room);
    expect(room.notices).toEqual([`wait ${waiting}`, `stop ${turn}: cancel by ann`]);
    expect(speechFacts(room).at(-1)).toBe(`speech_started ${acknowledgement}`);
    await room.played(acknowledgement, stopped.length);
    expect(room.notices.at(-1)).toBe(`start ${waiting}`);
  });

  test('a sound that stands for the words gives it to what has waited', async () => {
    const silent: Script = { steps: [{ waitMs: 60_000 }, { text: 'Late.' }] };
    const { room, turn, waiting } = await startWaiting({ spec: { acknowledge: 'on' } }, silent);
    await room.transcript('ann', 'stop');
    await room.harness.clock.advance(2_400);
    expect(room.notices).toEqual([`wait ${waiting}`, `stop ${turn}: cancel by ann`]);
    await room.harness.clock.advance(200);
    expect(room.harness.recorder.of('earcon')).toHaveLength(1);
    expect(room.notices.at(-1)).toBe(`start ${waiting}`);
  });

  test.each(['reaction', 'off'] as const)('without words (%s) what has waited comes at once', async (acknowledge) => {
    const { room, waiting } = await startWaiting({ spec: { acknowledge } });
    await room.transcript('ann', 'stop');
    await room.harness.clock.advance(150);
    expect(room.notices.at(-1)).toBe(`start ${waiting}`);
  });

  test('other words end what acknowledges it, and what has waited comes', async () => {
    const silent: Script = { steps: [{ waitMs: 60_000 }, { text: 'Late.' }] };
    const { room, waiting } = await startWaiting({ spec: { acknowledge: 'on' } }, silent);
    await room.transcript('ann', 'stop');
    await room.harness.clock.advance(50);
    await room.transcript('ann', 'Tell me something else');
    await room.harness.clock.advance(50);
    expect(room.notices).toContain(`start ${waiting}`);
  });
});

describe('an acknowledgement', () => {
  test('waits for the floor, and comes before answers that wait [speech.floor]', async () => {
    const { room, turn, waiting } = await startWaiting({ spec: { acknowledge: 'on' } });
    await room.say('carl', 'And me?');
    await room.transcript('carl', 'stop');
    await room.harness.clock.advance(50);
    const acknowledgement = acknowledgementIn(room);
    expect(room.notices.at(-1)).toBe(`wait ${acknowledgement}`);
    await room.played(turn, 1_000);
    expect(room.notices.at(-1)).toBe(`start ${acknowledgement}`);
    await room.played(acknowledgement, stopped.length);
    expect(room.notices.at(-1)).toBe(`start ${waiting}`);
  });

  test('that waits is stopped in silence [cancel.speech]', async () => {
    const { room, turn } = await startWaiting({ spec: { acknowledge: 'on' } });
    await room.say('carl', 'And me?');
    await room.transcript('carl', 'stop');
    await room.harness.clock.advance(50);
    const acknowledgement = acknowledgementIn(room);
    await room.transcript('carl', 'stop');
    await room.harness.clock.advance(20_000);
    await room.played(turn, 1_000);
    expect(room.notices).not.toContain(`start ${acknowledgement}`);
    expect(room.harness.recorder.of('turn_opened').filter(({ kind }) => kind === 'acknowledgement')).toHaveLength(1);
  });
});
