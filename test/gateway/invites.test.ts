// Invite links over sockets: what they let in, and how they are attacked.
import { describe, expect, onTestFinished, test } from 'vitest';
import { createScriptedProvider, type Step } from '../../src/adapters/models/scripted.ts';
import { createMemoryLog } from '../../src/adapters/stores/memory.ts';
import { createSqliteLog } from '../../src/adapters/stores/sqlite.ts';
import type { Log } from '../../src/core/contracts/log.ts';
import { createLocalRuntime } from '../../src/core/runtime/runtime.ts';
import { systemSources } from '../../src/core/sources/system.ts';
import { hashOfSecret } from '../../src/core/text/same-secret.ts';
import { createTokenAuthenticator } from '../../src/gateway/auth/token-file.ts';
import { newWorkspace } from '../support/belay.ts';
import { startGateway } from '../support/gateway.ts';
import { connectRaw, type RawClient, type RawFrame } from '../support/raw-client.ts';
import { until } from '../support/until.ts';

const names = ['ann', 'bob', 'cid', 'dan'] as const;
type Name = (typeof names)[number];
const tokenOf = (name: Name) => `a-token-of-${name}-0001`;
const authenticator = createTokenAuthenticator({
  ...Object.fromEntries(names.map((speaker) => [tokenOf(speaker), { speaker }])),
  'a-token-of-discord-0001': { speaker: 'discord', roles: ['bridge'] },
});

const minute = 60_000;
const { clock } = systemSources;

interface StartOptions {
  readonly log?: Log;
  readonly access?: 'private';
  readonly policy?: 'owner';
  /** What the model does in each turn. */
  readonly steps?: readonly Step[];
}

async function start({ log = createMemoryLog(), steps = [{ text: 'ok' }], ...session }: StartOptions = {}) {
  let aheadMs = 0;
  const sources = { ...systemSources, clock: { ...clock, now: () => clock.now() + aheadMs } };
  const provider = createScriptedProvider({ clock, respond: () => ({ steps }) });
  const runtime = await createLocalRuntime({ log, provider, sources, session: () => session });
  onTestFinished(() => runtime.close({ force: true }));
  const { url } = await startGateway({ runtime, authenticator });
  const connectAs = async (name: Name) => {
    const client = await connectRaw(url);
    await client.hello(tokenOf(name));
    return client;
  };
  const passMs = (ms: number) => {
    aheadMs += ms;
  };
  return { log, runtime, url, connectAs, passMs };
}

let count = 0;
async function ask(client: RawClient, type: string, frame: object): Promise<RawFrame> {
  const ref = `ask${count++}`;
  client.send({ type, ref, ...frame });
  return until(() => client.frames.find((reply) => reply['ref'] === ref && reply.type !== 'invite_created'));
}
const linkOf = async (client: RawClient, frame: object = {}) => {
  const reply = await ask(client, 'INVITE_LINK', { ms: minute, ...frame });
  expect(reply).toMatchObject({ type: 'invite_link' });
  return { invite: String(reply['invite']), secret: String(reply['secret']) };
};
const joinBy = (client: RawClient, invite: string, session = 'plan') => ask(client, 'JOIN', { session, invite });
const bad = { type: 'error', code: 'bad_invite' };
const joined = { type: 'joined' };

