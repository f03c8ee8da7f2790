// Every verb whose connection is lost before or after its reply: it comes again under its ref, and has one effect and the same reply.
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ClientSession } from '../../src/client/client-session.ts';
import { createCheckedClient } from '../support/checked-client.ts';
import { startProxy } from '../support/proxy.ts';
import { until } from '../support/until.ts';
import { httpDoor, type VerbCommand } from './doors.ts';
import { openSocketRoom, roomId, roomTokenOf, type SocketRoom } from './room-on-sockets.ts';

interface Row {
  readonly verb: string;
  readonly turn: 'running' | 'stopped';
  readonly command: (turn: string) => VerbCommand;
  /** Sends it by the client library. Resolves with what tells its reply from another one. */
  readonly send: (session: ClientSession, turn: string) => Promise<unknown>;
  /** The same of the effects that the store has: one is expected. */
  readonly effects: (room: SocketRoom, turn: string) => Promise<readonly unknown[]>;
  readonly keeps: string;
}

const fork = 'the-fork';

const stops = (target: (turn: string) => string): Pick<Row, 'turn' | 'command' | 'send' | 'effects' | 'keeps'> => ({
  turn: 'running',
  command: (turn) => ({ type: 'CANCEL', target: target(turn) }),
  async send(session, turn) {
    const cancel = session.cancel(target(turn));
    const reply = await cancel.accepted;
    expect(await cancel.settled).toMatchObject({ nodes: [{ kind: 'tool-call', outcome: 'cancelled' }] });
    return 'cancel' in reply ? reply.cancel : reply;
  },
  effects: async (room) => (await room.facts()).flatMap((fact) => (fact.type === 'cancel_accepted' ? fact.cancel : [])),
  keeps: '[cancel.tools] [cancel.idempotent.resent]',
});

const resumedTurns = async (room: SocketRoom, turn: string) =>
  (await room.facts()).flatMap((fact) => (fact.type === 'turn_opened' && fact.resumes === turn ? fact.turn : []));

const table: readonly Row[] = [
  { verb: 'CANCEL tools:<turn>', ...stops((turn) => `tools:${turn}`) },
  { verb: 'CANCEL tools:mine', ...stops(() => 'tools:mine') },
  {
    verb: 'words that go on',
    turn: 'stopped',
    command: () => ({ type: 'SAY', text: 'go on' }),
    send: (session) => session.say('go on').opened,
    effects: resumedTurns,
    keeps: '[recover.go-on]',
  },
  {
    verb: 'RESUME',
    turn: 'stopped',
    command: (turn) => ({ type: 'RESUME', turn }),
    send: (session, turn) => session.resume(turn).opened,
    effects: resumedTurns,
    keeps: '[recover.resume]',
  },
  {
    verb: 'FORK',
    turn: 'stopped',
    command: (turn) => ({ type: 'FORK', turn, to: fork }),
    send: async (session, turn) => (await session.fork(turn, { to: fork })).turn,
    effects: async (room) => (await room.facts(fork)).flatMap((fact) => (fact.type === 'turn_opened' ? fact.turn : [])),
    keeps: '[fork.idempotent]',
  },
  {
    verb: 'SET_TIMEOUT',
    turn: 'running',
    command: () => ({ type: 'SET_TIMEOUT', tool: 'hold', ms: 60_000 }),
    send: async (session) => (await session.setToolTimeout('hold', 60_000)).ms,
    effects: async (room) => (await room.facts()).flatMap((fact) => (fact.type === 'tool_timeout_set' ? fact.ms : [])),
    keeps: '[tool.timeouts]',
  },
  {
    verb: 'RENAME',
    turn: 'running',
    command: () => ({ type: 'RENAME', title: 'Our notes' }),
    send: async (session) => (await session.rename('Our notes')).title,
    effects: async (room) =>
      (await room.facts()).flatMap((fact) => (fact.type === 'session_renamed' ? (fact.title ?? '') : [])),
    keeps: '[list.rename]',
  },
];

/** A room with a turn of ann, who comes back over a proxy when her connection breaks. */
async function start({ turn: state }: Pick<Row, 'turn'>) {
  const room = await openSocketRoom();
  const witness = await room.enter('ann');
  const turn = await room.work(witness, 'search');
  if (state === 'stopped') {
    witness.send({ type: 'CANCEL', ref: 'stop-it', target: turn });
    await witness.waitFor('cancel_settled', { ref: 'stop-it' });
  }
  const proxy = await startProxy({ target: room.url });
  const options = { token: roomTokenOf('ann'), reconnect: { minMs: 1, maxMs: 5 }, whileDisconnected: 'wait' } as const;
  const client = createCheckedClient({ url: proxy.url, ...options });
  onTestFinished(() => client.close());
  const session = client.session(roomId);
  await session.joined;
  return { room, proxy, session, turn };
}

describe.each(table)('$verb $keeps', (row) => {
  test('is lost before it arrives: over the next connection it has its one effect', async () => {
    const { room, proxy, session, turn } = await start(row);
    proxy.mute();
    const replied = row.send(session, turn);
    expect(await row.effects(room, turn)).toEqual([]);
    proxy.cutAll();
    const reply = await replied;
    expect(await row.effects(room, turn)).toEqual([reply]);
  });

  test('has its effect, and its reply gets lost: over the next connection it has the same reply, and no second effect', async () => {
    const { room, proxy, session, turn } = await start(row);
    proxy.muteGateway();
    const replied = row.send(session, turn);
    const [effect] = await until(async () => {
      const effects = await row.effects(room, turn);
      return effects.length > 0 && effects;
    });
    proxy.cutAll();
    expect(await replied).toEqual(effect);
    expect(await row.effects(room, turn)).toEqual([effect]);
  });

  test('comes again over another connection, and by HTTP, under its ref: one effect', async () => {
    const { room, turn } = await start(row);
    const replyTypes: string[] = [];
    for (const isAgain of [false, true]) {
      const raw = await room.enter('ann');
      raw.send({ ...row.command(turn), ref: 'once' });
      const reply = await until(() => raw.frames.find(({ ref }) => ref === 'once'));
      expect(reply['repeated'] ?? false).toBe(isAgain);
      replyTypes.push(reply.type);
      raw.socket.terminate();
    }
    expect(new Set(replyTypes).size).toBe(1);
    const before = await row.effects(room, turn);
    expect(before).toHaveLength(1);
    expect(await httpDoor(room).ask('ann', row.command(turn), 'once')).toMatch(/stopped|opened|forked|set|renamed/);
    expect(await row.effects(room, turn)).toEqual(before);
  });
});

test('CANCEL tools:say:<ref> of a SAY whose reply gets lost with it: over the next connection it stops the tools of that turn [cancel.tools] [cancel.idempotent.resent]', async () => {
  const { room, proxy, session } = await start({ turn: 'stopped' });
  proxy.muteGateway();
  const said = session.say('work: build');
  await until(() => room.running.includes('build'), { what: 'the call of the lost SAY' });
  const cancel = said.cancelTools();
  await until(() => !room.running.includes('build'), { what: 'the end of the call' });
  proxy.cutAll();
  const turn = await said.opened;
  expect((await cancel.settled)?.nodes).toMatchObject([{ kind: 'tool-call', outcome: 'cancelled' }]);
  expect(await said.ended).toMatchObject({ turn, outcome: 'completed' });
  const accepted = (await room.facts()).filter(({ type }) => type === 'cancel_accepted');
  expect(accepted).toMatchObject([{ ref: 'stop-it' }, { target: `tools:${turn}` }]);
});
