// Standing over the wire: two speakers with their own tokens, and a turn with running shells of both.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { living, newToken } from '../adapters/processes/processes.ts';
import { type OpenBelay, openBelay, room } from '../support/belay.ts';
import { expectSound, shellCall, toolMessages, untilRunning, useEndpoint } from '../support/journey.ts';
import { joinRoom, watchRoom } from '../support/room-clients.ts';

const endpoint = useEndpoint();

/** Runs until the file `go` is in its folder. */
const waits = (token: string) => `true ${token}; until test -e go; do sleep 0.02; done; echo whole`;
const letGo = (folder: string) => writeFileSync(join(folder, 'go'), '');

/** A turn of ann's that runs a shell of hers in folder a and one of bob's in folder b. */
async function shared(policy: 'anyone' | 'owner' = 'owner') {
  const [hers, his] = [newToken(), newToken()];
  const belay = await openBelay(endpoint, {
    policy,
    ownerOfCall: (call) => (call.arguments.includes(his) ? 'bob' : call.turnOwner),
  });
  const { a, b } = belay.folder;
  await endpoint.script([
    { when: { toolResult: true }, reply: { text: 'Both are done.' } },
    { when: { user: 'meanwhile' }, reply: { text: 'Meanwhile.' } },
    { reply: { calls: [shellCall(waits(hers), a), shellCall(waits(his), b)] } },
  ]);
  const [ann, bob, witness] = [await joinRoom(belay, 'ann'), await joinRoom(belay, 'bob'), await watchRoom(belay)];
  const turn = ann.session.say('words');
  await Promise.all([untilRunning(hers), untilRunning(his)]);
  await Promise.all([ann, bob].map((client) => client.waitFor('tool_started', client.ofCallWith(his))));
  return { belay, ann, bob, witness, turn, hers, his, id: { hers: ann.callWith(hers), his: ann.callWith(his) } };
}

const bothDone = ['200 finished', '200 finished'];

describe('under the policy `owner`', () => {
  test("B's CANCEL of A's node is refused with the reason, both receive the refusal, and the node runs on [owner.node] [owner.guard]", async () => {
    const { belay, ann, bob, witness, turn, hers, id } = await shared();
    expect(await bob.session.cancel(id.hers).accepted).toMatchObject({
      type: 'cancel_refused',
      by: 'bob',
      refused: [{ node: id.hers, reason: 'not_owner' }],
    });
    expect(await ann.waitFor('cancel_refused')).toMatchObject({ by: 'bob', target: id.hers });
    expect(living(hers)).not.toEqual([]);
    letGo(belay.folder.a);
    letGo(belay.folder.b);
    expect(await turn.ended).toMatchObject({ outcome: 'completed' });
    await expectSound(belay, { witness, before: bothDone });
  });

  test("A's CANCEL spares B's call, which runs on and is reported [owner.node] [history.words] [cancel.settled]", async () => {
    const { belay, ann, bob, witness, turn, hers, his, id } = await shared();
    const cancel = turn.cancel();
    const accepted = { stopping: [turn.id, id.hers], refused: [{ node: id.his, reason: 'not_owner' }] };
    expect(await cancel.accepted).toMatchObject(accepted);
    expect(await bob.waitFor('cancel_accepted')).toMatchObject(accepted);
    expect((await cancel.settled)?.nodes.map(({ node }) => node)).toEqual(accepted.stopping);
    expect([living(hers).length, living(his).length > 0]).toEqual([0, true]);
    const results = Object.fromEntries(ann.of('tool_result').map(({ node, outcome }) => [node, outcome]));
    expect(results).toEqual({ [id.hers]: 'cancelled', [id.his]: 'continues' });
    expect(await turn.ended).toMatchObject({ outcome: 'cancelled', effect: 'unknown' });

    // her lane is free while his call runs, and the model reads of it
    expect(await ann.session.say('and meanwhile').ended).toMatchObject({ outcome: 'completed' });
    const lastRequest = (await endpoint.requests()).at(-1);
    expect(toolMessages(lastRequest)[1]).toContain('it is still running. It belongs to bob');
    letGo(belay.folder.b);
    for (const client of [ann, bob]) {
      expect(await client.waitFor('late_result')).toMatchObject({ node: id.his, outcome: 'completed', effect: 'done' });
    }
    await expectSound(belay, { witness, before: bothDone });
  });

  test("B stops his call inside A's running turn, which goes on [owner.node] [cancel.tool] [cancel.exact]", async () => {
    const { belay, bob, ann, witness, turn, hers, his, id } = await shared();
    const cancel = bob.session.cancel('mine');
    expect(await cancel.accepted).toMatchObject({ by: 'bob', stopping: [id.his], refused: [] });
    await cancel.settled;
    expect([living(his).length, living(hers).length > 0]).toEqual([0, true]);
    letGo(belay.folder.a);
    expect(await turn.ended).toMatchObject({ outcome: 'completed' });
    const results = Object.fromEntries(ann.of('tool_result').map(({ node, outcome }) => [node, outcome]));
    expect(results).toEqual({ [id.hers]: 'completed', [id.his]: 'cancelled' });
    await expectSound(belay, { witness, before: bothDone });
  });

  test('each speaker stops their own part of a turn: a node that one plan refused is stopped by the next one [owner.node] [cancel.idempotent]', async () => {
    const { belay, ann, bob, witness, turn, hers, his, id } = await shared();
    const first = bob.session.cancel(turn.id ?? '');
    expect(await first.accepted).toMatchObject({ stopping: [id.his], refused: [{ node: turn.id }, { node: id.hers }] });
    await first.settled;
    const second = ann.session.cancel('session');
    expect(await second.accepted).toMatchObject({ stopping: [turn.id, id.hers], refused: [] });
    await second.settled;
    expect([...living(hers), ...living(his)]).toEqual([]);
    await expectSound(belay, { witness, before: ['200 finished'] });
  });

  test('a moderator may stop all of it [owner.guard]', async () => {
    const { belay, witness, turn, hers, his, id } = await shared();
    const moderator = await joinRoom(belay, 'moderator');
    const cancel = moderator.session.cancel('session');
    expect(await cancel.accepted).toMatchObject({ stopping: [turn.id, id.hers, id.his], refused: [] });
    await cancel.settled;
    expect([...living(hers), ...living(his)]).toEqual([]);
    await expectSound(belay, { witness, before: ['200 finished'] });
  });
});

