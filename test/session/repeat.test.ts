// A SAY that comes again under its ref, from a client that does not know whether it was heard: the same turn.
import { describe, expect, test } from 'vitest';
import { createWorld, hear, memberOf } from '../support/world.ts';

describe('a SAY again under its ref', () => {
  const said = { text: 'words', ref: 's1' };

  test('is answered with the turn that it has opened, on whatever connection [ws.resume]', async () => {
    const world = await createWorld();
    const turn = await world.say('words', world.alice, 's1');
    const elsewhere = { ...world.alice, connection: 'another' };
    await world.session.join(elsewhere, hear().listener, null);
    const again = world.session.say(elsewhere, said);
    await world.clock.advance(0);
    expect(await again).toMatchObject({ type: 'turn_opened', turn, repeated: { turn, text: 'words', ref: 's1' } });
    expect(world.heard.of('turn_opened')).toHaveLength(1);
    const cancel = world.session.cancel(elsewhere, { target: 'say:s1' });
    await world.clock.advance(0);
    expect(await cancel).toMatchObject({ type: 'cancel_accepted', receipt: { stopping: [turn] } });
  });

  test('in the same tick opens one turn', async () => {
    const world = await createWorld();
    const answers = Promise.all([world.session.say(world.alice, said), world.session.say(world.alice, said)]);
    const cancel = world.session.cancel(world.alice, { target: 'say:s1' });
    await world.clock.advance(0);
    const [one, two] = await answers;
    expect(one.type === 'turn_opened' && two.type === 'turn_opened' && one.turn === two.turn).toBe(true);
    expect(await cancel).toMatchObject({ type: 'cancel_accepted' });
    expect(world.heard.of('turn_opened')).toHaveLength(1);
  });

  test('is refused as often as it comes, where its CANCEL came first [cancel.latch]', async () => {
    const world = await createWorld();
    expect(await world.cancel({ target: 'say:s1' })).toMatchObject({ type: 'unknown_target' });
    for (let times = 0; times < 3; times++)
      await expect(world.say('words', world.alice, 's1')).rejects.toThrow('refused');
    expect(world.heard.of('turn_opened')).toEqual([]);
    await world.clock.advance(60_000);
    await world.say('words', world.alice, 's1'); // long ago
  });

  test('is remembered over a restart; of another speaker it is another', async () => {
    const first = await createWorld();
    const turn = await first.say('words', first.alice, 's1');
    await first.clock.advance(5_000);
    const closing = first.runtime.close();
    await first.clock.advance(5_000);
    await closing;
    const next = await createWorld({ log: first.log, life: 2 });
    expect(await next.say('words', next.alice, 's1')).toBe(turn);
    expect(await next.say('words', memberOf('bob'), 's1')).not.toBe(turn);
  });
});
