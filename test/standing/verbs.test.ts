// Every verb in a room of three with different standing, and somebody who is not in it: by each door the same answer, and the same effect.
import { describe, expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { httpDoor, libraryDoor, runtimeDoor, socketDoor } from './doors.ts';
import { type DoorName, effectOf, effects, openRoomOfThree, people, verbTable } from './verb-table.ts';

const doors = { socket: socketDoor, HTTP: httpDoor, library: libraryDoor, runtime: runtimeDoor };

const rows = verbTable.flatMap((row) =>
  (row.doors ?? (Object.keys(doors) as DoorName[])).map((door) => ({ ...row, door })),
);

describe.each(rows)('$verb by $door $keeps', ({ door, turn: state, command, answers, stopsTurn }) => {
  test.each(people)('of %s', async (who) => {
    const { room, ann } = await openRoomOfThree();
    const through = doors[door](room);
    const work = await through.work('ann', 'search');
    if (state === 'stopped') {
      ann.send({ type: 'CANCEL', ref: 'stop-it', target: work.turn });
      await ann.waitFor('cancel_settled', { ref: 'stop-it' });
    }
    const earlier = (await room.facts()).length;
    const answer = await through.ask(who, command(work, who), 'the-verb');
    const effect = await effectOf(room, work, who, earlier);
    expect(effects.includes(effect) ? effect : answer).toBe(answers[who]);
    expect(answer).toBe(answers[who] === 'resumed' ? 'opened' : answers[who]);
    if (state === 'stopped') return;
    if (effect === 'stopped') await until(() => room.running.length === 0, { what: 'the end of the call' });
    else expect(room.running).toEqual(['search']);
    room.letGo();
    const endOf = async () =>
      (await room.facts()).find((fact) => fact.type === 'turn_ended' && fact.turn === work.turn);
    expect(await until(endOf)).toMatchObject({
      outcome: stopsTurn && effect === 'stopped' ? 'cancelled' : 'completed',
    });
    await room.decisions();
  });
});
