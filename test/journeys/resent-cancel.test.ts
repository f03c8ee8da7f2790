// A CANCEL that comes again, over real sockets: it stops no turn that was opened since, unless its sender had said it.
import { describe, expect, test } from 'vitest';
import { openBelay, room, tokenOf } from '../support/belay.ts';
import { connectChecked } from '../support/checked-client.ts';
import { expectSound, untilHanging, useEndpoint } from '../support/journey.ts';
import { startProxy } from '../support/proxy.ts';
import { type Witness, watchRoom } from '../support/room-clients.ts';

const endpoint = useEndpoint();

const finished = ['200 finished', '200 finished'];

/** A gateway whose model completes one turn at once, and hangs in all others. */
async function open() {
  const belay = await openBelay(endpoint);
  await endpoint.script([{ times: 1, reply: { text: 'One.' } }, { reply: { text: 'Two', end: 'hang' } }]);
  return { belay, witness: await watchRoom(belay) };
}

/** The same with the library behind a proxy, when its first turn has ended. */
async function openBehindProxy() {
  const { belay, witness } = await open();
  const proxy = await startProxy({ target: belay.url });
  const client = await connectChecked({ url: proxy.url, token: tokenOf('ann'), reconnect: { minMs: 1, maxMs: 5 } });
  const session = client.session(room);
  await session.say('one').ended;
  return { belay, witness, proxy, client, session };
}

/** The id of the turn that these words have opened. */
const turnOf = async (witness: Witness, words: string) =>
  (await witness.waitFor('turn_opened', ({ text }) => text === words)).turn;

describe.each(['mine', 'session'])('a CANCEL of `%s` just after the end of a turn', (target) => {
  test('a SAY, and a line that breaks before the replies: over the next one the new turn runs on [cancel.idempotent.resent]', async () => {
    const { belay, witness, proxy, client, session } = await openBehindProxy();
    proxy.muteGateway();
    const cancel = session.cancel(target);
    const second = session.say('two');
    const turn = await turnOf(witness, 'two'); // both have arrived, and their replies get lost
    await untilHanging(belay, 2);
    proxy.cutAll();
    expect(await cancel.accepted).toMatchObject({ type: 'already_settled', running: [turn] });
    expect(witness.of('cancel_accepted')).toEqual([]);
    await endpoint.release();
    expect(await second.ended).toMatchObject({ outcome: 'completed' });
    await client.close();
    await expectSound(belay, { witness, before: finished });
  });

  test('that was lost with the line, and a turn that another client has opened meanwhile: it runs on [cancel.idempotent.resent]', async () => {
    const { belay, witness, proxy, client, session } = await openBehindProxy();
    proxy.mute();
    const cancel = session.cancel(target);
    const other = await watchRoom(belay, { speaker: 'ann' });
    other.raw.send({ type: 'SAY', text: 'two' });
    const turn = await turnOf(witness, 'two');
    await untilHanging(belay, 2);
    proxy.cutAll();
    expect(await cancel.accepted).toMatchObject({ type: 'already_settled', running: [turn] });
    await endpoint.release();
    expect(await witness.waitFor('turn_ended', (frame) => frame.turn === turn)).toMatchObject({ outcome: 'completed' });
    await client.close();
    await expectSound(belay, { witness, before: finished });
  });

  test('a late copy by hand, over the same line and over another, stops nothing [cancel.idempotent.resent] [cancel.exact]', async () => {
    const { belay, witness } = await open();
    const ann = await watchRoom(belay, { speaker: 'ann' });
    const { raw } = ann;
    raw.send({ type: 'SAY', text: 'one' });
    await raw.waitFor('turn_ended');
    const cancel = { type: 'CANCEL', ref: 'c1', target };
    raw.send(cancel);
    expect(await raw.waitFor('already_settled')).toMatchObject({ ref: 'c1', receipt: null });
    raw.send({ type: 'SAY', text: 'two' });
    const turn = await turnOf(witness, 'two');
    await untilHanging(belay, 2);
    const another = await watchRoom(belay, { speaker: 'ann' });
    for (const line of [ann, another]) {
      line.raw.send(cancel);
      const reply = await line.waitFor('already_settled', ({ running }) => running !== undefined);
      expect(reply).toMatchObject({ ref: 'c1', receipt: null, running: [turn] });
    }
    await endpoint.release();
    expect(await witness.waitFor('turn_ended', (frame) => frame.turn === turn)).toMatchObject({ outcome: 'completed' });
    await expectSound(belay, { witness, before: finished });
  });
});

test('a CANCEL behind a SAY without a reply stops its turn, although both had to come again [cancel.idempotent.resent] [cancel.latch]', async () => {
  const { belay, witness, proxy, client, session } = await openBehindProxy();
  proxy.muteGateway();
  const second = session.say('two');
  const turn = await turnOf(witness, 'two');
  await untilHanging(belay, 2);
  proxy.mute(); // the CANCEL does not arrive before the break
  const cancel = session.cancel('mine');
  proxy.cutAll();
  expect(await cancel.accepted).toMatchObject({ type: 'cancel_accepted', stopping: [turn] });
  expect(await second.ended).toMatchObject({ outcome: 'cancelled' });
  await client.close();
  await expectSound(belay, { witness, before: ['200 finished', '200 closed_by_client'] });
});

test('a late copy of a CANCEL that has stopped something gets its receipt, with what runs on [cancel.idempotent.resent]', async () => {
  const belay = await openBelay(endpoint);
  await endpoint.script([{ reply: { text: 'I speak', end: 'hang' } }]);
  const witness = await watchRoom(belay);
  const { raw } = await watchRoom(belay, { speaker: 'ann' });
  raw.send({ type: 'SAY', text: 'one' });
  await untilHanging(belay);
  const cancel = { type: 'CANCEL', ref: 'c1', target: 'mine' };
  raw.send(cancel);
  const { cancel: receipt } = await raw.waitFor('cancel_settled');
  raw.send({ type: 'SAY', text: 'two' });
  const turn = await turnOf(witness, 'two');
  await untilHanging(belay, 2);
  raw.send(cancel);
  expect(await raw.waitFor('cancel_accepted', { repeated: true })).toMatchObject({ cancel: receipt, running: [turn] });
  const settled = await raw.waitFor('cancel_settled', { repeated: true });
  expect(settled).toMatchObject({ cancel: receipt, ref: 'c1' });
  expect([settled['seq'], settled['at']]).toEqual([undefined, undefined]);
  await endpoint.release();
  expect(await witness.waitFor('turn_ended', (frame) => frame.turn === turn)).toMatchObject({ outcome: 'completed' });
  await expectSound(belay, { witness, before: ['200 closed_by_client', '200 finished'] });
});
