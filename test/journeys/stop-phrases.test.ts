// Stop phrases over the wire: typed words stop turns, tools and their processes; other words are messages.
import { expect, test } from 'vitest';
import { TakenAsCancel } from '../../src/client/errors.ts';
import { living, newToken } from '../adapters/processes/processes.ts';
import { openBelay, room } from '../support/belay.ts';
import { expectSound, shellCall, untilRunning, useEndpoint } from '../support/journey.ts';
import { joinRoom, watchRoom } from '../support/room-clients.ts';

const endpoint = useEndpoint();

/** A turn of ann's that runs a command until it is stopped; bob is in the room. */
async function busy(policy: 'anyone' | 'owner' = 'anyone') {
  const token = newToken();
  const belay = await openBelay(endpoint, { policy });
  await endpoint.script([
    { when: { user: 'stop the music' }, reply: { text: 'There is no music.' } },
    { when: { user: 'stop' }, reply: { text: 'That is not for you to stop.' } },
    { reply: { calls: [shellCall(`true ${token}; sleep 60`, belay.folder.a)] } },
  ]);
  const [ann, bob, witness] = [await joinRoom(belay, 'ann'), await joinRoom(belay, 'bob'), await watchRoom(belay)];
  const turn = ann.session.say('words');
  await untilRunning(token);
  return { belay, ann, bob, witness, turn, token };
}

test('"ok, stop it" stops the turn, its tool and the process, and opens no turn [cancel.sources.phrase] [intent.target]', async () => {
  const { belay, ann, bob, witness, turn, token } = await busy();
  const said = bob.session.say('ok, STOP it!');
  const refusal = await said.opened.catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(TakenAsCancel);
  const accepted = await ann.waitFor('cancel_accepted');
  expect(refusal).toMatchObject({ cancel: accepted.cancel });
  expect(accepted).toMatchObject({ source: 'phrase', by: 'bob', ref: said.ref, reason: 'ok, STOP it!', refused: [] });
  expect(await bob.waitFor('stop_phrase')).toEqual({
    type: 'stop_phrase',
    session: room,
    ref: said.ref,
    cancel: accepted.cancel,
  });
  expect(await turn.ended).toMatchObject({ outcome: 'cancelled' });
  const settled = await ann.waitFor('cancel_settled');
  expect(settled).toMatchObject({ cancel: accepted.cancel, cause: { source: 'phrase', by: 'bob' } });
  expect(living(token)).toEqual([]);
  expect(ann.of('turn_opened')).toHaveLength(1);
  await expectSound(belay, { witness, before: ['200 finished'] });
});

test('"stop the music" waits for the turn, like any message [intent.strict]', async () => {
  const { belay, ann, bob, witness, turn, token } = await busy();
  const other = bob.session.say('stop the music');
  expect(await other.reply()).toBe('There is no music.'); // in a lane of its own
  expect(living(token)).not.toEqual([]);
  const queued = ann.session.say('please do not stop');
  await queued.opened;
  expect(await ann.session.say('nvm').opened.catch((error: unknown) => error)).toBeInstanceOf(TakenAsCancel);
  expect([(await turn.ended).outcome, (await queued.ended).outcome]).toEqual(['cancelled', 'cancelled']);
  expect(living(token)).toEqual([]);
  await expectSound(belay, { witness, before: ['200 finished', '200 finished'] });
});

test('under the policy `owner` a stop of somebody else is a message, and the owner stops it [intent.target] [owner.node]', async () => {
  const { belay, ann, bob, witness, turn, token } = await busy('owner');
  expect(await bob.session.say('stop').reply()).toBe('That is not for you to stop.');
  expect(living(token)).not.toEqual([]);
  ann.session.say('no, stop');
  expect(await turn.ended).toMatchObject({ outcome: 'cancelled' });
  expect(ann.of('cancel_accepted')).toMatchObject([{ by: 'ann', source: 'phrase' }]);
  expect(living(token)).toEqual([]);
  await expectSound(belay, { witness, before: ['200 finished', '200 finished'] });
});

test('the same SAY sent again is the same stop, over another connection too [cancel.idempotent.ref]', async () => {
  const { belay, witness, turn, token } = await busy();
  const raw = witness.raw;
  raw.send({ type: 'SAY', ref: 'p1', session: room, text: 'cancel that' });
  const first = await raw.waitFor('stop_phrase', { ref: 'p1' });
  await turn.ended;
  expect(living(token)).toEqual([]);
  const { raw: second } = await watchRoom(belay);
  second.send({ type: 'SAY', ref: 'p1', session: room, text: 'cancel that' });
  expect(await second.waitFor('stop_phrase', { ref: 'p1' })).toEqual({ ...first, repeated: true });
  expect(witness.of('cancel_accepted')).toHaveLength(1);
  expect(witness.of('turn_opened')).toHaveLength(1);
});
