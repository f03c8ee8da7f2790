// Races of a CANCEL with a completion, a start, its own copies, and a SAY in the same tick. docs/protocol.md has the rules.
import { describe, expect, test } from 'vitest';
import { living, newToken, programs } from '../adapters/processes/processes.ts';
import { openBelay } from '../support/belay.ts';
import { holdAppend } from '../support/held-log.ts';
import {
  expectSound,
  requestEnds,
  shellCall,
  toolMessages,
  untilAllEnded,
  untilHanging,
  untilRunning,
  useEndpoint,
} from '../support/journey.ts';
import { joinRoom, type RoomClient, type Witness, watchRoom } from '../support/room-clients.ts';

const endpoint = useEndpoint();

/** Returns the position of the first frame of that type and turn; fails where there is none. */
function indexOf(client: RoomClient | Witness, type: string, turn: string | null): number {
  const index = client.frames.findIndex((frame) => frame.type === type && 'turn' in frame && frame.turn === turn);
  expect(index, `${type} of ${turn}`).toBeGreaterThanOrEqual(0);
  return index;
}

describe('a CANCEL that crosses completion', () => {
  test('wherever in a turn it arrives, reply, receipt and history agree [cancel.exact] [cancel.boundaries] [cancel.fence]', async () => {
    const belay = await openBelay(endpoint);
    await endpoint.script([
      { when: { toolResult: true }, reply: { text: 'It is done, all of it.', pace: { chunkChars: 8 } } },
      {
        reply: { text: 'I look.', calls: [shellCall('echo looked'), { name: 'list_files', arguments: { path: '.' } }] },
      },
    ]);
    const [ann, witness] = [await joinRoom(belay, 'ann'), await watchRoom(belay)];
    const answers = new Set<string>();
    for (let eventCount = 0, isLong = true; isLong; eventCount++) {
      const turn = ann.session.say(`words ${eventCount}`);
      let count = 0;
      let cancel = eventCount === 0 ? turn.cancel() : null;
      for await (const _ of turn) if (++count === eventCount) cancel = turn.cancel();
      isLong = cancel !== null;
      if (!cancel) break; // the turn has fewer events than that
      const answer = await cancel.accepted;
      answers.add(answer.type);
      const settled = await cancel.settled;
      const ended = await turn.ended;
      await untilAllEnded(belay);
      const requests = (await endpoint.requests()).length;
      if (answer.type === 'cancel_accepted') {
        expect(ended.outcome, `after ${eventCount} events`).toBe('cancelled');
        expect(settled?.nodes.find(({ node }) => node === turn.id)?.outcome).toBe('cancelled');
      } else {
        expect(answer.type).toBe('already_settled');
        expect(ended.outcome).toBe('completed');
      }
      expect(ann.of('turn_ended').filter(({ turn: id }) => id === turn.id)).toHaveLength(1);
      expect((await endpoint.requests()).length, 'no request follows').toBe(requests);
    }
    expect([...answers].toSorted()).toEqual(['already_settled', 'cancel_accepted']);
    await expectSound(belay, { witness, before: requestEnds(await endpoint.requests()) });
    expect(requestEnds(await endpoint.requests()).filter((end) => end.startsWith('400'))).toEqual([]);
  });

  test('a CANCEL of a settled turn does not stop the next one [cancel.exact]', async () => {
    const belay = await openBelay(endpoint);
    await endpoint.script([{ times: 1, reply: { text: 'One.' } }, { reply: { text: 'Two', end: 'hang' } }]);
    const [ann, witness] = [await joinRoom(belay, 'ann'), await watchRoom(belay)];
    const first = ann.session.say('one');
    await first.ended;
    const second = ann.session.say('two');
    await untilHanging(belay, 2);
    expect(await first.cancel().accepted).toMatchObject({ type: 'already_settled', receipt: null });
    expect(await ann.session.cancel('turn_nowhere').accepted).toMatchObject({ type: 'unknown_target' });
    await endpoint.release();
    expect(await second.ended).toMatchObject({ outcome: 'completed' });
    await expectSound(belay, { witness, before: ['200 finished', '200 finished'] });
  });
});

