// The node of speech: when it begins and ends, what recovery does of it, and what clients make of it.
import { describe, expect, test } from 'vitest';
import type { RecordedFact } from '../../machines/facts.ts';
import { createMemoryLog } from '../../src/adapters/stores/memory.ts';
import { defaultViewLimits, foldFrame } from '../../src/client/view/fold.ts';
import { nameOf } from '../../src/client/view/node-names.ts';
import { emptySnapshot } from '../../src/client/view/snapshot.ts';
import { recover } from '../../src/core/transcript/recover.ts';
import type { ServerFrame } from '../../src/wire/server-frames.ts';
import { callsResponse, textResponse } from '../support/harness.ts';
import { answer, heard, openVoiceRoom, startSpeaking, type VoiceRoom } from './voice-room.ts';

const startsOf = ({ harness }: VoiceRoom) => harness.recorder.of('speech_started').map(({ speech }) => speech);
const endsOf = ({ harness }: VoiceRoom) =>
  harness.recorder.of('speech_ended').map(({ speech, outcome }) => [speech, outcome]);

describe('speech', () => {
  test('begins with the first published text, and ends when all of it was played', async () => {
    const { room, turn } = await startSpeaking();
    const speech = startsOf(room).at(-1) ?? '';
    expect(await room.harness.session.nodes()).toMatchObject([{ node: speech, kind: 'speech', owner: 'ann' }]);
    await room.played(turn, answer.length);
    expect(endsOf(room).at(-1)).toEqual([speech, 'completed']);
    expect(await room.harness.session.nodes()).toEqual([]);
  });

  test('has no gap where its bridge sends PLAYED before the turn has ended', async () => {
    const slow = { steps: [{ text: answer }, { waitMs: 100 }] };
    const room = await openVoiceRoom({ respond: () => slow });
    const turn = await room.say('ann', 'Tell me all four.');
    await room.harness.clock.advance(50);
    await room.played(turn, 0);
    await room.harness.clock.advance(500);
    expect(room.harness.endOf(turn)?.outcome).toBe('completed');
    expect([startsOf(room).length, endsOf(room)]).toEqual([1, []]);
  });

  test('that words of who has interrupted cut is superseded, and what the turn says later is another one', async () => {
    const first = {
      steps: [...textResponse('I am looking. Wait.').steps, ...callsResponse(['wait', { ms: 900 }]).steps],
    };
    const room = await openVoiceRoom({ respond: (_, n) => (n === 0 ? first : textResponse('Found it.')) });
    const turn = await room.say('ann', 'Find it.');
    await room.harness.clock.advance(50);
    await room.played(turn, 13);
    await room.bargeIn('ann', 600);
    await room.transcript('ann', 'Take your time');
    await room.harness.clock.advance(1_000);
    const [one, other] = startsOf(room);
    expect(one).not.toBe(other);
    expect(endsOf(room)[0]).toEqual([one, 'superseded']);
  });

  test('that was delegated with its turn may be stopped by the delegate', async () => {
    const slow = { steps: [{ text: answer }, { waitMs: 100 }] };
    const room = await openVoiceRoom({ respond: () => slow, spec: { policy: 'owner' } });
    const turn = await room.say('ann', 'Tell me all four.');
    await room.harness.clock.advance(50);
    await room.played(turn, 0);
    const delegating = room.harness.session.delegate(room.speaker('ann'), { speaker: 'bob', target: turn });
    await room.harness.clock.advance(500);
    expect(await delegating).toMatchObject({ type: 'stop_delegated' });
    expect(room.harness.endOf(turn)?.outcome).toBe('completed');
    await room.harness.cancel({ target: turn }, room.speaker('carl'));
    expect(room.notices).toEqual([]);
    await room.harness.cancel({ target: turn }, room.speaker('bob'));
    expect(room.notices).toEqual([`stop ${turn}: cancel by bob`]);
  });

  test('keeps no session awake that everybody has left: its end is in the log', async () => {
    const log = createMemoryLog();
    const { room } = await startSpeaking({ log, limits: { idleMs: 1_000 } });
    const speech = startsOf(room).at(-1);
    await room.harness.session.leave(room.speaker('ann').connection, 'left');
    await room.harness.clock.advance(10_000);
    expect((await log.head('s')).holder).toBeNull();
    const facts = (await log.read('s', 0)).map(({ body }) => body as RecordedFact);
    expect(facts.findLast(({ type }) => type === 'speech_ended')).toMatchObject({ speech, outcome: 'cancelled' });
    expect(recover(facts)).toEqual([]);
  });

  test('that was open when its process died is ended by recovery, as its stop says if one was accepted [cancel.speech]', async () => {
    const { room } = await startSpeaking();
    const speech = startsOf(room).at(-1) ?? '';
    const { facts } = room.harness.recorder;
    const ended = { type: 'speech_ended', speech, effect: 'none' };
    expect(recover(facts)[0]).toMatchObject({ ...ended, outcome: 'failed', code: 'crash' });
    await room.transcript('ann', 'stop');
    const accepted = facts.findIndex(({ type }) => type === 'cancel_accepted');
    const [end, receipt] = recover(facts.slice(0, accepted + 1));
    expect(end).toMatchObject({ ...ended, outcome: 'cancelled' });
    expect(receipt).toMatchObject({ type: 'cancel_settled', nodes: [{ node: speech, kind: 'speech' }] });
  });
});

