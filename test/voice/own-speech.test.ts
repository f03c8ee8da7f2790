// Speakers without a bridge, who hear the bot at their own connection: they interrupt and report the speech of their own turns only, in text sessions and beside a bridge.
import { expect, test } from 'vitest';
import type { Caller } from '../../src/core/session/api.ts';
import type { BargeInReply, PlayedReply, PlayedRequest } from '../../src/core/session/voice-api.ts';
import { callerOf, type Harness, startHarness, textResponse } from '../support/harness.ts';
import { answer, heard, openVoiceRoom } from './voice-room.ts';

const voiceOf = ({ runtime }: Harness) => runtime.voice;

/** Runs the timers that are due now, and resolves with the reply of a command. */
async function settle<T>({ clock }: Harness, reply: Promise<T>): Promise<T> {
  await clock.advance(0);
  return reply;
}

const bargeIn = (harness: Harness, caller: Caller): Promise<BargeInReply> =>
  settle(harness, voiceOf(harness).bargeIn('s', caller, {}));

const played = (harness: Harness, caller: Caller, turn: string, more: Partial<PlayedRequest> = {}) =>
  settle<PlayedReply>(harness, voiceOf(harness).played('s', caller, { turn, index: 0, offset: 0, ...more }));

/** Says words by voice; resolves with the turn that they open. */
async function speak(harness: Harness, caller: Caller, text: string): Promise<string> {
  const reply = await settle(harness, voiceOf(harness).transcript('s', caller, { text, final: true }));
  if (reply.type !== 'turn_opened') throw new Error(`The reply was ${reply.type}.`);
  await harness.clock.advance(50);
  return reply.turn;
}

/** Starts a text session in which alice has asked by voice, and has heard the first sentence of the response. */
async function startTalking() {
  const harness = await startHarness({ respond: (_, n) => textResponse(n === 0 ? answer : 'ok') });
  const turn = await speak(harness, harness.alice, 'Tell me all four.');
  await played(harness, harness.alice, turn);
  await played(harness, harness.alice, turn, { offset: heard.length });
  return { harness, alice: harness.alice, turn };
}

const cutsOf = ({ recorder }: Harness) => recorder.of('speech_cut');

const assistantWords = ({ provider }: Harness) =>
  (provider.requests.at(-1)?.messages ?? []).filter(({ role }) => role === 'assistant').map(({ content }) => content);

test('a speaker in a text session interrupts the speech at their connection, and their words cut it where it was heard to [own.speech]', async () => {
  const { harness, alice, turn } = await startTalking();
  expect(await bargeIn(harness, alice)).toEqual({ type: 'barge_in', result: 'paused', turn });
  expect(harness.recorder.speech).toEqual([{ type: 'speech_stop', turn, why: 'barge_in', by: alice.speaker.id }]);
  await speak(harness, alice, 'Only the first, thanks');
  expect(cutsOf(harness)).toMatchObject([{ turn, why: 'barge_in', heard: [{ index: 0, offset: heard.length }] }]);
  expect(assistantWords(harness)).toEqual([`${heard}… [cut off here: nothing after this was heard]`]);
  expect(harness.recorder.of('session_opened')).toMatchObject([{ kind: 'text', policy: 'anyone' }]);
});

test('speech that was interrupted goes on after `falseInterruptionMs` without final words; partial words postpone that', async () => {
  const { harness, alice, turn } = await startTalking();
  await bargeIn(harness, alice);
  await harness.clock.advance(1_500);
  const partial = { text: 'well', final: false };
  expect(await settle(harness, voiceOf(harness).transcript('s', alice, partial))).toMatchObject({ reason: 'partial' });
  await harness.clock.advance(1_999);
  expect(harness.recorder.speech).toHaveLength(1);
  await harness.clock.advance(1);
  expect(harness.recorder.speech.at(-1)).toEqual({ type: 'speech_resume', turn });
});

test('the cut marks a position that is estimated, and not the measured one that replaces it', async () => {
  const { harness, alice, turn } = await startTalking();
  await played(harness, alice, turn, { offset: heard.length + 4, estimated: true });
  await bargeIn(harness, alice);
  await speak(harness, alice, 'Only the second one');
  expect(cutsOf(harness)).toMatchObject([{ heard: [{ index: 0, offset: heard.length + 4, estimated: true }] }]);
  await played(harness, alice, turn, { offset: heard.length + 8 });
  expect(cutsOf(harness).at(-1)?.heard).toEqual([{ index: 0, offset: heard.length + 8 }]);
});

