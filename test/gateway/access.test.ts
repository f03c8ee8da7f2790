// Access over the wire: members by tokens and invitations, refusals that show nothing, and the CANCEL of an emergency.
import { SignJWT } from 'jose';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createScriptedProvider, type Script } from '../../src/adapters/models/scripted.ts';
import { createMemoryLog } from '../../src/adapters/stores/memory.ts';
import type { RuntimeConfig } from '../../src/core/runtime/config.ts';
import { createLocalRuntime } from '../../src/core/runtime/runtime.ts';
import { systemSources } from '../../src/core/sources/system.ts';
import type { Authenticator } from '../../src/gateway/auth/authenticator.ts';
import { createJwtAuthenticator } from '../../src/gateway/auth/jwt.ts';
import { createTokenAuthenticator } from '../../src/gateway/auth/token-file.ts';
import { startGateway } from '../support/gateway.ts';
import { connectRaw, type RawClient } from '../support/raw-client.ts';

const tokens = {
  ann: { speaker: 'ann' },
  bob: { speaker: 'bob', sessions: ['bobs-*'] },
  mo: { speaker: 'mo', roles: ['moderator'], sessions: ['*'] },
  discord: { speaker: 'discord', roles: ['bridge'], sessions: ['room-*'] },
  guard: { speaker: 'guard', roles: ['emergency'], sessions: [] },
} as const;
type Name = keyof typeof tokens;
const tokenOf = (name: Name) => `a-token-of-${name}-0001`;
const authenticator = createTokenAuthenticator(
  Object.fromEntries(
    Object.entries(tokens).map(([name, entry]) => [tokenOf(name as Name), JSON.parse(JSON.stringify(entry))]),
  ),
);

const { clock } = systemSources;

async function start({
  respond = () => ({ steps: [{ text: 'ok' }] }),
  ...config
}: Partial<RuntimeConfig> & { respond?: () => Script } = {}) {
  const log = createMemoryLog();
  const provider = createScriptedProvider({ clock, respond });
  const runtime = await createLocalRuntime({ log, provider, ...config });
  onTestFinished(() => runtime.close({ force: true }));
  return { log, runtime, ...(await startGateway({ runtime, authenticator })) };
}

async function connectAs(url: string, name: Name): Promise<RawClient> {
  const client = await connectRaw(url);
  await client.hello(tokenOf(name));
  return client;
}

/** Sends a command, and resolves with the error that it gets. */
async function refused(client: RawClient, frame: { readonly ref: string; readonly [field: string]: unknown }) {
  client.send(frame);
  return client.waitFor('error', { ref: frame.ref });
}

test('when a session is deleted, those who have joined leave it, and their connections stay [access.join]', async () => {
  const { url, runtime } = await start();
  const ann = await connectAs(url, 'ann');
  await ann.join('plan');
  expect(await runtime.deleteSession('plan', null)).toBe(true);
  expect(await ann.waitFor('left')).toEqual({ type: 'left', session: 'plan', reason: 'deleted' });
  await ann.join('other');
});

