// A call that asks twice: an answer to its first question is never taken for one to the second, over real sockets.
import { expect, test } from 'vitest';
import { openBelay, room, tokenOf } from '../support/belay.ts';
import { connectChecked } from '../support/checked-client.ts';
import { toolOf } from '../support/harness.ts';
import { expectSound, useEndpoint } from '../support/journey.ts';
import { startProxy } from '../support/proxy.ts';
import { type FrameRecorder, joinRoom, type Witness, watchRoom } from '../support/room-clients.ts';

const endpoint = useEndpoint();

const [single, folder] = ['Remove a.tmp?', 'Remove the whole folder?'] as const;
const bothDone = ['200 finished', '200 finished'];

/** A turn of ann's with a call that has asked its first question. */
async function askedOnce() {
  const removed: string[] = [];
  const remover = toolOf('remover', async (_, { requestApproval }) => {
    for (const text of [single, folder]) if (await requestApproval({ text })) removed.push(text);
    return removed.join() || 'nothing';
  });
  const belay = await openBelay(endpoint, { tools: [remover] });
  await endpoint.script([
    { when: { toolResult: true }, reply: { text: 'It is tidy.' } },
    { reply: { calls: [{ name: 'remover', arguments: {} }] } },
  ]);
  const witness = await watchRoom(belay);
  const ann = await watchRoom(belay, { speaker: 'ann' });
  ann.raw.send({ type: 'SAY', text: 'tidy up' });
  const { node, question } = await askedFor(ann, single);
  return { belay, witness, ann, removed, node, question };
}

const askedFor = (client: FrameRecorder, text: string) =>
  client.waitFor('approval_requested', (frame) => frame.text === text);

/** Resolves when the second question has been denied, and the turn has ended. */
async function denySecond(ann: Witness, node: string): Promise<void> {
  const { question } = await askedFor(ann, folder);
  ann.raw.send({ type: 'DENY', ref: 'no', target: node, question });
  await ann.waitFor('turn_ended');
}

test('a double click answers the first question: its second half is `expired`, the same tick or later [owner.ask.one]', async () => {
  const { belay, witness, ann, removed, node, question } = await askedOnce();
  for (const ref of ['a1', 'a2']) ann.raw.send({ type: 'APPROVE', ref, target: node, question });
  await askedFor(ann, folder);
  ann.raw.send({ type: 'APPROVE', ref: 'a3', target: node, question });
  for (const ref of ['a2', 'a3'])
    expect(await ann.waitFor('answer_refused', (frame) => frame.ref === ref)).toMatchObject({ code: 'expired' });
  await denySecond(ann, node);
  expect(removed).toEqual([single]);
  expect(witness.of('approval_closed')).toMatchObject([
    { question, answer: 'approved', ref: 'a1' },
    { answer: 'denied', ref: 'no' },
  ]);
  await expectSound(belay, { witness, before: bothDone });
});

test('a double click without an id, by hand and by the library, stays with the first question [owner.ask.one]', async () => {
  const { belay, witness, ann, removed, node } = await askedOnce();
  const { session, ...library } = await joinRoom(belay, 'ann', { after: 0 });
  expect(await session.approve(node)).toMatchObject({ answer: 'approved' });
  await askedFor(library, folder); // the library has received the second question when it is clicked again
  await expect(session.approve(node)).rejects.toMatchObject({ code: 'question_required' });
  ann.raw.send({ type: 'APPROVE', ref: 'a1', target: node });
  expect(await ann.waitFor('answer_refused')).toMatchObject({ ref: 'a1', code: 'question_required' });
  await denySecond(ann, node);
  expect(removed).toEqual([single]);
  await expectSound(belay, { witness, before: bothDone });
});

test('a yes that crosses that of a moderator does not count for the second question [owner.ask.one]', async () => {
  const { belay, witness, ann, removed, node, question } = await askedOnce();
  const moderator = await watchRoom(belay, { speaker: 'moderator' });
  moderator.raw.send({ type: 'APPROVE', ref: 'm1', target: node, question });
  ann.raw.send({ type: 'APPROVE', ref: 'a1', target: node, question });
  await askedFor(ann, folder);
  const { by } = await ann.waitFor('approval_closed');
  const [loser, ref] = by === 'ann' ? [moderator, 'm1'] : [ann, 'a1'];
  expect(await loser.waitFor('answer_refused')).toMatchObject({ ref, code: 'expired' });
  await denySecond(ann, node);
  expect(removed).toEqual([single]);
  await expectSound(belay, { witness, before: bothDone });
});

test('a yes that the library sends again after a break, when a moderator has answered, does not count for the second question [owner.ask.one] [ws.resume]', async () => {
  const { belay, witness, ann, removed, node, question } = await askedOnce();
  const proxy = await startProxy({ target: belay.url });
  const client = await connectChecked({ url: proxy.url, token: tokenOf('ann'), reconnect: { minMs: 1, maxMs: 5 } });
  const session = client.session(room);
  await session.joined;
  proxy.mute();
  const approved = session.approve(node, { question });
  approved.catch(() => {});
  const moderator = await watchRoom(belay, { speaker: 'moderator' });
  moderator.raw.send({ type: 'APPROVE', ref: 'm1', target: node, question });
  await askedFor(moderator, folder);
  proxy.cutAll();
  await expect(approved).rejects.toMatchObject({ code: 'expired' });
  await denySecond(ann, node);
  expect(removed).toEqual([single]);
  await client.close();
  await expectSound(belay, { witness, before: bothDone });
});