test("a CANCEL silences the speaker's connection at once, and cuts the history; a turn that was not spoken is not cut", async () => {
  const { harness, alice, turn } = await startTalking();
  await harness.runtime.cancel('s', alice, { target: 'session' });
  await harness.clock.advance(50);
  expect(harness.recorder.speech).toMatchObject([{ type: 'speech_stop', turn, why: 'cancel' }]);
  expect(cutsOf(harness)).toMatchObject([{ turn, why: 'cancel', heard: [{ offset: heard.length }] }]);
  const typed = await harness.say('And in writing?');
  await harness.runtime.cancel('s', alice, { target: 'session' });
  await harness.clock.advance(50);
  expect(cutsOf(harness).filter((cut) => cut.turn === typed)).toEqual([]);
});

test('speech of another speaker, and speech at another connection, is refused as `not_yours` [own.speech]', async () => {
  const { harness, alice, turn } = await startTalking();
  const [bob, second] = [callerOf('bob'), { ...alice, connection: 'second' }];
  for (const caller of [bob, second]) {
    await harness.session.join(caller, { ...harness.recorder.listener, fact: () => {} }, null);
    expect(await played(harness, caller, turn, { offset: 40 })).toEqual({ type: 'not_yours' });
    expect(await bargeIn(harness, caller)).toEqual({ type: 'not_yours' });
  }
  await bargeIn(harness, alice);
  await speak(harness, alice, 'Only the first, thanks');
  expect(cutsOf(harness)).toMatchObject([{ heard: [{ offset: heard.length }] }]);
});

test('of two speakers who talk at their own connections, each interrupts only their own speech', async () => {
  const { harness, alice, turn } = await startTalking();
  const bob = callerOf('bob');
  await harness.session.join(bob, { ...harness.recorder.listener, fact: () => {}, speech: () => {} }, null);
  const bobsTurn = await speak(harness, bob, 'And for me?');
  await played(harness, bob, bobsTurn);
  expect(await bargeIn(harness, bob)).toMatchObject({ result: 'paused', turn: bobsTurn });
  expect(await bargeIn(harness, alice)).toMatchObject({ result: 'paused', turn });
  expect(harness.recorder.speech).toMatchObject([{ turn }]);
});

test('a speaker who comes back over a new connection continues the speech of the lost connection', async () => {
  const { harness, alice, turn } = await startTalking();
  await harness.session.leave(alice.connection, 'lost');
  const back = { ...alice, connection: 'back' };
  await harness.session.join(back, harness.recorder.listener, null);
  expect(await played(harness, back, turn, { offset: heard.length + 2 })).toMatchObject({ offset: heard.length + 2 });
  expect(await bargeIn(harness, back)).toMatchObject({ result: 'paused', turn });
});

test('a speaker beside a bridge can neither report nor interrupt what the bridge plays [own.speech]', async () => {
  const room = await openVoiceRoom({ respond: () => textResponse(answer) });
  const ann = callerOf('ann');
  await room.harness.session.join(ann, { ...room.harness.recorder.listener, fact: () => {} }, null);
  const turn = await room.say('ann', 'Tell me all four.');
  await room.harness.clock.advance(50);
  await room.played(turn, heard.length);
  expect(await played(room.harness, ann, turn, { offset: 40 })).toEqual({ type: 'not_yours' });
  expect(await bargeIn(room.harness, ann)).toEqual({ type: 'not_yours' });
});

test('a bridge in a text session is refused: it is `not_voice`', async () => {
  const harness = await startHarness();
  const bridge = callerOf('discord', ['bridge']);
  await harness.session.join(bridge, harness.recorder.listener, null);
  expect(await bargeIn(harness, bridge)).toEqual({ type: 'not_voice' });
  expect(await played(harness, bridge, 'turn_1')).toEqual({ type: 'not_voice' });
});

test('a barge-in while nothing is spoken interrupts nothing, and PLAYED of an unknown turn is refused', async () => {
  const harness = await startHarness();
  expect(await bargeIn(harness, harness.alice)).toEqual({ type: 'barge_in', result: 'nothing_spoken' });
  expect(await played(harness, harness.alice, 'turn_9')).toEqual({ type: 'unknown_target', target: 'turn_9' });
});

test('the speech of at most 32 connections that are gone is kept', async () => {
  const harness = await startHarness();
  const before = harness.runtime.sizes('s');
  for (let n = 0; n < 40; n++) {
    const guest = callerOf(`guest${n}`);
    await harness.session.join(guest, harness.recorder.listener, null);
    await bargeIn(harness, guest);
    await harness.session.leave(guest.connection, 'left');
  }
  const { ownSpeech = 0 } = harness.runtime.sizes('s');
  expect(before['ownSpeech']).toBe(0);
  expect(ownSpeech).toBeLessThanOrEqual(32);
});