describe('an invite link', () => {
  test('lets one speaker in, once, as a member; the second speaker is refused, and the first comes in again without it [access.invite-link]', async () => {
    const { connectAs } = await start();
    const [ann, bob, cid] = [await connectAs('ann'), await connectAs('bob'), await connectAs('cid')];
    await ann.join('plan');
    expect(await ask(bob, 'JOIN', { session: 'plan' })).toMatchObject({ code: 'access_denied' });
    const { invite, secret } = await linkOf(ann);
    expect(await joinBy(bob, secret)).toMatchObject({
      ...joined,
      room: { owner: 'ann', members: [{ speaker: 'bob', role: 'member' }], present: ['ann', 'bob'], invites: [] },
    });
    expect(await ann.waitFor('member_invited')).toMatchObject({ speaker: 'bob', by: 'ann', invite });
    expect(await joinBy(cid, secret)).toMatchObject(bad);
    expect(await ask(cid, 'JOIN', { session: 'plan' })).toMatchObject({ code: 'access_denied' });
    bob.send({ type: 'LEAVE', ref: 'l1' });
    await bob.waitFor('left');
    expect(await ask(bob, 'JOIN', { session: 'plan' })).toMatchObject(joined);
  });

  test('lets in one of two speakers who use it at once [access.invite-link]', async () => {
    const { connectAs, log } = await start();
    const [ann, bob, cid] = [await connectAs('ann'), await connectAs('bob'), await connectAs('cid')];
    await ann.join('plan');
    const { secret } = await linkOf(ann);
    const replies = await Promise.all([joinBy(bob, secret), joinBy(cid, secret)]);
    expect(replies.map(({ type }) => type).sort()).toEqual(['error', 'joined']);
    const facts = await log.read('plan', 0);
    expect(facts.filter(({ body }) => body.type === 'member_invited')).toHaveLength(1);
  });

  test('lets nobody in after it was revoked, or after its time [access.invite-link]', async () => {
    const { connectAs, passMs } = await start();
    const [ann, bob] = [await connectAs('ann'), await connectAs('bob')];
    await ann.join('plan');
    const revoked = await linkOf(ann);
    expect(await ask(ann, 'REVOKE', { invite: revoked.invite })).toMatchObject({ type: 'invite_revoked', by: 'ann' });
    expect(await ask(ann, 'REVOKE', { invite: revoked.invite })).toMatchObject({ repeated: true });
    expect(await joinBy(bob, revoked.secret)).toMatchObject(bad);
    const { secret } = await linkOf(ann);
    passMs(minute);
    expect(await joinBy(bob, secret)).toMatchObject(bad);
  });

  test('is not guessed: wrong secrets have a rate, also at once, and show nothing and open nothing [access.invite-link]', async () => {
    const { connectAs, log, runtime } = await start();
    const [ann, bob, cid] = [await connectAs('ann'), await connectAs('bob'), await connectAs('cid')];
    await ann.join('plan');
    const { secret } = await linkOf(ann);
    const there = await joinBy(cid, 'x'.repeat(32));
    const nowhere = await joinBy(cid, 'x'.repeat(32), 'none');
    expect({ ...there, ref: '', session: '' }).toEqual({ ...nowhere, ref: '', session: '' });
    expect(await log.head('none')).toMatchObject({ last: 0, epoch: 0 });
    expect(runtime.sizes('none')['sessions']).toBe(1);
    const guesses = await Promise.all(Array.from({ length: 8 }, (_, at) => joinBy(bob, `${secret}${at}`, `s${at}`)));
    const codes = guesses.map((reply) => reply['code']);
    expect(codes.filter((code) => code === 'bad_invite')).toHaveLength(5);
    expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(3);
    expect(await joinBy(bob, secret)).toMatchObject({ code: 'rate_limited' }); // who guesses is not let in by luck either
    expect(await joinBy(cid, secret)).toMatchObject(joined);
  });

  test('wakes no session for a wrong secret, and works after a restart until its time; its secret is not in the store [access.invite-link]', async () => {
    const { store } = newWorkspace();
    const first = createSqliteLog({ path: store });
    const before = await start({ log: first });
    const ann = await before.connectAs('ann');
    await ann.join('plan');
    const { secret } = await linkOf(ann);
    await before.runtime.close({ force: true });
    const stored = JSON.stringify(await first.read('plan', 0));
    expect(stored).toContain(hashOfSecret(secret));
    expect(stored).not.toContain(secret);
    await first.close();

    const log = createSqliteLog({ path: store });
    onTestFinished(() => log.close());
    const after = await start({ log });
    const { epoch } = await log.head('plan');
    const bob = await after.connectAs('bob');
    expect(await joinBy(bob, 'x'.repeat(32))).toMatchObject(bad);
    expect(await log.head('plan')).toMatchObject({ epoch });
    expect(await joinBy(bob, secret)).toMatchObject(joined);
  });

  test('cannot be made by a member, nor by who has not joined; a lower role gives no higher one [access.invite-link]', async () => {
    const { connectAs } = await start();
    const [ann, bob, cid] = [await connectAs('ann'), await connectAs('bob'), await connectAs('cid')];
    await ann.join('plan');
    expect(await joinBy(bob, (await linkOf(ann)).secret)).toMatchObject(joined);
    for (const role of ['member', 'moderator']) {
      expect(await ask(bob, 'INVITE_LINK', { ms: minute, role })).toMatchObject({ code: 'access_denied' });
      expect(await ask(bob, 'INVITE', { speaker: 'bob', role })).toMatchObject({ code: 'access_denied' });
      expect(await ask(cid, 'INVITE_LINK', { session: 'plan', ms: minute, role })).toMatchObject({
        code: 'not_joined',
      });
    }
    for (const role of ['bridge', 'emergency', 'owner'])
      expect(await ask(ann, 'INVITE_LINK', { ms: minute, role })).toMatchObject({ code: 'bad_field', field: 'role' });
    const { invite } = await linkOf(ann);
    expect(await ask(bob, 'REVOKE', { invite })).toMatchObject({ code: 'access_denied' });
  });

  test('ends with the right of who has made it: when they are removed, or are no moderator any more [access.invite-link]', async () => {
    const { connectAs } = await start();
    const [ann, bob, cid] = [await connectAs('ann'), await connectAs('bob'), await connectAs('cid')];
    await ann.join('plan');
    expect(await joinBy(bob, (await linkOf(ann, { role: 'moderator' })).secret)).toMatchObject(joined);
    const first = await linkOf(bob);
    await ask(ann, 'INVITE', { speaker: 'bob', role: 'member' });
    expect(await joinBy(cid, first.secret)).toMatchObject(bad);
    expect(await ask(bob, 'INVITE_LINK', { ms: minute })).toMatchObject({ code: 'access_denied' });
    await ask(ann, 'INVITE', { speaker: 'bob', role: 'moderator' });
    const second = await linkOf(bob);
    await ask(ann, 'REMOVE', { speaker: 'bob' });
    expect(await joinBy(cid, second.secret)).toMatchObject(bad);
  });

  test('that was used does not let its speaker in again after a REMOVE [access.invite-link]', async () => {
    const { connectAs } = await start();
    const [ann, bob] = [await connectAs('ann'), await connectAs('bob')];
    await ann.join('plan');
    const { secret } = await linkOf(ann);
    expect(await joinBy(bob, secret)).toMatchObject(joined);
    await ask(ann, 'REMOVE', { speaker: 'bob' });
    expect(await joinBy(bob, secret)).toMatchObject(bad);
  });

  test('is gone with its session, and is not used up where no member is let in [access.invite-link]', async () => {
    const { connectAs, runtime } = await start();
    const [ann, bob] = [await connectAs('ann'), await connectAs('bob')];
    await ann.join('plan');
    const { secret } = await linkOf(ann);
    await runtime.deleteSession('plan', null);
    expect(await joinBy(bob, secret)).toMatchObject(bad);

    const closed = await start({ access: 'private' });
    const [owner, other] = [await closed.connectAs('ann'), await closed.connectAs('bob')];
    await owner.join('plan');
    const link = await linkOf(owner);
    expect(await joinBy(other, link.secret)).toMatchObject(bad);
    expect((await closed.log.read('plan', 0)).map(({ body }) => body.type)).not.toContain('member_invited');
  });

  test('is not used up by who has its role already, and a command that comes again makes another one [access.invite-link]', async () => {
    const { connectAs } = await start();
    const [ann, bob] = [await connectAs('ann'), await connectAs('bob')];
    const again = await connectAs('ann');
    await ann.join('plan');
    ann.send({ type: 'INVITE_LINK', ref: 'same', ms: minute });
    const lost = await ann.waitFor('invite_link', { ref: 'same' });
    expect(await joinBy(again, String(lost['secret']))).toMatchObject(joined);
    again.send({ type: 'INVITE_LINK', ref: 'same', ms: minute });
    const kept = await again.waitFor('invite_link', { ref: 'same' });
    expect(await joinBy(bob, String(lost['secret']))).toMatchObject(bad);
    expect(await joinBy(bob, String(kept['secret']))).toMatchObject({ ...joined, room: { invites: [] } });
  });
});