describe('with tokens', () => {
  test('REMOVE takes an invitation back: the connections of the speaker leave, and it may not join again [access.join]', async () => {
    const { url, runtime } = await start();
    const [ann, bob, other] = [await connectAs(url, 'ann'), await connectAs(url, 'bob'), await connectAs(url, 'bob')];
    await ann.join('plan');
    ann.send({ type: 'INVITE', ref: 'i1', speaker: 'bob' });
    await ann.waitFor('member_invited');
    await bob.join('plan', 0);
    await other.join('plan');
    expect(await refused(bob, { type: 'REMOVE', ref: 'r0', speaker: 'ann' })).toMatchObject({ code: 'access_denied' });
    expect(await refused(ann, { type: 'REMOVE', ref: 'r1', speaker: 'ann' })).toMatchObject({ code: 'access_denied' });
    ann.send({ type: 'REMOVE', ref: 'r2', speaker: 'bob' });
    expect(await ann.waitFor('member_removed')).toMatchObject({ speaker: 'bob', by: 'ann', ref: 'r2' });
    for (const client of [bob, other])
      expect(await client.waitFor('left')).toEqual({ type: 'left', session: 'plan', reason: 'removed' });
    ann.send({ type: 'SAY', ref: 's1', text: 'a secret' });
    await ann.waitFor('turn_ended');
    expect(await refused(bob, { type: 'JOIN', ref: 'j2', session: 'plan' })).toMatchObject({ code: 'access_denied' });
    expect(await refused(bob, { type: 'SAY', ref: 's2', session: 'plan', text: 'x' })).toMatchObject({
      code: 'not_joined',
    });
    expect(JSON.stringify([bob.frames, other.frames])).not.toContain('a secret');
    ann.send({ type: 'REMOVE', ref: 'r3', speaker: 'bob' });
    expect(await ann.waitFor('member_removed', { ref: 'r3' })).toMatchObject({ repeated: true });
    ann.send({ type: 'INVITE', ref: 'i2', speaker: 'bob' });
    await ann.waitFor('member_invited', { ref: 'i2' });
    await bob.join('plan');
    expect((await runtime.remove('plan', null, { speaker: 'bob' })).repeated).toBe(false);
  });

  test('no token joins, reads or uses the session of another speaker; an INVITE lets one in [access.join]', async () => {
    const { url } = await start();
    const [ann, bob] = [await connectAs(url, 'ann'), await connectAs(url, 'bob')];
    await ann.join('plan');
    const denied = await refused(bob, { type: 'JOIN', ref: 'j1', session: 'plan', after: 0 });
    expect(denied).toMatchObject({ code: 'access_denied', session: 'plan' });
    const never = await refused(bob, { type: 'JOIN', ref: 'j2', session: 'never', after: 0 });
    expect({ ...never, ref: 'j1', session: 'plan' }).toEqual(denied);
    expect(await refused(bob, { type: 'SAY', ref: 's1', session: 'plan', text: 'hi' })).toMatchObject({
      code: 'not_joined',
    });
    expect(await refused(bob, { type: 'CANCEL', ref: 'c1', session: 'plan', target: 'session' })).toMatchObject({
      code: 'not_joined',
    });
    expect(bob.frames.filter(({ session }) => session === 'plan').map(({ type }) => type)).not.toContain('joined');
    ann.send({ type: 'INVITE', ref: 'i1', speaker: 'bob' });
    expect(await ann.waitFor('member_invited', { ref: 'i1' })).toMatchObject({ speaker: 'bob', by: 'ann' });
    const { seq: _, at: __, ...invited } = await ann.waitFor('member_invited', { ref: 'i1' });
    ann.send({ type: 'INVITE', ref: 'i2', speaker: 'bob' });
    expect(await ann.waitFor('member_invited', { ref: 'i2' })).toEqual({ ...invited, ref: 'i2', repeated: true });
    await bob.join('plan', 0);
    expect(await bob.waitFor('session_opened')).toMatchObject({ by: 'ann' });
    expect(await refused(bob, { type: 'INVITE', ref: 'i3', speaker: 'guard' })).toMatchObject({
      code: 'access_denied',
    });
  });

  test('a refusal makes no row in the store [access.join]', async () => {
    const { url, log } = await start();
    const bob = await connectAs(url, 'bob');
    await refused(bob, { type: 'JOIN', ref: 'j', session: 'never' });
    expect(await log.head('never')).toEqual({ epoch: 0, last: 0, holder: null });
    await bob.join('bobs-own');
  });

  test('a moderator whose token names the session may invite [access.join]', async () => {
    const { url } = await start();
    const [ann, mo] = [await connectAs(url, 'ann'), await connectAs(url, 'mo')];
    await ann.join('plan');
    await mo.join('plan');
    mo.send({ type: 'INVITE', ref: 'i', speaker: 'bob' });
    await ann.waitFor('member_invited', { by: 'mo' });
    await (await connectAs(url, 'bob')).join('plan');
  });

  test('a bridge joins the sessions of its own token only, whoever it speaks for [access.join]', async () => {
    const { url } = await start();
    const [ann, bridge] = [await connectAs(url, 'ann'), await connectAs(url, 'discord')];
    await ann.join('plan');
    expect(await refused(bridge, { type: 'JOIN', ref: 'j', session: 'plan' })).toMatchObject({ code: 'access_denied' });
    await bridge.join('room-1');
    bridge.send({ type: 'SAY', ref: 's', text: 'hi', as: 'ann' });
    await bridge.waitFor('turn_opened', { owner: 'ann', via: 'discord' });
    expect(await refused(ann, { type: 'JOIN', ref: 'j', session: 'room-1' })).toMatchObject({ code: 'access_denied' });
  });

  test('turns of a speaker are refused by name past their share [access.share]', async () => {
    const respond = () => ({ steps: [{ hang: true as const }] });
    const { url } = await start({ respond, limits: { turnsPerSpeaker: 1, sessionOpensPerMinute: 2 } });
    const ann = await connectAs(url, 'ann');
    await ann.join('a');
    await ann.join('b');
    ann.send({ type: 'SAY', ref: 's1', session: 'a', text: 'go' });
    await ann.waitFor('turn_opened');
    ann.send({ type: 'SAY', ref: 's2', session: 'b', text: 'go' });
    expect(await ann.waitFor('say_refused', { ref: 's2' })).toMatchObject({ code: 'too_many_turns' });
    expect(await refused(ann, { type: 'JOIN', ref: 'j', session: 'c' })).toMatchObject({
      code: 'too_many_opens',
      limit: 2,
    });
  });
});

