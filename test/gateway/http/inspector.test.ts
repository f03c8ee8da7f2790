// The records of the inspector over real sockets: who may read them, what a reader gets, and what a slow one does to the others.
import { expect, onTestFinished, test } from 'vitest';
import { createScriptedProvider } from '../../../src/adapters/models/scripted.ts';
import { systemSources } from '../../../src/core/sources/system.ts';
import { createVirtualSources } from '../../../src/core/sources/virtual.ts';
import { createRuntime } from '../../../src/embed/runtime.ts';
import { createLocalAuthenticator } from '../../../src/gateway/auth/local.ts';
import { createTokenAuthenticator } from '../../../src/gateway/auth/token-file.ts';
import { LateInspector } from '../../../src/inspector/late-inspector.ts';
import {
  actorRecordSchema,
  type InspectionRecord,
  inspectionGapSchema,
  inspectionRecordSchema,
  inspectionStartSchema,
} from '../../../src/wire/inspection.ts';
import { connectChecked } from '../../support/checked-client.ts';
import { connectRaw } from '../../support/raw-client.ts';
import { until } from '../../support/until.ts';
import { ann, bob, type HttpDoor, httpOf, type Streaming, tokens } from './open.ts';

const records = '/api/inspector/records';
const say = (session: string) => `/api/sessions/${session}/say`;

const [mod, roomMod] = ['a-token-of-the-moderator', 'a-token-of-a-moderator-of-rooms'];
const namelessMod = 'a-token-of-a-moderator-that-names-no-session';
const withModerators = {
  ...tokens,
  [mod]: { speaker: 'mod', roles: ['moderator' as const], sessions: ['*'] },
  [namelessMod]: { speaker: 'guard', roles: ['moderator' as const] },
  [roomMod]: { speaker: 'roomy', roles: ['moderator' as const], sessions: ['room*'] },
};

type Options = Parameters<typeof httpOf>[1];

/** A door with an inspector, which is switched off. */
async function inspectedDoor(options: Options = {}, keep?: number): Promise<HttpDoor & { inspector: LateInspector }> {
  const { clock } = options.sources ?? systemSources;
  const inspector = new LateInspector(async () => ({ clock, keep }));
  const authenticator = createTokenAuthenticator(withModerators);
  const own = { inspector, ...options.own };
  return Object.assign(await httpOf({}, { authenticator, ...options, inspector, own }), { inspector });
}

const recordsOf = ({ events }: Streaming): InspectionRecord[] =>
  events.filter(({ event }) => event === 'record').map(({ data }) => data);

const askNoon = { body: { text: 'what time is it?' } };

const isEnd = (record: InspectionRecord) =>
  record.type === 'state' && record.status === 'done' && record.value === 'gone';

test('a moderator reads a turn from its SAY to its end, each record once, in order, as its schema says', async () => {
  const door = await inspectedDoor();
  const stream = await door.stream(records, { token: mod });
  expect(stream.status).toBe(200);
  await until(() => stream.events.length > 0);
  expect(stream.events[0]).toMatchObject({ event: 'start', data: { keep: 2_000, from: 1, to: 0 } });
  expect(inspectionStartSchema.safeParse(stream.events[0]?.data).success).toBe(true);
  await door.ask(say('room'), askNoon);
  await until(() => recordsOf(stream).some(isEnd));
  const got = recordsOf(stream);
  expect(got.map(({ n }) => n)).toEqual(got.map((_, i) => i + 1));
  expect(stream.events.filter(({ event }) => event === 'record').map(({ id }) => Number(id))).toEqual(
    got.map(({ n }) => n),
  );
  for (const record of got) expect(inspectionRecordSchema.parse(record)).toEqual(record);
  expect(got.flatMap((record) => (record.type === 'actor' ? record.name : []))).toEqual(
    expect.arrayContaining(['session', 'link', 'turn']),
  );
});

