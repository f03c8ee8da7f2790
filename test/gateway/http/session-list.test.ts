// The list of sessions over HTTP: its order, what each does for the one who asks, what is found, and titles.
import { expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { ann, bob, eve, type HttpDoor, httpOf } from './open.ts';

const listed = async ({ ask }: HttpDoor, token: string, query: string) => {
  const { body } = await ask(`/api/sessions?order=newest&${query}`, { token });
  return body.sessions.map(({ session }: { session: string }) => session) as string[];
};

const say = ({ ask }: HttpDoor, session: string, text: string, token = ann) =>
  ask(`/api/sessions/${session}/say`, { token, body: { text, onDisconnect: 'continue' } });

test('the newest session is the first, also after a page; each says when something last happened in it [list.order]', async () => {
  const door = await httpOf();
  for (const session of ['b', 'c', 'a']) await say(door, session, 'hello');
  await say(door, 'c', 'again');
  const first = (await door.ask('/api/sessions?order=newest&limit=2')).body;
  expect(first.sessions.map(({ session }: { session: string }) => session)).toEqual(['c', 'a']);
  const [c, a] = first.sessions;
  expect(c.lastAt).toBeGreaterThanOrEqual(a.lastAt);
  const second = (await door.ask(`/api/sessions?order=newest&limit=2&after=${encodeURIComponent(first.next)}`)).body;
  expect(second).toMatchObject({ sessions: [{ session: 'b', status: 'done' }], next: null });
  // by name, as earlier clients ask
  const byName = (await door.ask('/api/sessions?limit=2')).body;
  expect(byName).toMatchObject({ sessions: [{ session: 'a' }, { session: 'b' }], next: 'b' });
  expect((await door.ask('/api/sessions?after=b')).body).toMatchObject({ sessions: [{ session: 'c' }], next: null });
});

test('a session says what it does, and asks only who may answer; after a restart of the session, how it has ended [list.order] [list.questions]', async () => {
  const door = await httpOf({}, { own: { session: () => ({ access: 'open' }) } });
  void say(door, 'room', 'call deploy').catch(() => {});
  const statusFor = async (token: string) =>
    (await door.ask('/api/sessions?order=newest', { token })).body.sessions[0]?.status;
  await until(async () => (await statusFor(ann)) === 'asks');
  expect(await statusFor(bob)).toBe('runs');
  const questionsFor = async (token: string) => (await door.ask('/api/questions', { token })).body.questions;
  expect(await questionsFor(ann)).toMatchObject([{ session: 'room', mayAnswer: true }]);
  expect(await questionsFor(bob)).toMatchObject([{ session: 'room', mayAnswer: false }]);
  expect(await listed(door, ann, 'status=asks')).toEqual(['room']);
  expect(await listed(door, bob, 'status=asks')).toEqual([]);
  await door.ask('/api/sessions/room/abort?wait=settled', { body: {} });
  expect(await statusFor(ann)).toBe('stopped');
  expect(await listed(door, ann, 'status=stopped')).toEqual(['room']);
  expect(await listed(door, ann, 'state=awake&status=done')).toEqual([]);
});

test('words, speaker, outcome, tool, cause and time find the turns of sessions that the speaker may read, and no others [list.find]', async () => {
  const door = await httpOf();
  await say(door, 'room', 'the launch of the rocket');
  await say(door, 'room', 'bob speaks of the moon', bob);
  await say(door, 'private', 'the launch date');
  await say(door, 'watched', 'ready to launch');
  void say(door, 'watched', 'call watch').catch(() => {});
  await until(async () => (await listed(door, ann, 'tool=watch&outcome=open')).length === 1);
  await door.ask('/api/sessions/watched/abort?wait=settled', { body: {} });
  expect(await listed(door, ann, 'words=LAUN')).toEqual(['watched', 'private', 'room']);
  expect(await listed(door, bob, 'words=LAUN')).toEqual(['room']);
  expect(await listed(door, eve, 'words=LAUN')).toEqual([]);
  expect(await listed(door, ann, 'words=launch%20rocket')).toEqual(['room']);
  expect(await listed(door, ann, 'words=rocket%20moon')).toEqual([]);
  expect(await listed(door, ann, 'speaker=bob')).toEqual(['room']);
  expect(await listed(door, ann, 'speaker=bob&words=launch')).toEqual([]);
  expect(await listed(door, ann, 'cause=http&outcome=cancelled&tool=watch')).toEqual(['watched']);
  expect(await listed(door, ann, 'tool=watch&words=launch')).toEqual([]); // of two turns
  expect(await listed(door, ann, 'cause=deadline')).toEqual([]);
  const now = (await door.ask('/api/sessions/room/events?limit=1')).body.events[0].at as number;
  expect(await listed(door, ann, `since=${now}&words=launch`)).toEqual(['watched', 'private', 'room']);
  expect(await listed(door, ann, `until=${now}`)).toEqual([]);
  expect(await listed(door, ann, 'words=%21%3F')).toEqual(['watched', 'private', 'room']); // no word: nothing is asked for
  await door.ask('/api/sessions/private', { method: 'DELETE' });
  expect(await listed(door, ann, 'words=launch')).toEqual(['watched', 'room']);
  for (const [query, field] of [
    ['outcome=well', 'outcome'],
    ['status=well', 'status'],
    ['cause=fate', 'cause'],
    ['since=yesterday', 'since'],
    [`words=${'x'.repeat(201)}`, 'words'],
  ])
    expect((await door.ask(`/api/sessions?${query}`)).body).toMatchObject({ code: 'bad_field', field });
});

test('the owner names a session; a member may not, and the same key counts once [list.rename]', async () => {
  const door = await httpOf();
  const rename = (title: string | null, token = ann, key?: string) =>
    door.ask('/api/sessions/room/title', {
      token,
      body: { title },
      ...(key !== undefined && { headers: { 'idempotency-key': key } }),
    });
  await say(door, 'room', 'first words');
  expect(await rename('  Our   plan ')).toMatchObject({ status: 200, body: { session: 'room', title: 'Our plan' } });
  const titleOf = async () => (await door.ask('/api/sessions?order=newest')).body.sessions[0].title;
  expect(await titleOf()).toBe('Our plan');
  expect(await rename('Mine', bob)).toMatchObject({ status: 403, body: { code: 'access_denied' } });
  expect(await rename('Mine', eve)).toMatchObject({ status: 404, body: { code: 'access_denied' } });
  expect((await rename('One', ann, 'k')).status).toBe(200);
  await rename('Two');
  expect((await rename('One', ann, 'k')).status).toBe(200); // counts once
  expect(await rename('Three', ann, 'k')).toMatchObject({ status: 409, body: { code: 'ref_reused' } });
  expect(await titleOf()).toBe('Two');
  await rename(null);
  expect(await titleOf()).toBe('first words');
});