test('a moderator of a session stops what is of others and invites; whoever a bridge speaks for under that name does not [access.moderators]', async () => {
  const { connectAs, url } = await start({ policy: 'owner', steps: [{ hang: true }] });
  const [ann, bob, cid] = [await connectAs('ann'), await connectAs('bob'), await connectAs('cid')];
  await ann.join('plan');
  await ask(ann, 'INVITE', { speaker: 'bob', role: 'moderator' });
  await bob.join('plan');
  expect(await ask(bob, 'INVITE', { speaker: 'cid' })).toMatchObject({ type: 'member_invited', by: 'bob' });
  await cid.join('plan');
  expect(await ask(cid, 'INVITE', { speaker: 'dan' })).toMatchObject({ code: 'access_denied' });

  await ask(ann, 'INVITE', { speaker: 'discord' });
  const bridge = await connectRaw(url);
  await bridge.hello('a-token-of-discord-0001');
  await bridge.join('plan');
  expect(await ask(bridge, 'INVITE', { speaker: 'dan' })).toMatchObject({ code: 'access_denied' });

  const { turn } = await ask(ann, 'SAY', { text: 'think' });
  for (const [client, as] of [
    [cid, {}],
    [bridge, { as: 'bob' }],
  ] as const)
    expect(await ask(client, 'CANCEL', { target: turn, ...as })).toMatchObject({ type: 'cancel_refused' });
  expect(await ask(bob, 'CANCEL', { target: turn })).toMatchObject({ type: 'cancel_accepted', stopping: [turn] });
});

test('whoever has joined is told who comes and who goes [access.presence]', async () => {
  const { connectAs } = await start();
  const [ann, bob] = [await connectAs('ann'), await connectAs('bob')];
  await ann.join('plan');
  await ask(ann, 'INVITE', { speaker: 'bob' });
  await bob.join('plan');
  expect(await ann.waitFor('presence', { speaker: 'bob' })).toMatchObject({ present: true, session: 'plan' });
  bob.send({ type: 'LEAVE', ref: 'l1' });
  expect(await ann.waitFor('presence', { speaker: 'bob', present: false })).toMatchObject({ session: 'plan' });
});
