// The verbs of the table, tried by people where a program shows them what they may do: the page and the terminal. What is seen there is compared with the table of the other doors.
import { expect } from 'vitest';
import type { RawClient } from '../support/raw-client.ts';
import { until } from '../support/until.ts';
import type { SocketRoom } from './room-on-sockets.ts';
import { effectOf, type TableSpeaker, verbEffects, verbTable } from './verb-table.ts';

const shownVerbs = ['CANCEL tools:mine', 'CANCEL <turn>', 'words that go on', 'RESUME', 'FORK', 'SET_TIMEOUT'] as const;
export type ShownVerb = (typeof shownVerbs)[number];

export interface ShownDoor {
  /** Resolves when it shows the speaker the turn with these words: its call runs, or it was stopped. */
  shows(who: TableSpeaker, words: string, state: 'running' | 'stopped'): Promise<void>;
  /** Does what a person does for the verb. Resolves with what is seen of it, as an answer of the table; where nothing is offered, with the answer for which it is not. */
  perform(who: TableSpeaker, verb: ShownVerb, turn: string): Promise<string>;
}

/** Lets each member of the room try each verb on work of ann. Expects the answers and the verbEffects of the table. */
export async function tryVerbs(room: SocketRoom, ann: RawClient, door: ShownDoor): Promise<void> {
  const isOver = async () => (await room.runtime.session('room')).nodes().then((nodes) => nodes.length === 0);
  let count = 0;
  for (const verb of shownVerbs) {
    const row = verbTable.find((each) => each.verb === verb);
    if (!row) throw new Error(`The table has no row ${verb}.`);
    for (const who of ['ann', 'bob', 'mo'] as const) {
      count += 1;
      const words = `task${count}`;
      const turn = await room.work(ann, words);
      if (row.turn === 'stopped') {
        ann.send({ type: 'CANCEL', ref: `stop-${count}`, target: turn });
        await ann.waitFor('cancel_settled', { ref: `stop-${count}` });
      }
      await door.shows(who, words, row.turn);
      const earlier = (await room.facts()).length;
      const seen = await door.perform(who, verb, turn);
      const effect = await effectOf(room, { turn, ref: '' }, who, earlier);
      const answer = row.answers[who];
      expect([verb, who, seen]).toEqual([verb, who, answer]);
      expect([verb, who, effect]).toEqual([verb, who, verbEffects.includes(answer) ? answer : 'nothing']);
      room.letGo();
      await until(isOver, { what: 'the end of what runs' });
    }
  }
  await room.decisions();
}
