// Invite links over HTTP: each attack that a door has to refuse, with the same reply, so that it shows nothing.
import { expect, test } from 'vitest';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import { systemSources } from '../../../src/core/sources/system.ts';
import { ann, bob, bridge, eve, type HttpDoor, httpOf } from './open.ts';

const minute = 60_000;

async function open() {
  let aheadMs = 0;
  const { clock } = systemSources;
  const log = createMemoryLog();
  const sources = { ...systemSources, clock: { ...clock, now: () => clock.now() + aheadMs } };
  const door = await httpOf({}, { own: { log, sources } });
  for (const session of ['plan', 'other']) await say(door, session, ann);
  const passMs = (ms: number) => {
    aheadMs += ms;
  };
  return { door, log, passMs };
}

const say = ({ ask }: HttpDoor, session: string, token: string) =>
  ask(`/api/sessions/${session}/say`, { token, body: { text: 'hello' } });

async function linkOf({ ask }: HttpDoor, { token = ann, session = 'plan', role = 'member' } = {}) {
  const { status, body } = await ask(`/api/sessions/${session}/invites`, { token, body: { ms: minute, role } });
  expect(status).toBe(200);
  return body as { invite: string; secret: string };
}

const redeem = ({ ask }: HttpDoor, token: string, secret: string, session = 'plan') =>
  ask(`/api/sessions/${session}/redeem`, { token, body: { secret } });

const bad = { status: 404, body: { code: 'bad_invite' } };

test('a link that was revoked, whose time is over, or that is of another session or a deleted one lets nobody in [access.invite-link]', async () => {
  const { door, passMs } = await open();
  const revoked = await linkOf(door);
  const revoke = (token: string) =>
    door.ask(`/api/sessions/plan/invites/${revoked.invite}`, { method: 'DELETE', token });
  expect(await revoke(eve), 'no member').toMatchObject({ status: 404 });
  expect(await revoke(ann)).toMatchObject({ status: 200, body: { repeated: false } });
  const first = await redeem(door, eve, revoked.secret);
  expect(first).toMatchObject(bad);

  const elsewhere = await linkOf(door, { session: 'other' });
  expect(await redeem(door, eve, elsewhere.secret), 'of another session').toMatchObject(bad);
  await door.ask('/api/sessions/other', { method: 'DELETE' });
  const gone = await redeem(door, eve, elsewhere.secret, 'other');
  expect({ ...gone.body, instance: '' }).toEqual({ ...first.body, instance: '' });
  await say(door, 'other', ann);
  expect(await redeem(door, bridge, elsewhere.secret, 'other'), 'of one that was opened again').toMatchObject(bad);

  const late = await linkOf(door);
  passMs(minute);
  expect(await redeem(door, bridge, late.secret)).toMatchObject(bad);
  expect((await say(door, 'plan', eve)).status).toBe(404);
});

test('of two who use a link at once one is let in; used again, it lets in nobody else [access.invite-link]', async () => {
  const { door, log } = await open();
  const { secret } = await linkOf(door);
  const both = await Promise.all([redeem(door, bob, secret), redeem(door, eve, secret)]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 404]);
  const [winner, loser] = both[0].status === 200 ? [bob, eve] : [eve, bob];
  expect(await redeem(door, winner, secret)).toMatchObject({ status: 200, body: { repeated: true } });
  expect(await redeem(door, loser, secret)).toMatchObject(bad);
  expect((await say(door, 'plan', winner)).status).toBe(200);
  expect((await say(door, 'plan', loser)).status).toBe(404);
  expect((await log.read('plan', 0)).filter(({ body }) => body.type === 'member_invited')).toHaveLength(1);
});

test('a role is that of the link, whatever the request says [access.invite-link]', async () => {
  const { door } = await open();
  const { secret } = await linkOf(door);
  const asking = (more: object) => door.ask('/api/sessions/plan/redeem', { token: eve, body: { secret, ...more } });
  for (const more of [{ role: 'moderator' }, { speaker: 'ann' }, { as: 'ann' }])
    expect(await asking(more), JSON.stringify(more)).toMatchObject({ status: 400, body: { code: 'unknown_field' } });
  for (const edited of [`${secret}&role=moderator`, `${secret}x`, secret.slice(1)])
    expect((await redeem(door, eve, edited)).status, edited).not.toBe(200);
  expect(await asking({})).toMatchObject({ status: 200, body: { role: 'member' } });
  const body = { ms: minute, role: 'moderator' };
  expect((await door.ask('/api/sessions/plan/invites', { token: eve, body })).status).toBe(403);
  const members = { token: eve, body: { speaker: 'eve', role: 'moderator' } };
  expect((await door.ask('/api/sessions/plan/members', members)).status).toBe(403);
});

test('the links of a speaker end with the deletion of the speaker; those of others do not [access.invite-link] [delete.person]', async () => {
  const { door } = await open();
  const asModerator = await linkOf(door, { role: 'moderator' });
  expect((await redeem(door, bob, asModerator.secret)).status).toBe(200);
  const [ofBob, ofAnn] = [await linkOf(door, { token: bob }), await linkOf(door)];
  expect((await door.ask('/api/speakers/bob', { method: 'DELETE', token: bob })).status).toBe(200);
  expect(await redeem(door, eve, ofBob.secret)).toMatchObject(bad);
  expect(await redeem(door, eve, ofAnn.secret)).toMatchObject({ status: 200, body: { repeated: false } });
});
