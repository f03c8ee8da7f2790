// The doors of a room: each performs the same command of a speaker, and gives its answer in one word.
import { onTestFinished } from 'vitest';
import type { Speaker } from '../../machines/vocabulary.ts';
import { fieldsOf } from '../../src/core/collections/fields.ts';
import type { LocalSession } from '../../src/embed/local-session.ts';
import type { RawClient, RawFrame } from '../support/raw-client.ts';
import { until } from '../support/until.ts';
import { type Name, rolesOf, roomId, roomTokenOf, type SocketRoom } from './room-on-sockets.ts';

/** A command, as its frame has it, without its `ref`. */
export type VerbCommand =
  | { readonly type: 'CANCEL'; readonly target: string }
  | { readonly type: 'SAY'; readonly text: string }
  | { readonly type: 'RESUME'; readonly turn: string }
  | { readonly type: 'FORK'; readonly turn: string; readonly to: string }
  | { readonly type: 'SET_TIMEOUT'; readonly tool: string; readonly ms: number }
  | { readonly type: 'RENAME'; readonly title: string };

export interface SaidWork {
  readonly turn: string;
  /** The ref of its SAY. */
  readonly ref: string;
}

export interface VerbDoor {
  /** Says words for which the model makes a call that runs on. */
  work(who: Name, words: string): Promise<SaidWork>;
  /** Performs a command. Resolves with the answer: what was done, or the code of the refusal. */
  ask(who: Name, command: VerbCommand, ref: string): Promise<string>;
}

/** The answers of the gateway that are no refusal. */
const done: Readonly<Record<string, string>> = {
  cancel_accepted: 'stopped',
  already_settled: 'already_settled',
  unknown_target: 'unknown_target',
  turn_opened: 'opened',
  forked: 'forked',
  tool_timeout_set: 'set',
  session_renamed: 'renamed',
};

function answerOf(frame: RawFrame): string {
  const [refused] = (frame['refused'] as readonly { readonly reason: string }[] | undefined) ?? [];
  if (frame.type === 'cancel_refused') return String(refused?.reason);
  return done[frame.type] ?? String(frame['code'] ?? frame.type);
}

/** A connection for each speaker, made when it is needed first. */
const oncePerSpeaker = <T>(make: (who: Name) => Promise<T>) => {
  const made = new Map<Name, Promise<T>>();
  return (who: Name): Promise<T> => {
    const known = made.get(who) ?? make(who);
    made.set(who, known);
    return known;
  };
};

async function workOverSocket(room: SocketRoom, client: RawClient, words: string): Promise<SaidWork> {
  return { turn: await room.work(client, words), ref: `say-${words}` };
}

/** Frames over a WebSocket. */
export function socketDoor(room: SocketRoom): VerbDoor {
  const connect = oncePerSpeaker((who) => room.connect(who));
  const join = oncePerSpeaker(async (who) => {
    const client = await connect(who);
    client.send({ type: 'JOIN', ref: 'join', session: roomId });
    return until(() => client.frames.find(({ ref }) => ref === 'join'));
  });
  return {
    async work(who, words) {
      await join(who);
      return workOverSocket(room, await connect(who), words);
    },
    async ask(who, command, ref) {
      const entry = await join(who);
      if (entry.type !== 'joined') return answerOf(entry);
      const client = await connect(who);
      client.send({ ...command, ref });
      return answerOf(await until(() => client.frames.find((frame) => frame['ref'] === ref)));
    },
  };
}

const errorCode = (error: unknown): string => {
  const { code, reason } = fieldsOf(error);
  return String(code ?? reason ?? error);
};

/** Sends a command of the library. Resolves with its answer; rejects where it is refused. */
async function askSession(session: LocalSession, command: VerbCommand): Promise<string> {
  switch (command.type) {
    case 'CANCEL':
      return answerOf({ ...(await session.cancel(command.target).accepted) });
    case 'SAY':
      await session.say(command.text).opened;
      return 'opened';
    case 'RESUME':
      await session.resume(command.turn).opened;
      return 'opened';
    case 'FORK':
      return answerOf({ ...(await session.fork(command.turn, { to: command.to })) });
    case 'SET_TIMEOUT':
      return answerOf({ ...(await session.setToolTimeout(command.tool, command.ms)) });
    case 'RENAME':
      return answerOf({ ...(await session.rename(command.title)) });
  }
}

