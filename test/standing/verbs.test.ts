// Every verb in a room of three with different standing, and somebody who is not in it: by each door the same answer, and the same effect.
import { describe, expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { httpDoor, libraryDoor, runtimeDoor, socketDoor } from './doors.ts';
import { type DoorName, effectOf, openRoomOfThree, roomSpeakers, verbEffects, verbTable } from './verb-table.ts';

const doors = { socket: socketDoor, HTTP: httpDoor, library: libraryDoor, runtime: runtimeDoor };

const rows = verbTable.flatMap((row) =>
  (row.doors ?? (Object.keys(doors) as DoorName[])).map((door) => ({ ...row, door })),
);

describe.each(rows)('$verb by $door $keeps', ({ door, turn: state, command, answers, stopsTurn }) => {
  test.each(roomSpeakers)('of %s', async (who) => {
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
    expect(verbEffects.includes(effect) ? effect : answer).toBe(answers[who]);
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

describe('cancel_call by runtime [tool.cancel]', () => {
  const sentences: Readonly<Record<string, string>> = { ann: 'is being stopped', bob: 'is no call', mo: 'is no call' };

  test.each(roomSpeakers)('in a turn of %s', async (who) => {
    const { room } = await openRoomOfThree({ whileRunning: 'parallel' });
    const through = runtimeDoor(room);
    const work = await through.work('ann', 'search');
    const factsOf = async (turn: string) => (await room.facts()).filter((fact) => 'turn' in fact && fact.turn === turn);
    const call = (await factsOf(work.turn)).find((fact) => fact.type === 'tool_call')?.node ?? '';
    const answer = await through.ask(who, { type: 'SAY', text: `stop the call ${call}` }, 'the-verb');
    expect(answer).toBe(who === 'eve' ? 'access_denied' : 'opened');
    if (who !== 'eve') {
      const opened = (await room.facts()).find((fact) => fact.type === 'turn_opened' && fact.ref === 'the-verb');
      const own = opened?.type === 'turn_opened' ? opened.turn : '';
      const facts = await until(async () => {
        const found = await factsOf(own);
        return found.some(({ type }) => type === 'turn_ended') && found;
      });
      const outputs = facts.flatMap((fact) => (fact.type === 'tool_result' ? [fact.output] : []));
      expect(outputs).toEqual([expect.stringContaining(sentences[who] ?? '')]);
    }
    const receipts = (await room.facts()).filter((fact) => fact.type === 'cancel_accepted');
    if (who === 'ann') {
      // whatever roles its speaker has, a model stops the work of that speaker alone
      expect(receipts).toMatchObject([{ source: 'model', by: 'ann', stopping: [call] }]);
      await until(() => room.running.length === 0, { what: 'the end of the call' });
    } else {
      expect(receipts).toEqual([]);
      expect(room.running).toEqual(['search']);
    }
    room.letGo();
    const endOf = async () => (await factsOf(work.turn)).find((fact) => fact.type === 'turn_ended');
    expect(await until(endOf)).toMatchObject({ outcome: 'completed' });
    await room.decisions();
  });
});
