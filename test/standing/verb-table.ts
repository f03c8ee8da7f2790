// The verbs in a room of three with different standing, and somebody who is not in it: what each gets, by whatever door, and what it does to the room.
import { expect } from 'vitest';
import type { SessionSpec } from '../../src/core/session/session-spec.ts';
import type { SaidWork, VerbCommand } from './doors.ts';
import { openSocketRoom, type SocketRoom } from './room-on-sockets.ts';

export type DoorName = 'socket' | 'HTTP' | 'library' | 'runtime';

/** ann has opened the session and said the work, bob is a member, mo moderates, eve is nobody there. */
export const roomSpeakers = ['ann', 'bob', 'mo', 'eve'] as const;
export type TableSpeaker = (typeof roomSpeakers)[number];

export interface VerbRow {
  readonly verb: string;
  /** What ann's turn is when the verb comes: its call runs, or it was stopped. */
  readonly turn: 'running' | 'stopped';
  readonly command: (work: SaidWork, who: TableSpeaker) => VerbCommand;
  readonly answers: Readonly<Record<TableSpeaker, string>>;
  /** The turn ends with what is stopped; left out: it goes on. */
  readonly stopsTurn?: true;
  /** The doors that have it; left out: all. */
  readonly doors?: readonly DoorName[];
  /** The promises that it keeps. */
  readonly keeps: string;
}

const denied = 'access_denied';

export const verbTable: readonly VerbRow[] = [
  {
    verb: 'CANCEL <turn>',
    turn: 'running',
    command: ({ turn }) => ({ type: 'CANCEL', target: turn }),
    answers: { ann: 'stopped', bob: 'not_owner', mo: 'stopped', eve: denied },
    stopsTurn: true,
    keeps: '[owner.node] [cancel.exact]',
  },
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

/** Opens the session of ann, who invites bob and mo: each may stop what is theirs, and mo everything. */
export async function openRoomOfThree(spec: Partial<SessionSpec> = {}) {
  const room = await openSocketRoom({ policy: 'owner', access: 'members', ...spec });
  const ann = await room.enter('ann');
  for (const speaker of ['bob', 'mo']) {
    ann.send({ type: 'INVITE', ref: `invite-${speaker}`, speaker });
    await ann.waitFor('member_invited', { speaker });
  }
  await room.enter('bob');
  await room.enter('mo');
  return { room, ann };
}

/** Resolves with what the command has done to the room: what the stored facts and the calls say, whatever its answer was. */
export async function effectOf(
  room: SocketRoom,
  { turn }: SaidWork,
  who: TableSpeaker,
  earlier: number,
): Promise<string> {
  const facts = (await room.facts()).slice(earlier);
  const opened = facts.find((fact) => fact.type === 'turn_opened');
  if (opened?.type === 'turn_opened') {
    expect(opened.owner).toBe(who);
    return opened.resumes === turn ? 'resumed' : 'opened';
  }
  if (facts.some((fact) => fact.type === 'tool_timeout_set' && fact.by === who)) return 'set';
  if (facts.some((fact) => fact.type === 'session_renamed' && fact.by === who)) return 'renamed';
  for (const session of await room.runtime.sessions.list()) {
    const [first] = await room.facts(session);
    if (first?.type === 'session_opened' && first.by === who && first.forked?.turn === turn) return 'forked';
  }
  return facts.some((fact) => fact.type === 'cancel_accepted') ? 'stopped' : 'nothing';
}

/** What a command can do to the room; every other answer does nothing to it. */
export const verbEffects: readonly string[] = ['stopped', 'resumed', 'opened', 'forked', 'set', 'renamed'];