describe('the view of a client', () => {
  /** The frames of a turn that is spoken and stopped, after its end. */
  const framesOf = (kind: string) =>
    [
      { type: 'turn_opened', turn: 'turn_1', kind: 'say', owner: 'ann', lane: 'ann', text: 'Hi', ref: null },
      { type: 'turn_started', turn: 'turn_1', owner: 'ann', parent: null },
      { type: `${kind}_started`, speech: 'speech_1', turn: 'turn_1', owner: 'ann' },
      {
        type: 'turn_ended',
        turn: 'turn_1',
        outcome: 'completed',
        effect: 'none',
        usage: { kind: 'exact', input: 1, output: 1 },
      },
      {
        type: 'cancel_accepted',
        cancel: 'cancel_1',
        ref: null,
        source: 'phrase',
        by: 'ann',
        reason: null,
        target: 'session',
        force: false,
        stopping: ['speech_1'],
        pending: [],
        refused: [],
        detached: [],
      },
      { type: `${kind}_ended`, speech: 'speech_1', turn: 'turn_1', outcome: 'cancelled', effect: 'none' },
      {
        type: 'cancel_settled',
        cancel: 'cancel_1',
        ref: null,
        cause: { source: 'phrase', by: 'ann', reason: null, target: 'session' },
        nodes: [{ node: 'speech_1', kind, outcome: 'cancelled', effect: 'none', ms: 0 }],
      },
    ].map((frame, i) => ({ ...frame, session: 's', seq: i + 1, at: 1_000 + i })) as unknown as readonly ServerFrame[];
  const fold = (frames: readonly ServerFrame[]) =>
    frames.reduce((snapshot, frame) => foldFrame(snapshot, frame, defaultViewLimits), emptySnapshot);

  test('has the speech of a turn, which outlives it', () => {
    const [snapshot, stopping, stopped] = [4, 5, 7].map((end) => fold(framesOf('speech').slice(0, end)));
    expect(snapshot?.turns[0]).toMatchObject({
      node: { state: 'settled' },
      speech: { id: 'speech_1', state: 'running' },
    });
    expect(stopping?.turns[0]?.speech).toMatchObject({ state: 'stopping' });
    expect(stopped?.turns[0]?.speech).toMatchObject({ state: 'settled', outcome: 'cancelled' });
    expect(nameOf(stopped ?? emptySnapshot, 'speech_1')).toBe('speech');
    expect([snapshot?.nodes, stopped?.nodes]).toEqual([[], []]);
  });

  test('of a version that does not know the kind leaves it out, and has the receipt', () => {
    const joined = {
      type: 'joined',
      session: 's',
      kind: 'voice',
      policy: 'owner',
      seq: 0,
      questions: [],
      blocks: [],
      nodes: [{ node: 'speech_1', kind: 'later', owner: 'ann', parent: null, name: null, state: 'running', since: 1 }],
    };
    const snapshot = fold([joined as unknown as ServerFrame, ...framesOf('later')]);
    expect(snapshot).toMatchObject({ nodes: [], turns: [{ node: { state: 'settled' } }], seq: 7 });
    expect(snapshot.receipts).toMatchObject([{ settled: [{ node: 'speech_1', outcome: 'cancelled' }] }]);
  });
});

test('what was heard is all there is of speech in the history', async () => {
  const { room } = await startSpeaking();
  await room.transcript('ann', 'stop');
  await room.say('ann', 'And now?');
  await room.harness.clock.advance(50);
  expect(room.ownWords).toEqual([`${heard}… [cut off here: nothing after this was heard]`]);
});