test('nobody else reads them: a member, who may not read the session, and nobody at all [http.api.access]', async () => {
  const door = await inspectedDoor();
  const codeOf = async (path: string, token: string | null) => {
    const { status, body } = await door.ask(path, { token });
    return [status, body.code];
  };
  expect(await codeOf(records, ann)).toEqual([403, 'moderator_required']);
  expect(await codeOf(`${records}?session=room`, bob)).toEqual([403, 'moderator_required']);
  await door.ask(say('private'), askNoon);
  expect(await codeOf(`${records}?session=private`, namelessMod)).toEqual([404, 'access_denied']);
  expect(await codeOf(`${records}?session=nowhere`, namelessMod)).toEqual([404, 'access_denied']);
  expect(await codeOf(`${records}?session=hall`, roomMod)).toEqual([404, 'access_denied']);
  expect(await codeOf(records, null)).toEqual([401, 'unauthorized']);
  expect(await codeOf(`${records}?what=1`, mod)).toEqual([400, 'unknown_field']);
  await door.ask(say('room'), { ...askNoon, token: roomMod });
  expect((await door.stream(`${records}?session=room`, { token: roomMod })).status).toBe(200);
  const without = await httpOf();
  expect((await without.ask(records)).status, 'a gateway without an inspector').toBe(404);
});

/** The names of sessions anywhere in what a reader got. */
const sessionsIn = ({ events }: Streaming) =>
  ['hall', 'room-1', 'room-2'].filter((session) => JSON.stringify(events).includes(session));

test('a moderator reads the records of the sessions that it may read, and of no other [http.api.access] [access.join]', async () => {
  const door = await inspectedDoor();
  const all = await door.stream(records, { token: mod });
  await until(() => all.events.length > 0);
  const client = await connectChecked({ url: door.url, token: ann });
  const [hall] = ['hall', 'room-1', 'room-2'].map((id) => client.session(id));
  await Promise.all(['hall', 'room-1', 'room-2'].map((id) => client.session(id).joined));
  for (const session of ['hall', 'room-1', 'room-2']) await door.ask(say(session), askNoon);
  await hall?.say('what time is it?').ended;
  const roomy = await door.stream(records, { token: roomMod });
  const nameless = await door.stream(records, { token: namelessMod });
  await until(() => roomy.events.some(({ event }) => event === 'alive'));
  void client.close();
  const isClosed = (record: InspectionRecord) => record.type === 'state' && record.value === 'closed';
  await until(() => recordsOf(roomy).some(isClosed) && recordsOf(all).some(isClosed));
  expect(sessionsIn(all)).toEqual(['hall', 'room-1', 'room-2']);
  expect(sessionsIn(roomy)).toEqual(['room-1', 'room-2']);
  expect(recordsOf(roomy).length).toBeGreaterThan(10);
  const connection = roomy.events.find(({ event, data }) => event === 'alive' && data.context.speaker === 'ann');
  expect(connection?.data).toMatchObject({ session: '', context: { sessions: ['room-1', 'room-2'] } });
  expect(nameless.events.map(({ event }) => event)).toEqual(['start']);
});

test('a moderator who is invited reads on from there, and one who is removed does not [http.api.access]', async () => {
  const door = await inspectedDoor();
  const client = await connectChecked({ url: door.url, token: ann });
  const hall = client.session('hall');
  await hall.joined;
  const all = await door.stream(records, { token: mod });
  const guard = await door.stream(records, { token: namelessMod });
  await until(() => guard.events.length > 0 && all.events.length > 0);
  const lastTurns = (of: Streaming) => recordsOf(of).filter(isEnd).length;
  const sayAndSettle = async () => {
    const before = lastTurns(all);
    await door.ask(say('hall'), askNoon);
    await until(() => lastTurns(all) > before);
  };
  await sayAndSettle();
  expect(recordsOf(guard)).toEqual([]);
  await hall.invite('guard');
  await sayAndSettle();
  await until(() => lastTurns(guard) === 1);
  const named = await door.stream(`${records}?session=hall`, { token: namelessMod });
  await until(() => named.events.some(({ event }) => event === 'alive'));
  await hall.remove('guard');
  const [read, readNamed] = [recordsOf(guard), recordsOf(named)].map((of) => of.at(-1)?.n ?? 0);
  await sayAndSettle();
  expect(recordsOf(guard).at(-1)?.n).toBe(read);
  expect(recordsOf(named).at(-1)?.n).toBe(readNamed);
});

