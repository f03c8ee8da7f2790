// Voice rooms over real sockets: a bridge sends transcripts of three speakers, and words stop what their speaker may stop.
import { afterAll, expect, test } from 'vitest';
import type { RawClient } from '../support/raw-client.ts';
import { until } from '../support/until.ts';
import { openSocketRoom, roomCount, type SocketRoom } from './room-on-sockets.ts';

afterAll(() => console.log(`standing voice: ${roomCount()} over sockets`));

let refs = 0;

/** Sends a frame with a ref of its own; returns the ref. */
function send(client: RawClient, frame: { readonly type: string; readonly [field: string]: unknown }): string {
  const ref = `v${++refs}`;
  client.send({ ref, ...frame });
  return ref;
}

const endOf = (client: RawClient, turn: string) => client.waitFor('turn_ended', { turn });

/** Words that the recognizer is sure of. */
const spoken = (as: string, text: string, more = {}) => ({
  type: 'TRANSCRIPT',
  as,
  text,
  final: true,
  confidence: 0.95,
  noSpeech: 0.01,
  ...more,
});

/** Ann asks for a search, bob for a build; carl is a friend of bob's, and zoe moderates. */
async function startVoice() {
  const room = await openSocketRoom({ kind: 'voice' });
  const bridge = await room.enter('discord');
  for (const as of ['ann', 'bob', 'carl', 'zoe']) {
    const ref = send(bridge, { type: 'SPEAKER', as, present: true, roles: as === 'zoe' ? ['moderator'] : ['member'] });
    await bridge.waitFor('speaker', { ref });
  }
  const search = await workOf(room, bridge, 'ann', 'search');
  return { room, bridge, search, build: await workOf(room, bridge, 'bob', 'build') };
}

async function workOf(room: SocketRoom, bridge: RawClient, as: string, words: string): Promise<string> {
  const ref = send(bridge, spoken(as, `work: ${words}`, { addressed: 1 }));
  const { turn } = await bridge.waitFor('turn_opened', { ref, owner: as, via: 'discord' });
  await until(() => room.running.includes(words), { what: `the call for ${words}` });
  return String(turn);
}

test('"oh stop" to a friend: nothing stops, and the model reads it [owner.voice] [intent.one]', async () => {
  const { room, bridge, search } = await startVoice();
  const ref = send(bridge, spoken('carl', 'Oh, stop!', { addressed: 0.1 }));
  const { turn } = await bridge.waitFor('turn_opened', { ref, owner: 'carl', text: 'Oh, stop!' });
  expect(await endOf(bridge, String(turn))).toMatchObject({ outcome: 'completed' });
  expect(room.running).toEqual(['build', 'search']);
  const [decision] = await room.decisions();
  expect(new Set(decision?.nodes.map(({ because }) => because))).toEqual(new Set(['words_not_addressed']));
  room.letGo();
  expect(await endOf(bridge, search)).toMatchObject({ outcome: 'completed' });
});

test('"hey belay, stop": what the speaker may stop stops [owner.voice] [intent.one]', async () => {
  const { room, bridge, search, build } = await startVoice();
  const ref = send(bridge, spoken('carl', 'Hey Belay, stop?'));
  expect(await bridge.waitFor('stop_phrase', { ref })).toBeTruthy();
  expect([await endOf(bridge, search), await endOf(bridge, build)]).toMatchObject([
    { outcome: 'cancelled' },
    { outcome: 'cancelled' },
  ]);
  expect(room.running).toEqual([]);
});

test.each(['Stop Belay, please.', 'No Belay stop', 'So, Belay, stop it now.'])(
  '"%s": a name in the middle of a stop phrase directs it at the bot [owner.voice] [owner.guard.words]',
  async (words) => {
    const { room, bridge, search, build } = await startVoice();
    const ref = send(bridge, spoken('carl', words));
    expect(await bridge.waitFor('stop_phrase', { ref })).toBeTruthy();
    expect([await endOf(bridge, search), await endOf(bridge, build)]).toMatchObject([
      { outcome: 'cancelled' },
      { outcome: 'cancelled' },
    ]);
    expect(room.running).toEqual([]);
  },
);

