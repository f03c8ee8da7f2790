// Clients that reconnect or join late: no fact is missing or repeated, and text continues at its offset.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ServerFrame } from '../../src/wire/server-frames.ts';
import { newToken, programs } from '../adapters/processes/processes.ts';
import { openBelay } from '../support/belay.ts';
import { expectSound, shellCall, untilHanging, untilRunning, useEndpoint } from '../support/journey.ts';
import { factsOf, joinRoom, type Witness, watchRoom } from '../support/room-clients.ts';
import { until } from '../support/until.ts';

const endpoint = useEndpoint();
const story = Array.from({ length: 60 }, (_, i) => `sentence ${i}. `).join('');

/** The text blocks of a client, by the rules of docs/protocol.md. Fails at a gap or a repetition. */
function createScreen() {
  const blocks = new Map<string, string>();
  const over: string[] = [];
  return {
    over,
    held: () => [...blocks.values()].join(''),
    take(frame: ServerFrame): void {
      if (frame.type === 'joined') {
        blocks.clear();
        for (const { turn, index, text } of frame.blocks) blocks.set(`${turn}/${index}`, text);
      }
      if (frame.type === 'text_delta') {
        const at = `${frame.turn}/${frame.index}`;
        const text = blocks.get(at) ?? '';
        expect(frame.offset, 'the offset of the delta').toBe(text.length);
        blocks.set(at, text + frame.text);
      }
      if (frame.type === 'model_ended') {
        const held = blocks.get(`${frame.turn}/${frame.index}`);
        if (held !== undefined) expect(held).toBe(frame.text);
        blocks.delete(`${frame.turn}/${frame.index}`);
        over.push(frame.text);
      }
    },
  };
}

test('a client that loses its socket many times in a turn receives every fact once [ws.resume]', async () => {
  const belay = await openBelay(endpoint);
  const pace = { chunkChars: 8, chunksPerSecond: 150 };
  await endpoint.script([
    { when: { toolResult: true }, reply: { text: story, pace } },
    {
      reply: {
        text: story.slice(0, 400),
        calls: [shellCall('for i in 1 2 3 4 5; do echo $i; sleep 0.05; done')],
        pace,
      },
    },
  ]);
  const witness = await watchRoom(belay);
  const ann = await joinRoom(belay, 'ann');
  const screen = createScreen();
  const all: ServerFrame[] = [];
  let visits = 0;
  const visit = async (): Promise<Witness> => {
    visits++;
    return watchRoom(belay, { speaker: 'ann', after: factsOf(all).at(-1)?.seq ?? 0 });
  };
  void ann.session.say('words');
  for (let isOver = false; !isOver; ) {
    const { raw, frames } = await visit();
    const enough = 6 + visits;
    await until(() => frames.length >= enough || frames.some(({ type }) => type === 'turn_ended'));
    raw.socket.terminate();
    await raw.closed();
    for (const frame of frames) screen.take(frame);
    all.push(...frames);
    isOver = frames.some(({ type }) => type === 'turn_ended');
  }
  expect(visits).toBeGreaterThan(4);
  await witness.waitFor('turn_ended');
  expect(factsOf(all)).toEqual(factsOf(witness.frames));
  expect(screen.over).toEqual([story.slice(0, 400), story]);
  await expectSound(belay, { witness, before: ['200 finished', '200 finished'] });
});

test('a client that joins in mid-stream gets the text so far, then the deltas [ws.resume]', async () => {
  const belay = await openBelay(endpoint);
  await endpoint.script([{ reply: { text: story, pace: { chunkChars: 8, chunksPerSecond: 150 } } }]);
  const [ann, witness] = [await joinRoom(belay, 'ann'), await watchRoom(belay)];
  const turn = ann.session.say('words');
  await until(() => (ann.session.blocks[0]?.text.length ?? 0) > 100);
  const lateClient = await watchRoom(belay, { speaker: 'bob' });
  const client = await joinRoom(belay, 'bob');
  const [joined] = lateClient.of('joined');
  expect(joined?.nodes).toMatchObject([{ node: turn.id, kind: 'turn', owner: 'ann', state: 'running' }]);
  expect(joined?.blocks).toMatchObject([{ turn: turn.id, index: 0, offset: 0 }]);
  expect(story.startsWith(joined?.blocks[0]?.text ?? 'nothing')).toBe(true);
  expect(client.session.blocks[0]?.text.length).toBeGreaterThan(100);
  await lateClient.waitFor('turn_ended');
  const screen = createScreen();
  for (const frame of lateClient.frames) screen.take(frame);
  expect(screen.over).toEqual([story]);
  await expectSound(belay, { witness, before: ['200 finished'] });
});

test('a client that joins during a stop receives its receipt [ws.resume] [cancel.settled]', async () => {
  const token = newToken();
  const limits = { toolCancelMs: 25_000, shutdownMs: 40_000, forceCancelMs: 5_000 };
  const belay = await openBelay(endpoint, { termGraceMs: 20_000, limits }); // the stop lasts until it is forced
  await endpoint.script([{ reply: { calls: [shellCall(`sh ${join(programs, 'ignores-term.sh')} ${token}`)] } }]);
  const [ann, witness] = [await joinRoom(belay, 'ann'), await watchRoom(belay)];
  const turn = ann.session.say('words');
  await untilRunning(token);
  await ann.waitFor('tool_output');
  const cancel = turn.cancel();
  await cancel.accepted;
  const lateClient = await joinRoom(belay, 'bob');
  expect((await lateClient.session.joined).nodes.map(({ state }) => state)).toEqual(['stopping', 'stopping']);
  void turn.cancel({ force: true });
  expect(await lateClient.waitFor('cancel_settled')).toEqual(await cancel.settled);
  expect(factsOf(lateClient.frames).map(({ type }) => type)).toEqual(['tool_result', 'turn_ended', 'cancel_settled']);
  await expectSound(belay, { witness, before: ['200 finished'] });
});

test('a client that is cut off in mid-stream affects neither its turn nor other clients [ws.resume] [ws.limits]', async () => {
  const belay = await openBelay(endpoint);
  await endpoint.script([{ reply: { text: 'I go on without a listener', end: 'hang' } }]);
  const [bob, witness] = [await joinRoom(belay, 'bob'), await watchRoom(belay)];
  const ann = await watchRoom(belay, { speaker: 'ann' });
  ann.raw.send({ type: 'SAY', ref: 's1', text: 'words' });
  await untilHanging(belay);
  await ann.waitFor('text_delta');
  ann.raw.socket.terminate();
  await until(() => belay.gateway.size === 2);
  await endpoint.release();
  expect(await bob.waitFor('turn_ended')).toMatchObject({ outcome: 'completed' });
  await expectSound(belay, { witness, before: ['200 finished'] });
});