test('the rule of a program counts for records, too, and so does a deletion [access.join]', async () => {
  const session = (id: string) => ({ access: id === 'diary' ? ('private' as const) : ('members' as const) });
  const door = await inspectedDoor({ own: { session } });
  const all = await door.stream(records, { token: mod });
  await until(() => all.events.length > 0);
  await door.ask(say('diary'), askNoon);
  await door.ask(say('room'), askNoon);
  await until(() => recordsOf(all).some(isEnd));
  expect(JSON.stringify(all.events)).not.toContain('diary');
  expect((await door.ask('/api/sessions/room', { method: 'DELETE' })).status).toBe(204);
  const late = await door.stream(records, { token: mod });
  await door.ask(say('room-2'), askNoon);
  await until(() => recordsOf(late).some(isEnd));
  expect(new Set(recordsOf(late).map((record) => record.session))).toEqual(new Set(['room-2']));
});

test('without tokens whoever has the key reads them', async () => {
  const key = 'the-key-of-this-gateway';
  const door = await inspectedDoor({ authenticator: createLocalAuthenticator(undefined, key) });
  expect((await door.ask(records, { token: null })).status).toBe(401);
  expect((await door.stream(records, { token: key })).status).toBe(200);
});

test('whoever comes late gets what was kept, then who is alive, and comes back without a loss', async () => {
  const door = await inspectedDoor();
  const first = await door.stream(records, { token: mod });
  await until(() => first.events.length > 0);
  await door.stream(say('room'), { body: { text: 'call watch' } });
  await until(() => recordsOf(first).some((record) => record.type === 'actor' && record.chart === 'tool-call'));
  const late = await door.stream(records, { token: mod });
  await until(() => late.events.some(({ event, data }) => event === 'alive' && data.chart === 'tool-call'));
  const start = late.events[0]?.data;
  expect(start).toMatchObject({ from: 1, inspector: first.events[0]?.data.inspector });
  expect(recordsOf(late).slice(0, start.to)).toEqual(recordsOf(first).slice(0, start.to));
  const alive = late.events.filter(({ event }) => event === 'alive');
  for (const { data } of alive) expect(actorRecordSchema.parse(data)).toEqual(data);
  expect(alive.map(({ data }) => data.name)).toEqual(expect.arrayContaining(['session', 'link', 'turn', 'tool']));
  const back = await door.stream(records, { token: mod, headers: { 'last-event-id': String(start.to - 1) } });
  await until(() => back.events.some(({ event }) => event === 'alive'));
  expect(recordsOf(back)[0]?.n).toBe(start.to);
  const other = await door.stream(`${records}?after=${10_000_000}`, { token: mod });
  await until(() => other.events.some(({ event }) => event === 'alive'));
  expect(recordsOf(other)[0]?.n, 'a number of another inspector').toBe(1);
});

test('a reader of one session gets nothing of another one', async () => {
  const door = await inspectedDoor();
  await door.ask(say('hall'), askNoon);
  await door.ask(say('room'), askNoon);
  const stream = await door.stream(`${records}?session=room`, { token: mod });
  const all = await door.stream(records, { token: mod });
  await until(() => all.events.some(({ event }) => event === 'alive'));
  await door.ask(say('hall'), askNoon);
  await door.ask(say('room'), askNoon);
  await until(() => recordsOf(stream).some(isEnd));
  const sessions = (of: Streaming) =>
    new Set(of.events.flatMap(({ event, data }) => (event === 'start' ? [] : [data.session])));
  expect(sessions(stream)).toEqual(new Set(['room']));
  expect(sessions(all)).toEqual(new Set(['room', 'hall']));
});