describe('a CANCEL that comes before the start', () => {
  test('of a SAY that has not arrived: the SAY and its repeats are refused [cancel.latch]', async () => {
    const belay = await openBelay(endpoint);
    await endpoint.script([{ reply: { text: 'Hello.' } }]);
    const witness = await watchRoom(belay);
    const { raw } = await watchRoom(belay, { speaker: 'ann' });
    raw.send({ type: 'CANCEL', ref: 'c1', target: 'say:s1' });
    raw.send({ type: 'SAY', ref: 's1', text: 'words' });
    expect(await raw.waitFor('unknown_target', { ref: 'c1' })).toMatchObject({ target: 'say:s1' });
    expect(await raw.waitFor('say_refused', { ref: 's1' })).toMatchObject({ code: 'cancelled_before_start' });
    raw.send({ type: 'SAY', ref: 's1', text: 'words' }); // the same ref: it is the same SAY
    raw.send({ type: 'SAY', ref: 's2', text: 'other words' });
    expect(await raw.waitFor('turn_opened', { ref: 's2' })).toMatchObject({ text: 'other words' });
    expect(raw.frames.filter(({ type }) => type === 'say_refused')).toHaveLength(2);
    await raw.waitFor('turn_ended');
    expect(await endpoint.requests()).toHaveLength(1);
    await expectSound(belay, { witness, before: ['200 finished'] });
  });

  test('of a SAY whose turn has no known id: the turn is stopped, and a queued one never starts [cancel.latch] [ladder.turn.queued]', async () => {
    const belay = await openBelay(endpoint);
    await endpoint.script([{ reply: { text: 'I speak', end: 'hang' } }]);
    const [ann, witness] = [await joinRoom(belay, 'ann'), await watchRoom(belay)];
    const first = ann.session.say('first');
    await untilHanging(belay);
    const second = ann.session.say('second');
    const cancel = second.cancel(); // in the same tick: by say:<ref>
    expect(second.id).toBeNull();
    expect(await cancel.accepted).toMatchObject({ type: 'cancel_accepted' });
    expect((await cancel.settled)?.nodes).toMatchObject([{ outcome: 'cancelled', effect: 'not_started' }]);
    const third = ann.session.say('third');
    const cancelOfThird = third.cancel();
    await first.cancel().settled;
    expect(await third.ended).toMatchObject({ outcome: 'cancelled', effect: 'not_started' });
    expect(await cancelOfThird.accepted).toMatchObject({ type: 'cancel_accepted' });
    await expectSound(belay, { witness, before: ['200 closed_by_client'] });
  });
});

test('six copies of one CANCEL, from two speakers: there is one receipt, and each copy gets it [cancel.idempotent] [cancel.settled]', async () => {
  const token = newToken();
  const belay = await openBelay(endpoint);
  await endpoint.script([{ reply: { calls: [shellCall(`sh ${programs}/polite.sh ${token}`)] } }]);
  const witness = await watchRoom(belay);
  const [ann, bob] = [await watchRoom(belay, { speaker: 'ann' }), await watchRoom(belay, { speaker: 'bob' })];
  ann.raw.send({ type: 'SAY', ref: 's1', text: 'words' });
  await untilRunning(token);
  await ann.waitFor('tool_output');
  const [opened] = ann.of('turn_opened');
  for (const ref of ['c1', 'c1', 'c2', 'c3']) ann.raw.send({ type: 'CANCEL', ref, target: opened?.turn });
  for (const ref of ['b1', 'b2']) bob.raw.send({ type: 'CANCEL', ref, target: opened?.turn });
  for (const [client, refs] of [
    [ann, ['c1', 'c2', 'c3']],
    [bob, ['b1', 'b2']],
  ] as const) {
    for (const ref of refs) {
      const accepted = await client.waitFor('cancel_accepted', (frame) => frame.ref === ref);
      const settled = await client.waitFor('cancel_settled', (frame) => frame.ref === ref);
      expect(settled.cancel).toBe(accepted.cancel);
    }
  }
  const receipts = new Set([...ann.of('cancel_accepted'), ...bob.of('cancel_accepted')].map(({ cancel }) => cancel));
  expect(receipts.size).toBe(1);
  expect(ann.of('cancel_accepted').filter(({ ref }) => ref === 'c1')).toMatchObject([{}, { repeated: true }]);
  expect(living(token)).toEqual([]);
  await expectSound(belay, { witness, before: ['200 finished'] });
  expect(witness.of('cancel_accepted').map(({ ref }) => ref)).toEqual(['c1']);
  expect(witness.of('cancel_settled').map(({ ref }) => ref)).toEqual(['c1']);
  // long after it has settled: its ref gets the same receipt
  ann.raw.send({ type: 'CANCEL', ref: 'c1', target: opened?.turn });
  await ann.waitFor('cancel_settled', ({ repeated, ref }) => ref === 'c1' && repeated === true);
});