/** A session of the library, in the process of the runtime. */
export function libraryDoor(room: SocketRoom): VerbDoor {
  const enter = oncePerSpeaker(async (who) => {
    const speaker: Speaker = { id: who, roles: rolesOf(who) };
    const session = (await room.runtime.session(roomId)).as(speaker);
    onTestFinished(() => session[Symbol.asyncDispose]());
    return session;
  });
  return {
    async work(who, words) {
      const said = (await enter(who)).say(`work: ${words}`);
      const turn = await said.opened;
      await until(() => room.running.includes(words), { what: `the call for ${words}` });
      return { turn, ref: said.ref };
    },
    async ask(who, command) {
      const session = await enter(who);
      return session.joined.then(() => askSession(session, command)).catch(errorCode);
    },
  };
}

/** The path and the body of a command by HTTP. */
function requestOf(command: VerbCommand): readonly [path: string, body: object] {
  switch (command.type) {
    case 'CANCEL': {
      const [, tools = '', turn] = /^(tools:)?(turn_.+)$/.exec(command.target) ?? [];
      return turn === undefined
        ? [`/api/sessions/${roomId}/abort`, { target: command.target }]
        : [`/api/turns/${turn}${tools && '/tools'}/abort?session=${roomId}`, {}];
    }
    case 'SAY':
      return [`/api/sessions/${roomId}/say`, { text: command.text }];
    case 'RESUME':
      return [`/api/turns/${command.turn}/resume`, { session: roomId }];
    case 'FORK':
      return [`/api/sessions/${roomId}/fork`, { turn: command.turn, to: command.to }];
    case 'SET_TIMEOUT':
      return [`/api/sessions/${roomId}/timeouts`, { tool: command.tool, ms: command.ms }];
    case 'RENAME':
      return [`/api/sessions/${roomId}/title`, { title: command.title }];
  }
}

const doneByHttp: Readonly<Record<VerbCommand['type'], string>> = {
  CANCEL: 'stopped',
  SAY: 'opened',
  RESUME: 'opened',
  FORK: 'forked',
  SET_TIMEOUT: 'set',
  RENAME: 'renamed',
};

/** Requests over HTTP; the work of the room is said over a socket. */
export function httpDoor(room: SocketRoom): VerbDoor {
  const address = room.url.replace(/^ws/, 'http').replace(/\/belay$/, '');
  const { work } = socketDoor(room);
  return {
    work,
    async ask(who, command, ref) {
      const [path, body] = requestOf(command);
      const headers = {
        authorization: `Bearer ${roomTokenOf(who)}`,
        'content-type': 'application/json',
        'idempotency-key': ref,
      };
      const reply = await fetch(`${address}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      const { code } = (await reply.json()) as { readonly code?: string };
      return reply.ok ? doneByHttp[command.type] : String(code);
    },
  };
}

/** The caller of the plain commands of a runtime. */
const callerOf = (who: Name) => {
  const speaker: Speaker = { id: who, roles: rolesOf(who) };
  return { speaker, connection: `of-${who}` };
};

/** The plain commands of a `Runtime`. */
export function runtimeDoor(room: SocketRoom): VerbDoor {
  const { runtime } = room;
  const perform = async (who: Name, command: VerbCommand, ref: string): Promise<RawFrame> => {
    const caller = callerOf(who);
    switch (command.type) {
      case 'CANCEL': {
        const reply = await runtime.cancel(roomId, caller, { target: command.target, ref, source: 'client' });
        return reply.type === 'cancel_refused' ? { ...reply.refusal } : { ...reply };
      }
      case 'SAY':
        return { ...(await runtime.say(roomId, caller, { text: command.text, ref })) };
      case 'RESUME':
        return { ...(await runtime.resume(roomId, caller, { turn: command.turn, ref })) };
      case 'FORK':
        return { ...(await runtime.forkSession(roomId, caller, { turn: command.turn, to: command.to, ref })) };
      case 'SET_TIMEOUT':
        return { ...(await runtime.setToolTimeout(roomId, caller, { tool: command.tool, ms: command.ms, ref })) };
      case 'RENAME':
        return { ...(await runtime.renameSession(roomId, caller, { title: command.title, ref })) };
    }
  };
  return {
    async work(who, words) {
      const ref = `say-${words}`;
      const reply = await runtime.say(roomId, callerOf(who), { text: `work: ${words}`, ref });
      await until(() => room.running.includes(words), { what: `the call for ${words}` });
      return { turn: reply.type === 'turn_opened' ? reply.turn : '', ref };
    },
    ask: (who, command, ref) => perform(who, command, ref).then(answerOf, errorCode),
  };
}