test('a connection is a tree of its own, and is shown to readers of a session from its JOIN on', async () => {
  const door = await inspectedDoor();
  const all = await door.stream(records, { token: mod });
  await until(() => all.events.length > 0);
  await door.ask(say('room'), askNoon);
  const room = await door.stream(`${records}?session=room`, { token: mod });
  await until(() => room.events.some(({ event }) => event === 'alive'));
  const client = await connectChecked({ url: door.url, token: ann });
  await until(() =>
    recordsOf(all).some(
      (record) => record.type === 'state' && record.value === 'open' && record.context['speaker'] === 'ann',
    ),
  );
  const isConnection = (record: InspectionRecord) => record.type === 'actor' && record.chart === 'connection';
  expect(recordsOf(room).filter(isConnection), 'it has joined nothing yet').toEqual([]);
  const joined = client.session('room');
  await joined.joined;
  const shown = await until(() => recordsOf(room).find(isConnection));
  expect(shown).toMatchObject({
    parent: null,
    name: 'connection',
    session: 'room',
    context: { speaker: 'ann', sessions: ['room'] },
  });
  expect(shown?.root).toBe((shown as { actor?: string }).actor);
  void client.close();
  const ofConnection = (of: Streaming) =>
    recordsOf(of).filter((record) => record.root === shown?.root && record.type !== 'actor');
  await until(() => ofConnection(room).some((record) => record.type === 'state' && record.value === 'closed'));
  expect(ofConnection(room).flatMap((record) => (record.type === 'event' ? record.event : []))).toContain('GONE');
});

test('a reader of one session sees of a connection what belongs to that session, also when it has joined others', async () => {
  const door = await inspectedDoor();
  await door.ask(say('room'), askNoon);
  const room = await door.stream(`${records}?session=room`, { token: roomMod });
  const all = await door.stream(records, { token: mod });
  await until(() => room.events.length > 0 && all.events.length > 0);
  const client = await connectChecked({ url: door.url, token: ann });
  const [inRoom, hall] = [client.session('room'), client.session('hall')];
  await Promise.all([inRoom.joined, hall.joined]);
  await hall.say('what time is it?').ended;
  await inRoom.say('what time is it?').ended;
  const late = await door.stream(`${records}?session=room`, { token: roomMod });
  void client.close();
  const isClosed = (record: InspectionRecord) => record.type === 'state' && record.value === 'closed';
  for (const of of [all, room, late]) await until(() => recordsOf(of).some(isClosed));
  const ofSay = recordsOf(all).filter((record) => record.type === 'event' && record.event === 'SAY');
  expect(JSON.stringify(ofSay), 'the frame is there').toContain('hall');
  for (const { events } of [room, late]) {
    expect(JSON.stringify(events)).not.toContain('hall');
    const actors = events.map(({ data }) => data).filter(({ context }) => context?.speaker === 'ann');
    const root = actors[0]?.root;
    const ofConnection = events.map(({ data }) => data).filter((data) => data.root === root);
    expect(ofConnection.map(({ session }) => session)).toEqual(ofConnection.map(() => 'room'));
    expect(ofConnection.flatMap(({ event }) => event ?? [])).toContain('SAY');
  }
});