test('A says "nvm": A\'s work stops, and B\'s does not [owner.voice] [owner.node]', async () => {
  const { room, bridge, search, build } = await startVoice();
  const ref = send(bridge, spoken('ann', 'Never. Mind.'));
  await bridge.waitFor('stop_phrase', { ref });
  expect(await endOf(bridge, search)).toMatchObject({ outcome: 'cancelled' });
  expect(room.running).toEqual(['build']);
  room.letGo();
  expect(await endOf(bridge, build)).toMatchObject({ outcome: 'completed' });
});

test('a moderator stops all of it [owner.roles]', async () => {
  const { room, bridge, search, build } = await startVoice();
  send(bridge, spoken('zoe', 'Stop.'));
  expect([await endOf(bridge, search), await endOf(bridge, build)]).toMatchObject([
    { outcome: 'cancelled' },
    { outcome: 'cancelled' },
  ]);
  expect(room.running).toEqual([]);
});

test('a spoofed speaker stops nothing: only a bridge sends transcripts and sounds of others [owner.identity]', async () => {
  const { room } = await startVoice();
  const eve = await room.enter('eve');
  for (const frame of [
    spoken('ann', 'stop'),
    { type: 'TRANSCRIPT', text: 'stop', final: true, addressed: 1 },
    { type: 'TRANSCRIPT', text: 'stop', final: true, replyToBot: true },
    { type: 'BARGE_IN', as: 'ann' },
  ]) {
    const ref = send(eve, frame);
    expect(await eve.waitFor('error', { ref }), frame.type).toMatchObject({ code: 'as_not_allowed' });
  }
  expect(room.running).toEqual(['build', 'search']);
});

test('the bridge leaves in the middle of a stop: it settles, and the others receive the receipt [cancel.settled]', async () => {
  const { room, bridge, search } = await startVoice();
  const bob = await room.enter('bob');
  send(bridge, spoken('ann', 'stop'));
  bridge.socket.terminate();
  const settled = await bob.waitFor('cancel_settled');
  expect(settled['nodes']).toMatchObject([{ node: search, outcome: 'cancelled' }, { kind: 'tool-call' }]);
  expect(room.running).toEqual(['build']);
});

test('who says stop leaves the room in the middle of it: it settles, and the work of others runs on [cancel.settled]', async () => {
  const { room, bridge, search, build } = await startVoice();
  room.holdStops();
  const ref = send(bridge, spoken('ann', 'stop'));
  await bridge.waitFor('stop_phrase', { ref });
  await bridge.waitFor('speaker', { ref: send(bridge, { type: 'SPEAKER', as: 'ann', present: false }) });
  expect(room.running).toEqual(['build', 'search']); // its tool has not returned yet
  room.letGo('search');
  const { nodes } = await bridge.waitFor('cancel_settled');
  expect(nodes).toMatchObject([{ node: search, outcome: 'cancelled' }, { kind: 'tool-call' }]);
  expect(room.running).toEqual(['build']);
  const late = send(bridge, spoken('ann', 'stop'));
  await bridge.waitFor('turn_opened', { ref: late, owner: 'ann' });
  room.letGo();
  expect(await endOf(bridge, build)).toMatchObject({ outcome: 'completed' });
});

test('only final words above both gates stop: not partial, silent or unsure ones [intent.final]', async () => {
  const { room, bridge } = await startVoice();
  const partial = send(bridge, spoken('ann', 'stop', { final: false }));
  expect(await bridge.waitFor('transcript_ignored', { ref: partial })).toMatchObject({ reason: 'partial' });
  const silent = send(bridge, spoken('ann', 'stop', { noSpeech: 0.6 }));
  expect(await bridge.waitFor('transcript_ignored', { ref: silent })).toMatchObject({ reason: 'no_speech' });
  const unsure = send(bridge, spoken('ann', 'stop', { confidence: 0.49 }));
  expect(await bridge.waitFor('turn_opened', { ref: unsure })).toMatchObject({
    spoken: { confidence: 0.49, stopRefused: 'low_confidence' },
  });
  expect(room.running).toEqual(['build', 'search']);
});

