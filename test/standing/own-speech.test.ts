// Talking without a bridge, over real sockets: each speaker for their own words and the speech at their own connection, in text sessions too.
import { expect, onTestFinished, test } from 'vitest';
import { connect } from '../../src/client/client.ts';
import type { RawClient } from '../support/raw-client.ts';
import { until } from '../support/until.ts';
import { openSocketRoom, roomId, roomTokenOf, type SocketRoom } from './room-on-sockets.ts';

let refs = 0;

/** Sends a frame with a ref of its own; returns the ref. */
function send(client: RawClient, frame: { readonly type: string; readonly [field: string]: unknown }): string {
  const ref = `own${++refs}`;
  client.send({ ref, ...frame });
  return ref;
}

const spoken = (text: string, more = {}) => ({ type: 'TRANSCRIPT', text, final: true, ...more });

/** Asks something by voice, whose answer is `ok`; resolves with the turn when it has ended. */
async function ask(client: RawClient, text = 'Is it done?'): Promise<string> {
  const ref = send(client, spoken(text));
  const { turn } = await client.waitFor('turn_opened', { ref });
  await client.waitFor('turn_ended', { turn });
  return String(turn);
}

const playedOf = (turn: string, offset: number) => ({ type: 'PLAYED', turn, index: 0, offset });

async function startTalking(room: SocketRoom) {
  const [ann, bob] = [await room.enter('ann'), await room.enter('bob')];
  const turn = await ask(ann);
  await ann.waitFor('played', { ref: send(ann, playedOf(turn, 1)), offset: 1 });
  return { ann, bob, turn };
}

test('words, sounds and reports of a speaker without a bridge count in a text session [own.speech]', async () => {
  const room = await openSocketRoom();
  const { ann, bob, turn } = await startTalking(room);
  const ref = send(ann, { type: 'BARGE_IN' });
  expect(await ann.waitFor('barge_in', { ref })).toMatchObject({ result: 'paused', turn });
  await ann.waitFor('speech_stop', { turn, why: 'barge_in', by: 'ann' });
  await ask(ann, 'And the rest?');
  const cut = await bob.waitFor('speech_cut', { turn });
  expect(cut).toMatchObject({ why: 'barge_in', by: 'ann', heard: [{ index: 0, offset: 1 }] });
  expect(bob.all('speech_stop')).toEqual([]); // it is not played there
  expect(ann.all('joined')).toMatchObject([{ kind: 'text', policy: 'anyone' }]);
});

test('a spoken stop phrase is a CANCEL, with the punctuation of a recognizer, if it is sure of the words [own.speech] [intent.one]', async () => {
  const room = await openSocketRoom({ policy: 'owner' });
  const [ann, bob] = [await room.enter('ann'), await room.enter('bob')];
  const search = await room.work(ann, 'search');
  await room.work(bob, 'build');
  await ann.waitFor('turn_opened', { ref: send(ann, spoken('Stop.', { confidence: 0.2 })) });
  expect(room.running).toEqual(['build', 'search']);
  await ann.waitFor('stop_phrase', { ref: send(ann, spoken('Stop.', { confidence: 0.9 })) });
  expect(await ann.waitFor('turn_ended', { turn: search })).toMatchObject({ outcome: 'cancelled' });
  expect(room.running).toEqual(['build']); // the policy stays
});

test('the speech of another speaker, and of another connection, is not yours [own.speech]', async () => {
  const room = await openSocketRoom();
  const { ann, bob, turn } = await startTalking(room);
  const second = await room.enter('ann');
  for (const client of [bob, second]) {
    const played = send(client, playedOf(turn, 2));
    expect(await client.waitFor('error', { ref: played })).toMatchObject({ code: 'not_yours', field: 'turn' });
    const sound = send(client, { type: 'BARGE_IN' });
    expect(await client.waitFor('error', { ref: sound })).toMatchObject({ code: 'not_yours' });
  }
  expect(ann.all('speech_stop')).toEqual([]);
  ann.socket.terminate();
  await until(async () => {
    const ref = send(second, playedOf(turn, 2));
    return (await until(() => second.frames.find((frame) => frame['ref'] === ref), { what: ref })).type === 'played';
  });
});

test('without the role `bridge` nobody speaks for others, and says how surely words are for the bot [own.speech] [owner.identity]', async () => {
  const room = await openSocketRoom();
  const eve = await room.enter('eve');
  for (const [field, frame] of [
    ['as', spoken('stop', { as: 'ann' })],
    ['as', { type: 'BARGE_IN', as: 'ann' }],
    ['addressed', spoken('stop', { addressed: 1 })],
    ['replyToBot', spoken('stop', { replyToBot: true })],
  ] as const)
    expect(await eve.waitFor('error', { ref: send(eve, frame) })).toMatchObject({ code: 'as_not_allowed', field });
});

test('the client package sends them; to a gateway that does not know them it rejects with `NotSupported`', async () => {
  const room = await openSocketRoom();
  const client = await connect({ url: room.url, token: roomTokenOf('ann') });
  onTestFinished(() => client.close());
  expect(client.features).toContain('own_speech');
  const session = client.session(roomId);
  expect(await session.bargeIn()).toMatchObject({ result: 'nothing_spoken' });
  const opened = await session.transcript('Is it done?', { final: true, confidence: 0.9 });
  const turn = opened.type === 'turn_opened' ? opened.turn : '';
  expect(await session.transcript('and', { final: false })).toMatchObject({ type: 'transcript_ignored' });
  const played = { turn, index: 0, offset: 1, estimated: true };
  await until(async () => (await session.played(played)).type === 'played');
});
