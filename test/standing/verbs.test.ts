// Every verb in a room of three with different standing, and somebody who is not in it: by each door the same answer, and the same effect.
import { describe, expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { httpDoor, libraryDoor, runtimeDoor, type SaidWork, socketDoor, type VerbCommand } from './doors.ts';
import { openSocketRoom, type SocketRoom } from './room-on-sockets.ts';

const doors = { socket: socketDoor, HTTP: httpDoor, library: libraryDoor, runtime: runtimeDoor };
type DoorName = keyof typeof doors;

/** ann has opened the session and said the work, bob is a member, mo moderates, eve is nobody there. */
const people = ['ann', 'bob', 'mo', 'eve'] as const;
type Person = (typeof people)[number];

interface Row {
  readonly verb: string;
  /** What ann's turn is when the verb comes: its call runs, or it was stopped. */
  readonly turn: 'running' | 'stopped';
  readonly command: (work: SaidWork, who: Person) => VerbCommand;
  readonly answers: Readonly<Record<Person, string>>;
  /** The doors that have it; left out: all. */
  readonly doors?: readonly DoorName[];
  /** The promises that it keeps. */
  readonly keeps: string;
}

const denied = 'access_denied';

const table: readonly Row[] = [
  {
    verb: 'CANCEL tools:<turn>',
    turn: 'running',
    command: ({ turn }) => ({ type: 'CANCEL', target: `tools:${turn}` }),
    answers: { ann: 'stopped', bob: 'not_owner', mo: 'stopped', eve: denied },
    keeps: '[cancel.tools] [owner.node]',
  },
  {
    verb: 'CANCEL tools:mine',
    turn: 'running',
    command: () => ({ type: 'CANCEL', target: 'tools:mine' }),
    answers: { ann: 'stopped', bob: 'already_settled', mo: 'already_settled', eve: denied },
    keeps: '[cancel.tools] [owner.node]',
  },
  {
    verb: 'CANCEL tools:say:<ref>',
    turn: 'running',
    command: ({ ref }) => ({ type: 'CANCEL', target: `tools:say:${ref}` }),
    answers: { ann: 'stopped', bob: 'unknown_target', mo: 'unknown_target', eve: denied },
    doors: ['socket', 'library', 'runtime'], // a request by HTTP has no connection whose SAYs it could name
    keeps: '[cancel.tools] [owner.node]',
  },
  {
    verb: 'words that go on',
    turn: 'stopped',
    command: () => ({ type: 'SAY', text: 'continue' }),
    answers: { ann: 'resumed', bob: 'opened', mo: 'opened', eve: denied },
    keeps: '[recover.go-on]',
  },
  {
    verb: 'RESUME',
    turn: 'stopped',
    command: ({ turn }) => ({ type: 'RESUME', turn }),
    answers: { ann: 'resumed', bob: 'turn_of_another', mo: 'resumed', eve: denied },
    keeps: '[recover.resume]',
  },
  {
    verb: 'FORK',
    turn: 'stopped',
    command: ({ turn }, who) => ({ type: 'FORK', turn, to: `fork-of-${who}` }),
    answers: { ann: 'forked', bob: 'forked', mo: 'forked', eve: denied },
    keeps: '[fork.access] [fork.doors]',
  },
  {
    verb: 'FORK of what runs',
    turn: 'running',
    command: ({ turn }, who) => ({ type: 'FORK', turn, to: `fork-of-${who}` }),
    answers: { ann: 'turn_not_forkable', bob: 'turn_not_forkable', mo: 'turn_not_forkable', eve: denied },
    keeps: '[fork.settled] [fork.access]',
  },
  {
    verb: 'SET_TIMEOUT',
    turn: 'running',
    command: () => ({ type: 'SET_TIMEOUT', tool: 'hold', ms: 60_000 }),
    answers: { ann: 'set', bob: denied, mo: 'set', eve: denied },
    keeps: '[tool.timeouts]',
  },
  {
    verb: 'RENAME',
    turn: 'running',
    command: () => ({ type: 'RENAME', title: 'Our notes' }),
    answers: { ann: 'renamed', bob: denied, mo: 'renamed', eve: denied },
    keeps: '[list.rename]',
  },
];

/** A room of three, in which each may stop what is theirs. */
async function startRoom(door: DoorName) {
  const room = await openSocketRoom({ policy: 'owner', access: 'members' });
  const ann = await room.enter('ann');
  for (const speaker of ['bob', 'mo']) {
    ann.send({ type: 'INVITE', ref: `invite-${speaker}`, speaker });
    await ann.waitFor('member_invited', { speaker });
  }
  await room.enter('bob');
  await room.enter('mo');
  return { room, ann, through: doors[door](room) };
}

/** What the command has done to the room: what the stored facts and the calls say, whatever its answer was. */
async function effectOf(room: SocketRoom, { turn }: SaidWork, who: Person, earlier: number): Promise<string> {
  const facts = (await room.facts()).slice(earlier);
  const opened = facts.find((fact) => fact.type === 'turn_opened');
  if (opened?.type === 'turn_opened') {
    expect(opened.owner).toBe(who);
    return opened.resumes === turn ? 'resumed' : 'opened';
  }
  if (facts.some((fact) => fact.type === 'tool_timeout_set' && fact.by === who)) return 'set';
  if (facts.some((fact) => fact.type === 'session_renamed' && fact.by === who)) return 'renamed';
  const [first] = await room.facts(`fork-of-${who}`);
  if (first?.type === 'session_opened' && first.by === who && first.forked?.turn === turn) return 'forked';
  return facts.some((fact) => fact.type === 'cancel_accepted') ? 'stopped' : 'nothing';
}

const effects = ['stopped', 'resumed', 'opened', 'forked', 'set', 'renamed'];
const rows = table.flatMap((row) =>
  (row.doors ?? (Object.keys(doors) as DoorName[])).map((door) => ({ ...row, door })),
);

describe.each(rows)('$verb by $door $keeps', ({ door, turn: state, command, answers }) => {
  test.each(people)('of %s', async (who) => {
    const { room, ann, through } = await startRoom(door);
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
    expect(await until(endOf)).toMatchObject({ outcome: 'completed' });
    await room.decisions();
  });
});