test('a reader that does not read misses records by name, and costs the others nothing', {
  timeout: 60_000,
}, async () => {
  const many = 1_000_000_000;
  const rates = { framesPerSecond: many, frameBurst: many, speakerByteBurst: many, errorBurst: many };
  const door = await inspectedDoor({ limits: rates }, 5_000);
  const slow = await door.stream(records, { token: mod });
  const quick = await door.stream(records, { token: mod });
  await until(() => slow.events.length > 0 && quick.events.length > 0);
  slow.pause();
  const client = await connectRaw(door.url, { headers: { authorization: `Bearer ${ann}` } });
  client.send({ type: 'HELLO' });
  await client.waitFor('welcome');
  // each is an event and a state of the connection: more than the buffers of a socket hold
  for (let sent = 0; sent < 40_000; sent += 1_000) {
    for (let i = 0; i < 1_000; i++) client.send({ type: 'PING', ref: 'p' });
    await until(() => (recordsOf(quick).at(-1)?.n ?? 0) >= 2 * (sent + 1_000));
  }
  const numbers = recordsOf(quick).map(({ n }) => n);
  expect(numbers, 'the quick one misses nothing').toEqual(numbers.map((_, i) => i + 1));
  slow.resume();
  const gap = await until(() => slow.events.find(({ event }) => event === 'gap'));
  expect(inspectionGapSchema.parse(gap.data)).toEqual(gap.data);
  const at = slow.events.indexOf(gap);
  const before = recordsOf({ ...slow, events: slow.events.slice(0, at) });
  expect(before.at(-1)?.n, 'what was in the socket comes first').toBe(gap.data.from - 1);
  await until(() => slow.events.slice(at).some(({ event, data }) => event === 'alive' && data.name === 'connection'));
  client.send({ type: 'PING', ref: 'last' });
  const next = await until(() => slow.events.slice(at).find(({ event }) => event === 'record'));
  expect(next.data.n).toBe(gap.data.to + 1);
});

test('a limit of readers is named; a reader that has gone counts no more', async () => {
  const door = await inspectedDoor();
  const streams = await Promise.all(Array.from({ length: 16 }, () => door.stream(records, { token: mod })));
  expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200));
  const { status, body } = await door.ask(records, { token: mod });
  expect([status, body.code, body.limit]).toEqual([429, 'too_many_readers', 16]);
  streams[0]?.drop();
  await until(async () => (await door.stream(records, { token: mod })).status === 200);
});

test('it goes on for a minute after its last reader, then it is off', async () => {
  const sources = createVirtualSources();
  const door = await inspectedDoor({ sources });
  const inspector = await door.inspector.load();
  expect(inspector.state).toBe('off');
  const reader = await door.stream(records, { token: mod });
  await until(() => inspector.state === 'on');
  await door.ask(say('room'), askNoon);
  reader.drop();
  await sources.clock.advance(30_000);
  expect(inspector.state).toBe('on');
  const back = await door.stream(records, { token: mod });
  await until(() => recordsOf(back).some(isEnd));
  await sources.clock.advance(60_000);
  expect(inspector.state, 'it is read again').toBe('on');
  back.drop();
  await until(
    async () => {
      await sources.clock.advance(1_000);
      return inspector.state === 'off';
    },
    { ms: 30_000 },
  );
  expect(inspector.recent()).toEqual([]);
});

test('its streams end when the gateway has closed, after the shutdown of what ran', async () => {
  const door = await inspectedDoor();
  const reader = await door.stream(records, { token: mod });
  await until(() => reader.events.length > 0);
  await door.stream(say('room'), { body: { text: 'call watch' } });
  await until(() => recordsOf(reader).some((record) => record.type === 'actor' && record.name === 'tool'));
  await door.runtime.close();
  await door.gateway.close();
  await reader.ended;
  const cancels = recordsOf(reader).filter((record) => record.type === 'event' && record.event === 'CANCEL');
  expect(cancels[0]).toMatchObject({ fields: { source: 'shutdown' } });
});

test('a runtime that is inspected for the first time shows what was alive before', async () => {
  const inspector = new LateInspector(async () => ({ clock: systemSources.clock }));
  const provider = createScriptedProvider({ clock: systemSources.clock, respond: () => ({ steps: [{ hang: true }] }) });
  const runtime = await createRuntime({ provider, inspector });
  onTestFinished(() => runtime.close());
  const session = await runtime.session('room');
  const caller = { speaker: { id: 'ann', roles: [] }, connection: 'c' };
  void session.say(caller, { text: 'hello', ref: 'r' });
  await until(async () => (await runtime.nodes('room')).length > 0);
  const reader = await inspector.openReader({ session: null, after: null, onMore: () => {} });
  onTestFinished(() => reader.close());
  const names = reader
    .read(1)
    .concat(reader.read(100))
    .flatMap(({ type, data }) => (type === 'alive' ? data.name : []));
  expect(names).toEqual(['session', 'link', 'turn', 'model']);
});
