// Chats of several speakers with tokens: each works in a session of its own, and is let into another one by `/invite`.
import { expect, onTestFinished, test } from 'vitest';
import { createScriptedProvider } from '../../src/adapters/models/scripted.ts';
import { systemSources } from '../../src/core/sources/system.ts';
import { createRuntime } from '../../src/embed/runtime.ts';
import { createTokenAuthenticator } from '../../src/gateway/auth/token-file.ts';
import { type Child, startChild } from '../support/child.ts';
import { startGateway } from '../support/gateway.ts';

const startMs = 20_000;

async function start() {
  const { clock } = systemSources;
  const provider = createScriptedProvider({ clock, respond: () => ({ steps: [{ text: 'You are welcome.' }] }) });
  const runtime = await createRuntime({ acknowledge: 'off', provider });
  onTestFinished(() => runtime.close());
  const authenticator = createTokenAuthenticator({
    'token-of-ann-000001': { speaker: 'ann' },
    'token-of-bob-000001': { speaker: 'bob' },
    'token-of-carl-000001': { speaker: 'carl' },
  });
  const { url } = await startGateway({ runtime, authenticator });
  return (name: string, session: string): Child =>
    startChild('src/programs/chat.ts', { args: [url, '--session', session, '--token', `token-of-${name}-000001`] });
}

test('/invite lets another speaker in; a chat at the session of another one ends with a hint [access.join] [cli.chat]', async () => {
  const chat = await start();
  const ann = chat('ann', 'of-ann');
  ann.type('thank you');
  await ann.untilPrinted('You are welcome.', startMs);
  const refused = chat('bob', 'of-ann');
  expect(await refused.ended(startMs)).toBe(1);
  expect(refused.stdout()).toContain('There is no such session for this speaker.');
  expect(refused.stdout()).toContain('Join a session of your own: --session NAME.');
  ann.type('/invite');
  await ann.untilPrinted('The name is missing. Write /invite NAME.');
  ann.type('/invite bob');
  await ann.untilPrinted('You have invited bob.');
  ann.type('/invite bob');
  await ann.untilPrinted('bob is a member already.');
  const bob = chat('bob', 'of-ann');
  bob.type('me too');
  await bob.untilPrinted('You are welcome.', startMs);
  bob.type('/invite carl');
  await bob.untilPrinted('Only the owner of a session, or a moderator in it, can invite and remove. (access_denied)');
});

test('/invite --link prints a link that lets another speaker in, once; --list has it, --revoke ends it, and /who says who is here [access.invite-link] [cli.chat]', async () => {
  const chat = await start();
  const ann = chat('ann', 'of-ann');
  ann.type('thank you');
  await ann.untilPrinted('You are welcome.', startMs);
  ann.type('/invite --list');
  await ann.untilPrinted('There is no invite link that can be used.');
  ann.type('/invite --link 2 moderator');
  const [, page = '', secret = ''] = await ann.untilPrinted(/ {2}(http:\/\/\S+)#\/session\/of-ann\?invite=(\S+)\n/);
  ann.type('/invite --list');
  const [, invite = ''] = await ann.untilPrinted(/ {2}(invite_\w+): for a moderator, until \S+, by ann\n/);
  const redeem = () =>
    fetch(new URL('/api/sessions/of-ann/redeem', page), {
      method: 'POST',
      headers: { authorization: 'Bearer token-of-bob-000001', 'content-type': 'application/json' },
      body: JSON.stringify({ secret }),
    });
  expect(await (await redeem()).json()).toEqual({ session: 'of-ann', role: 'moderator', repeated: false });
  await ann.untilPrinted('You have invited bob as a moderator by a link.');
  ann.type('/who');
  await ann.untilPrinted('  bob: nothing is running (moderator, away)\n');
  ann.type(`/invite --revoke ${invite}`);
  await ann.untilPrinted(`There is no link ${invite} that can be used.`);
  ann.type('/invite --link');
  const [, other = ''] = await ann.untilPrinted(/This link lets one member in, .* \(\/invite --revoke (invite_\w+)\):/);
  ann.type(`/invite --revoke ${other}`);
  await ann.untilPrinted(`You have revoked an invite link (${other}).`);
});

test('an invite link is all that a chat needs to be let in: its session, once; another --session, and a link that was used, are refused [access.invite-link] [cli.chat]', async () => {
  const chat = await start();
  const ann = chat('ann', 'of-ann');
  ann.type('thank you');
  await ann.untilPrinted('You are welcome.', startMs);
  ann.type('/invite --link');
  const [, link = ''] = await ann.untilPrinted(/ {2}(http:\/\/\S+\?invite=\S+)\n/);
  const at = (name: string, ...args: readonly string[]) =>
    startChild('src/programs/chat.ts', { args: [link, '--token', `token-of-${name}-000001`, ...args] });
  const elsewhere = at('bob', '--session', 'main');
  expect(await elsewhere.ended(startMs)).toBe(1);
  expect(elsewhere.stderr()).toContain('The link lets you into the session of-ann, and --session is main.');
  const bob = at('bob', '--session', 'of-ann');
  bob.type('me too');
  await bob.untilPrinted('You are welcome.', startMs);
  await ann.untilPrinted('You have invited bob by a link.');
  bob.type('/exit');
  expect(await bob.ended(startMs)).toBe(0);
  const again = at('bob');
  again.type('and again');
  await again.untilPrinted('You are welcome.', startMs);
  const carl = at('carl');
  expect(await carl.ended(startMs)).toBe(1);
  expect(carl.stdout()).toMatch(/\(bad_invite\)/);
  for (const child of [ann, bob, again, carl])
    expect(child.stderr() + (child === ann ? '' : child.stdout())).not.toContain(link.split('=')[1]);
});
