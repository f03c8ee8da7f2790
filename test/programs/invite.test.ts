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