test('under the policy `anyone` B stops everything that A has started [owner.text]', async () => {
  const { belay, bob, witness, turn, hers, his, id } = await shared('anyone');
  const cancel = bob.session.cancel(turn.id ?? '');
  expect(await cancel.accepted).toMatchObject({ by: 'bob', stopping: [turn.id, id.hers, id.his], refused: [] });
  await cancel.settled;
  expect([...living(hers), ...living(his)]).toEqual([]);
  await expectSound(belay, { witness, before: ['200 finished'] });
});

describe('who speaks', () => {
  test('the speaker comes from the connection: a frame that claims an owner stops nothing [owner.identity]', async () => {
    const { belay, ann, witness, turn, hers } = await shared();
    const { raw } = await watchRoom(belay, { speaker: 'bob' });
    const claims = [{ as: 'ann' }, { by: 'ann' }, { owner: 'ann' }, { speaker: { id: 'ann', roles: ['moderator'] } }];
    for (const [i, claim] of claims.entries()) {
      raw.send({ type: 'CANCEL', ref: `c${i}`, session: room, target: turn.id, ...claim });
      const code = 'as' in claim ? 'as_not_allowed' : 'unknown_field';
      expect(await raw.waitFor('error', { ref: `c${i}` })).toMatchObject({ code });
    }
    expect(living(hers)).not.toEqual([]);
    expect(witness.of('cancel_accepted')).toEqual([]);
    await stopAll(belay);
    expect(await turn.ended).toMatchObject({ outcome: 'cancelled' });
    expect(ann.of('cancel_accepted')).toHaveLength(1);
    await expectSound(belay, { witness, before: ['200 finished'] });
  });

  test('a CANCEL that a bridge relays has the standing of the speaker that it names, not of the bridge [owner.identity]', async () => {
    const belay = await openBelay(endpoint, { policy: 'owner' });
    await endpoint.script([{ reply: { text: 'I am speaking', end: 'hang' } }]);
    const [bridge, witness] = [await joinRoom(belay, 'bridge'), await watchRoom(belay)];
    const turn = bridge.session.say('words', { as: 'ann' });
    await bridge.waitFor('text_delta');
    expect(bridge.of('turn_opened')).toMatchObject([{ owner: 'ann', lane: 'ann' }]);
    expect(await bridge.session.cancel(turn.id ?? '', { as: 'bob' }).accepted).toMatchObject({
      type: 'cancel_refused',
      by: 'bob',
    });
    await turn.cancel({ as: 'ann' }).settled;
    expect(await turn.ended).toMatchObject({ outcome: 'cancelled' });
    await expectSound(belay, { witness, before: ['200 closed_by_client'] });
  });
});

async function stopAll(belay: OpenBelay): Promise<void> {
  const moderator = await joinRoom(belay, 'moderator');
  await moderator.session.cancel('session').settled;
}
