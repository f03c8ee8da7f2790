// The same ref with other content, over real sockets: it is refused, and neither words nor stops get a reply that is not theirs.
import { expect, test } from 'vitest';
import { newWorkspace, openBelay } from '../support/belay.ts';
import { expectSound, untilHanging, useEndpoint } from '../support/journey.ts';
import { watchRoom } from '../support/room-clients.ts';

const endpoint = useEndpoint();

test('words under a used ref are refused, not swallowed: under a new one they open a turn [cancel.idempotent.ref]', async () => {
  const belay = await openBelay(endpoint);
  await endpoint.script([{ reply: { text: 'Yes.' } }]);
  const witness = await watchRoom(belay);
  const { raw } = await watchRoom(belay, { speaker: 'ann' });
  raw.send({ type: 'SAY', ref: 's1', text: 'one' });
  raw.send({ type: 'SAY', ref: 's1', text: 'two' });
  expect(await raw.waitFor('error', { ref: 's1' })).toMatchObject({ code: 'ref_reused', field: 'ref' });
  raw.send({ type: 'SAY', ref: 's2', text: 'two' });
  expect(await raw.waitFor('turn_opened', { ref: 's2' })).toMatchObject({ text: 'two' });
  // bob's ref is his own
  const bob = await watchRoom(belay, { speaker: 'bob' });
  bob.raw.send({ type: 'SAY', ref: 's1', text: 'three' });
  expect(await bob.raw.waitFor('turn_opened', { ref: 's1', owner: 'bob' })).toMatchObject({ text: 'three' });
  await witness.waitFor('turn_ended', ({ turn }) => turn === bob.of('turn_opened').at(-1)?.turn);
  expect(witness.of('turn_opened').map(({ text }) => text)).toEqual(['one', 'two', 'three']);
  await expectSound(belay, { witness, before: Array.from({ length: 3 }, () => '200 finished') });
});

test('a CANCEL under a used ref gets no receipt of another target [cancel.idempotent.ref] [cancel.exact]', async () => {
  const belay = await openBelay(endpoint);
  await endpoint.script([
    { when: { user: 'one' }, reply: { text: 'I speak', end: 'hang' } },
    { reply: { text: 'Two.' } },
  ]);
  const witness = await watchRoom(belay);
  const { raw } = await watchRoom(belay, { speaker: 'ann' });
  raw.send({ type: 'SAY', ref: 's1', text: 'one' });
  await untilHanging(belay);
  const one = (await raw.waitFor('turn_opened', { ref: 's1' }))['turn'];
  raw.send({ type: 'CANCEL', ref: 'c1', target: one });
  await raw.waitFor('cancel_settled', { ref: 'c1' });
  raw.send({ type: 'SAY', ref: 's2', text: 'two' });
  const two = (await raw.waitFor('turn_opened', { ref: 's2' }))['turn'];
  await raw.waitFor('turn_ended', { turn: two });
  const others = [two, 'mine', 'turn_nowhere'];
  for (const target of others) raw.send({ type: 'CANCEL', ref: 'c1', target });
  raw.send({ type: 'CANCEL', ref: 's2', target: two }); // the ref of a SAY
  raw.send({ type: 'CANCEL', ref: 'c2', target: two });
  expect(await raw.waitFor('already_settled', { ref: 'c2' })).toMatchObject({ target: two, receipt: null });
  expect(raw.all('error').map(({ ref, code }) => [ref, code])).toEqual([
    ...others.map(() => ['c1', 'ref_reused']),
    ['s2', 'ref_reused'],
  ]);
  expect(raw.all('cancel_settled')).toHaveLength(1);
  await expectSound(belay, { witness, before: ['200 closed_by_client', '200 finished'] });
});

test('without a ref nothing is a repeat, and the replies bear none [cancel.idempotent.ref]', async () => {
  const belay = await openBelay(endpoint);
  await endpoint.script([{ reply: { text: 'Yes.' } }]);
  const witness = await watchRoom(belay);
  const ann = await watchRoom(belay, { speaker: 'ann' });
  for (let i = 0; i < 2; i++) ann.raw.send({ type: 'SAY', text: 'the same words' });
  await witness.waitFor('turn_ended', ({ turn }) => turn === witness.of('turn_opened')[1]?.turn);
  expect(witness.of('turn_opened').map(({ ref }) => ref)).toEqual([null, null]);
  ann.raw.send({ type: 'CANCEL', target: 'mine' });
  ann.raw.send({ type: 'CANCEL', target: 'turn_nowhere' });
  for (const reply of [await ann.waitFor('already_settled'), await ann.waitFor('unknown_target')])
    expect(reply).not.toHaveProperty('ref');
  await expectSound(belay, { witness, before: ['200 finished', '200 finished'] });
});

test('a ref is known after a restart of the gateway [cancel.idempotent.ref]', async () => {
  const workspace = newWorkspace();
  const before = await openBelay(endpoint, { workspace });
  await endpoint.script([{ reply: { text: 'Yes.' } }]);
  const first = await watchRoom(before, { speaker: 'ann' });
  first.raw.send({ type: 'SAY', ref: 's1', text: 'one' });
  const { turn } = await first.waitFor('turn_ended');
  first.raw.send({ type: 'CANCEL', ref: 'c1', target: 'mine' });
  await first.waitFor('already_settled');
  await before.close();

  const belay = await openBelay(endpoint, { workspace });
  const witness = await watchRoom(belay);
  const { raw } = await watchRoom(belay, { speaker: 'ann' });
  raw.send({ type: 'SAY', ref: 's1', text: 'one' });
  const again = await raw.waitFor('turn_opened', { repeated: true });
  expect(again).toMatchObject({ turn, ref: 's1' });
  expect([again['seq'], again['at']]).toEqual([undefined, undefined]);
  for (const frame of [
    { type: 'SAY', ref: 's1', text: 'two' },
    { type: 'CANCEL', ref: 'c1', target: 'session' },
  ]) {
    raw.send(frame);
    expect(await raw.waitFor('error', { ref: frame.ref })).toMatchObject({ code: 'ref_reused' });
  }
  await expectSound(belay, { witness, before: ['200 finished'] });
});