describe('an emergency', () => {
  test('stops a session without joining it: the receipt goes to it, and nothing else does [access.join]', async () => {
    const { url, log } = await start({ respond: () => ({ steps: [{ text: 'secret' }, { hang: true }] }) });
    const [ann, guard] = [await connectAs(url, 'ann'), await connectAs(url, 'guard')];
    await ann.join('plan');
    ann.send({ type: 'SAY', ref: 's', text: 'a secret plan' });
    const { turn } = await ann.waitFor('turn_opened');
    await ann.waitFor('text_delta');
    expect(await refused(guard, { type: 'JOIN', ref: 'j', session: 'plan' })).toMatchObject({ code: 'access_denied' });
    guard.send({ type: 'CANCEL', ref: 'c', session: 'plan', target: 'session', reason: 'alarm' });
    expect(await guard.waitFor('cancel_accepted', { ref: 'c' })).toMatchObject({ by: 'guard', stopping: [turn] });
    expect(await guard.waitFor('cancel_settled', { ref: 'c' })).toMatchObject({
      nodes: [{ node: turn, outcome: 'cancelled' }],
    });
    await ann.waitFor('cancel_settled');
    expect(guard.frames.map(({ type }) => type)).toEqual(['welcome', 'error', 'cancel_accepted', 'cancel_settled']);
    expect(JSON.stringify(guard.frames)).not.toMatch(/secret/);
    expect(await refused(guard, { type: 'APPROVE', ref: 'a', session: 'plan', target: 'call_1' })).toMatchObject({
      code: 'not_joined',
    });
    guard.send({ type: 'CANCEL', ref: 'c2', session: 'never', target: 'session' });
    await guard.waitFor('already_settled', { ref: 'c2' });
    guard.send({ type: 'CANCEL', ref: 'c3', session: 'never', target: 'say:s' });
    await guard.waitFor('unknown_target', { ref: 'c3' });
    expect((await log.head('never')).epoch).toBe(0);
  });

  test('reads no reason of another one [access.join]', async () => {
    const respond = () => ({ steps: [{ hang: true as const }], ignoresSignal: true });
    const { url } = await start({ respond, limits: { modelUnwindMs: 2_000 } });
    const [ann, guard] = [await connectAs(url, 'ann'), await connectAs(url, 'guard')];
    await ann.join('plan');
    ann.send({ type: 'SAY', ref: 's', text: 'go' });
    await ann.waitFor('model_started');
    ann.send({ type: 'CANCEL', ref: 'c', target: 'mine', reason: 'my secret' });
    await ann.waitFor('cancel_accepted');
    guard.send({ type: 'CANCEL', ref: 'g', session: 'plan', target: 'session' });
    expect(await guard.waitFor('cancel_accepted', { ref: 'g' })).toMatchObject({
      repeated: true,
      by: 'ann',
      reason: null,
    });
    await guard.waitFor('cancel_settled', { ref: 'g' });
    expect(JSON.stringify(guard.frames)).not.toMatch(/secret/);
  });
});

describe('the sessions of a token', () => {
  const secret = 'a secret of thirty-two bytes or more';
  const sign = (claims: object) =>
    new SignJWT({ sub: 'ann', ...claims }).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(secret));
  const jwt: Authenticator = createJwtAuthenticator({ key: { kind: 'secret', secret }, clock });

  test.each([
    [{}, null],
    [{ sessions: ['team-*'] }, ['team-*']],
    [{ sessions: [] }, []],
    [{ sessions: 'team-*' }, []],
    [{ sessions: [1] }, []],
    [{ sessions: ['a b'] }, []],
  ])('a claim %j gives %j [access.join]', async (claims, sessions) => {
    expect(await jwt.verify(await sign(claims))).toMatchObject({ sessions });
  });

  test('a token file names a pattern that is not good [access.join]', () => {
    expect(() => createTokenAuthenticator({ [tokenOf('ann')]: { speaker: 'ann', sessions: ['a b'] } })).toThrow(
      'entry 1, sessions[0]: it must be made of A-Z a-z 0-9 . _ : @ / - and *',
    );
  });
});