test('a text session has no transcripts', async () => {
  const room = await openSocketRoom();
  const bridge = await room.enter('discord');
  const ref = send(bridge, spoken('ann', 'stop'));
  expect(await bridge.waitFor('error', { ref })).toMatchObject({ code: 'not_voice' });
});

test('a stop has a notice for a sound where the configuration asks for it; its standing is that of the stop [speech.stop-sound]', async () => {
  const room = await openSocketRoom({ kind: 'voice', voice: { stopSound: true } });
  const bridge = await room.enter('discord');
  expect((await bridge.waitFor('welcome'))['features']).toContain('stop_sound');
  expect((await bridge.waitFor('joined'))['voice']).toMatchObject({ stopSound: true });
  for (const as of ['ann', 'bob'])
    await bridge.waitFor('speaker', { ref: send(bridge, { type: 'SPEAKER', as, present: true }) });
  const { turn } = await bridge.waitFor('turn_opened', { ref: send(bridge, spoken('ann', 'How are you?')) });
  await endOf(bridge, String(turn));
  await bridge.waitFor('played', { ref: send(bridge, { type: 'PLAYED', turn, index: 0, offset: 0 }) });
  await bridge.waitFor('cancel_refused', { ref: send(bridge, { type: 'CANCEL', as: 'bob', target: String(turn) }) });
  send(bridge, spoken('ann', 'stop'));
  const { cancel } = await bridge.waitFor('cancel_settled');
  expect(bridge.frames.filter(({ type }) => type === 'stop_sound')).toMatchObject([{ cancel, by: 'ann' }]);
});

test('an answer to a second speaker waits before its first text; a CANCEL reaches it, and the next one is played when the floor is free [speech.floor]', async () => {
  const room = await openSocketRoom({ kind: 'voice' });
  const bridge = await room.enter('discord');
  expect((await bridge.waitFor('welcome'))['features']).toContain('speech_queue');
  for (const as of ['ann', 'bob'])
    await bridge.waitFor('speaker', { ref: send(bridge, { type: 'SPEAKER', as, present: true }) });
  const ask = async (as: string) => {
    const { turn } = await bridge.waitFor('turn_opened', { ref: send(bridge, spoken(as, 'How are you?')) });
    await endOf(bridge, String(turn));
    return String(turn);
  };
  const played = (turn: string, offset: number) =>
    bridge.waitFor('played', { ref: send(bridge, { type: 'PLAYED', turn, index: 0, offset }) });
  const first = await ask('ann');
  await played(first, 0);
  const second = await ask('bob');
  const { speech } = await bridge.waitFor('speech_queued', { turn: second });
  const about = bridge.frames.filter(({ type, turn }) => turn === second && /^(speech_wait|text_delta)$/.test(type));
  expect(about.map(({ type }) => type)).toEqual(['speech_wait', 'text_delta']);
  send(bridge, { type: 'CANCEL', as: 'bob', target: second });
  const { nodes } = await bridge.waitFor('cancel_settled');
  expect(nodes).toMatchObject([{ node: speech, kind: 'speech', outcome: 'cancelled', effect: 'not_started' }]);
  const third = await ask('bob');
  await played(first, 'ok'.length);
  await bridge.waitFor('speech_started', { turn: third });
  const notices = bridge.frames.filter(({ type }) => /^speech_(wait|start|stop)$/.test(type));
  expect(notices.map(({ type, turn }) => [type, turn])).toEqual([
    ['speech_wait', second],
    ['speech_stop', second],
    ['speech_wait', third],
    ['speech_start', third],
  ]);
});
