// Access with the client library, over a socket and inside the process: invitations, and refusals by name.
import { expect, onTestFinished, test } from 'vitest';
import { createScriptedProvider } from '../../src/adapters/models/scripted.ts';
import { systemSources } from '../../src/core/sources/system.ts';
import { createRuntime } from '../../src/embed/runtime.ts';
import { createTokenAuthenticator } from '../../src/gateway/auth/token-file.ts';
import { connectChecked } from '../support/checked-client.ts';
import { startGateway } from '../support/gateway.ts';

const tokens = { ann: 'a-token-of-ann-0001', bob: 'a-token-of-bob-0001' };
const { clock } = systemSources;

async function start() {
  const provider = createScriptedProvider({ clock, respond: () => ({ steps: [{ text: 'ok' }] }) });
  const runtime = await createRuntime({
    acknowledge: 'off',
    provider,
    session: (id) => (id === 'strict' ? { access: 'members' } : {}),
  });
  onTestFinished(() => runtime.close());
  const authenticator = createTokenAuthenticator({
    [tokens.ann]: { speaker: 'ann' },
    [tokens.bob]: { speaker: 'bob' },
  });
  const { url } = await startGateway({ runtime, authenticator });
  const as = async (name: keyof typeof tokens) => {
    const client = await connectChecked({ url, token: tokens[name] });
    onTestFinished(() => client.close());
    return client;
  };
  return { runtime, as };
}

test('a client is refused by name, is invited, and joins; what is its own it joins as before [access.join]', async () => {
  const { as } = await start();
  const [ann, bob] = [await as('ann'), await as('bob')];
  const plan = ann.session('plan');
  await plan.joined;
  await expect(bob.session('plan').joined).rejects.toMatchObject({ name: 'CommandRefused', code: 'access_denied' });
  expect(await plan.invite('bob')).toMatchObject({ type: 'member_invited', speaker: 'bob', by: 'ann' });
  expect(await plan.invite('bob')).toMatchObject({ repeated: true });
  const joined = bob.session('plan', { after: 0 });
  await joined.joined;
  await expect(joined.invite('carl')).rejects.toMatchObject({ code: 'access_denied' });
  expect(await joined.say('hi').reply()).toBe('ok');
  expect(await bob.session('of-bob').say('hi').reply()).toBe('ok');
});

test('a program lets its own speakers in, and invites those of a door [access.join]', async () => {
  const { runtime, as } = await start();
  const session = await runtime.session('room');
  await session.as('zoe').joined;
  const bob = await as('bob');
  await expect(bob.session('room').joined).rejects.toMatchObject({ code: 'access_denied' });
  await session.invite(null, { speaker: 'bob' });
  await bob.session('room').joined;
});

test('under a rule of the session a program has to invite its own speakers, too [access.join]', async () => {
  const { runtime } = await start();
  const session = await runtime.session('strict');
  await expect(session.as('zoe').joined).rejects.toMatchObject({ code: 'access_denied' });
  await expect(session.invite(null, { speaker: 'a\u0000b' })).rejects.toThrow(RangeError);
  await session.invite(null, { speaker: 'zoe' });
  const zoe = session.as('zoe');
  await zoe.joined;
  await expect(zoe.invite('yan')).rejects.toMatchObject({ code: 'access_denied' });
  await session.invite(null, { speaker: 'mo' });
  await session.as({ id: 'mo', roles: ['moderator'] }).invite('yan');
  await session.as('yan').joined;
});

test('who is removed leaves by that name, and does not come back by itself; over a socket and inside the process [access.join]', async () => {
  const { runtime, as } = await start();
  const [ann, bob] = [await as('ann'), await as('bob')];
  const plan = ann.session('plan');
  await plan.joined;
  await plan.invite('bob');
  const bobs = bob.session('plan');
  const reasons: unknown[] = [];
  bobs.on('left', ({ reason }) => reasons.push(reason));
  await bobs.joined;
  expect(await plan.remove('bob')).toMatchObject({ type: 'member_removed', speaker: 'bob', by: 'ann' });
  expect(await plan.remove('bob')).toMatchObject({ repeated: true });
  await expect(bobs.say('still here?').ended).rejects.toMatchObject({ name: 'SessionEnded', reason: 'removed' });
  expect(reasons).toEqual(['removed']);
  await expect(bob.session('plan').joined).rejects.toMatchObject({ code: 'access_denied' });
  expect(await bob.session('of-bob').say('hi').reply()).toBe('ok');

  const strict = await runtime.session('strict');
  await strict.invite(null, { speaker: 'zoe' });
  const zoe = strict.as('zoe');
  await zoe.joined;
  await strict.remove(null, { speaker: 'zoe' });
  await expect(zoe.say('still here?').ended).rejects.toMatchObject({ name: 'SessionEnded', reason: 'removed' });
});