describe('a CANCEL, and the next SAY in the same tick', () => {
  test('while a shell runs: the next turn starts after the exit of the shell, and its request is accepted [cancel.settled] [history.paired] [cancel.latch]', async () => {
    const token = newToken();
    const belay = await openBelay(endpoint);
    await endpoint.script([
      { when: { user: 'something else' }, reply: { text: 'Something else.' } },
      {
        reply: {
          text: 'I run.',
          calls: [shellCall(`sh ${programs}/ignores-term.sh ${token}`), shellCall('echo never', belay.folder.a)],
        },
      },
    ]);
    const [ann, witness] = [await joinRoom(belay, 'ann'), await watchRoom(belay)];
    const turn = ann.session.say('words');
    await untilRunning(token);
    await ann.waitFor('tool_output');
    const cancel = turn.cancel();
    const next = ann.session.say('something else');
    await next.opened; // accepted at once
    expect(ann.of('turn_ended')).toEqual([]);
    expect(await next.ended).toMatchObject({ outcome: 'completed' });
    expect(living(token)).toEqual([]);
    await cancel.settled;
    expect(indexOf(ann, 'turn_ended', turn.id)).toBeLessThan(indexOf(ann, 'turn_started', next.id));
    expect(toolMessages((await endpoint.requests())[1])).toEqual([
      expect.stringContaining('"status":"cancelled"'),
      expect.stringContaining('"status":"interrupted_before_start"'),
    ]);
    await expectSound(belay, { witness, before: ['200 finished', '200 finished'] });
  });

  test('while the model streams a whole call and a half one: in the next request calls and results pair [cancel.settled] [history.paired]', async () => {
    const belay = await openBelay(endpoint);
    await endpoint.script([
      { when: { user: 'something else' }, reply: { text: 'Something else.' } },
      {
        reply: { text: 'I will', calls: [shellCall('echo one'), shellCall('echo two')], half: shellCall('echo three') },
      },
    ]);
    const [ann, witness] = [await joinRoom(belay, 'ann'), await watchRoom(belay)];
    const turn = ann.session.say('words');
    await untilHanging(belay);
    await ann.waitFor('text_delta');
    void turn.cancel();
    const next = ann.session.say('something else');
    expect(await next.ended).toMatchObject({ outcome: 'completed' });
    expect(indexOf(ann, 'turn_ended', turn.id)).toBeLessThan(indexOf(ann, 'text_delta', next.id));
    await expectSound(belay, { witness, before: ['200 closed_by_client', '200 finished'] });
  });

  test('while its calls are being written [cancel.settled] [history.paired] [ladder.turn.dispatching]', async () => {
    const hold = holdAppend((types) => types.includes('tool_call'));
    const belay = await openBelay(endpoint, { wrap: hold.wrap });
    await endpoint.script([
      { when: { user: 'something else' }, reply: { text: 'Something else.' } },
      { reply: { calls: [shellCall('echo one'), shellCall('echo two')] } },
    ]);
    const [ann, witness] = [await joinRoom(belay, 'ann'), await watchRoom(belay)];
    const turn = ann.session.say('words');
    await hold.reached;
    const cancel = turn.cancel();
    const next = ann.session.say('something else');
    await cancel.accepted;
    hold.release();
    expect(await next.ended).toMatchObject({ outcome: 'completed' });
    expect(ann.of('tool_result').map(({ effect }) => effect)).toEqual(['not_started', 'not_started']);
    await expectSound(belay, { witness, before: ['200 finished', '200 finished'] });
  });
});

test('a next SAY without a CANCEL waits in its lane until the turn ends; a turn of another lane runs meanwhile [cancel.settled]', async () => {
  const belay = await openBelay(endpoint);
  await endpoint.script([
    { when: { user: 'by bob' }, reply: { text: 'To bob.' } },
    { when: { user: 'second' }, reply: { text: 'The second answer.', pace: { chunkChars: 4 } } },
    { reply: { text: 'The first answer, slowly.', pace: { chunkChars: 4, chunksPerSecond: 50 }, end: 'hang' } },
  ]);
  const [ann, bob, witness] = [await joinRoom(belay, 'ann'), await joinRoom(belay, 'bob'), await watchRoom(belay)];
  const first = ann.session.say('first');
  const second = ann.session.say('second');
  await untilHanging(belay);
  expect(await bob.session.say('by bob').ended).toMatchObject({ outcome: 'completed' });
  await endpoint.release();
  expect(await second.ended).toMatchObject({ outcome: 'completed' });
  const voices = ann.of('text_delta').map(({ turn }) => turn);
  expect(voices.lastIndexOf(first.id ?? '')).toBeLessThan(voices.indexOf(second.id ?? ''));
  expect(indexOf(ann, 'turn_ended', first.id)).toBeLessThan(indexOf(ann, 'turn_started', second.id));
  const [one, , three] = await expectSound(belay, { witness, before: Array.from({ length: 3 }, () => '200 finished') });
  expect(three?.at ?? 0).toBeGreaterThanOrEqual(one?.ended?.at ?? Number.POSITIVE_INFINITY);
});
