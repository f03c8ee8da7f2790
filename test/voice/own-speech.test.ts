// Speakers without a bridge who hear the bot at their own connection, in text sessions and beside a bridge: their own words, and only their own speech.
import { expect, test } from 'vitest';
import type { Caller } from '../../src/core/session/api.ts';
import type { BargeInReply, PlayedReply, PlayedRequest } from '../../src/core/session/voice-api.ts';
import { callerOf, type Harness, startHarness, textResponse } from '../support/harness.ts';
import { answer, heard, openVoiceRoom } from './voice-room.ts';

const voiceOf = ({ runtime }: Harness) => runtime.voice;

/** Waits in virtual time until the command has its reply. */
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

/** A text session in which alice has asked by voice, and has heard the first sentence of the answer. */
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

test('a speaker interrupts what is spoken at the own connection of a text session; words cut it at what was heard [own.speech]', async () => {
  const { harness, alice, turn } = await startTalking();
  expect(await bargeIn(harness, alice)).toEqual({ type: 'barge_in', result: 'paused', turn });
  expect(harness.recorder.speech).toEqual([{ type: 'speech_stop', turn, why: 'barge_in', by: alice.speaker.id }]);
  await speak(harness, alice, 'Only the first, thanks');
  expect(cutsOf(harness)).toMatchObject([{ turn, why: 'barge_in', heard: [{ index: 0, offset: heard.length }] }]);
  expect(assistantWords(harness)).toEqual([`${heard}… [cut off here: nothing after this was heard]`]);
  expect(harness.recorder.of('session_opened')).toMatchObject([{ kind: 'text', policy: 'anyone' }]);
});

test('without final words it goes on after `falseInterruptionMs`; partial ones postpone that', async () => {
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

test('an estimated position is marked in the cut, and a measured one after it is not', async () => {
  const { harness, alice, turn } = await startTalking();
  await played(harness, alice, turn, { offset: heard.length + 4, estimated: true });
  await bargeIn(harness, alice);
  await speak(harness, alice, 'Only the second one');
  expect(cutsOf(harness)).toMatchObject([{ heard: [{ index: 0, offset: heard.length + 4, estimated: true }] }]);
  await played(harness, alice, turn, { offset: heard.length + 8 });
  expect(cutsOf(harness).at(-1)?.heard).toEqual([{ index: 0, offset: heard.length + 8 }]);
});

test("a CANCEL silences the speaker's connection at once, and cuts the history; what is only read is never cut", async () => {
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

test('the turn of another, and one that is played at another connection, are not yours [own.speech]', async () => {
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

test('two who talk at their own connections pause each for themselves', async () => {
  const { harness, alice, turn } = await startTalking();
  const bob = callerOf('bob');
  await harness.session.join(bob, { ...harness.recorder.listener, fact: () => {}, speech: () => {} }, null);
  const his = await speak(harness, bob, 'And for me?');
  await played(harness, bob, his);
  expect(await bargeIn(harness, bob)).toMatchObject({ result: 'paused', turn: his });
  expect(await bargeIn(harness, alice)).toMatchObject({ result: 'paused', turn });
  expect(harness.recorder.speech.map((change) => change.turn)).toEqual([turn]);
});

test('a speaker who comes back over a new connection goes on with the speech of the lost one', async () => {
  const { harness, alice, turn } = await startTalking();
  await harness.session.leave(alice.connection, 'lost');
  const back = { ...alice, connection: 'back' };
  await harness.session.join(back, harness.recorder.listener, null);
  expect(await played(harness, back, turn, { offset: heard.length + 2 })).toMatchObject({ offset: heard.length + 2 });
  expect(await bargeIn(harness, back)).toMatchObject({ result: 'paused', turn });
});

test('beside a bridge a speaker reports nothing of what the bridge plays, and interrupts nothing of it [own.speech]', async () => {
  const room = await openVoiceRoom({ respond: () => textResponse(answer) });
  const ann = callerOf('ann');
  await room.harness.session.join(ann, { ...room.harness.recorder.listener, fact: () => {} }, null);
  const turn = await room.say('ann', 'Tell me all four.');
  await room.harness.clock.advance(50);
  await room.played(turn, heard.length);
  expect(await played(room.harness, ann, turn, { offset: 40 })).toEqual({ type: 'not_yours' });
  expect(await bargeIn(room.harness, ann)).toEqual({ type: 'not_yours' });
});

test('a bridge has no speech in a text session', async () => {
  const harness = await startHarness();
  const bridge = callerOf('discord', ['bridge']);
  await harness.session.join(bridge, harness.recorder.listener, null);
  expect(await bargeIn(harness, bridge)).toEqual({ type: 'not_voice' });
  expect(await played(harness, bridge, 'turn_1')).toEqual({ type: 'not_voice' });
});

test('nothing is spoken: a barge-in interrupts nothing, and a turn that nobody knows is unknown', async () => {
  const harness = await startHarness();
  expect(await bargeIn(harness, harness.alice)).toEqual({ type: 'barge_in', result: 'nothing_spoken' });
  expect(await played(harness, harness.alice, 'turn_9')).toEqual({ type: 'unknown_target', target: 'turn_9' });
});

test('the speeches of connections that are gone are bounded', async () => {
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
