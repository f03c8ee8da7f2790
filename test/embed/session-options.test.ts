// Options that a session is opened with are facts of it: they count on every host, in a fork, and after a restart.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createMemoryLog } from '../../src/adapters/stores/memory.ts';
import type { ToolSource } from '../../src/core/contracts/tool-source.ts';
import { defineTool } from '../../src/core/tools/define-tool.ts';
import type { RuntimeOptions } from '../../src/embed/runtime.ts';
import { watch } from '../support/watch-tool.ts';
import { asks, open, says } from './open.ts';

const greet = defineTool({
  name: 'greet',
  description: 'Greets.',
  input: z.strictObject({}),
  access: 'parallel',
  cancel: 'abortable',
  effect: 'none',
  timeoutMs: 0,
  run: async () => 'hello',
});

const options = {
  profile: 'careful',
  policy: 'owner',
  tools: ['greet', 'extra__*'],
  approve: ['greet'],
  roots: ['/srv/work'],
} as const;

const both: Partial<RuntimeOptions> = { tools: [watch, greet] };
const offered = (request: { readonly tools?: readonly { readonly name: string }[] } | undefined) =>
  request?.tools?.map(({ name }) => name);

test('they leave out tools, add approvals, and set the policy [doors.options]', async () => {
  const { runtime, clock, provider } = await open((said) => (said === 'greet me' ? asks('greet') : says('ok')), both);
  const session = await runtime.session('own', options);
  expect(session.policy).toBe('owner');
  const ann = session.as('ann');
  const turn = ann.say('greet me');
  await clock.advance(0);
  expect(offered(provider.requests[0])).toEqual(['greet']);
  const { questions } = await runtime
    .directory()
    .then((directory) => directory.questions({ speaker: { id: 'ann', roles: ['member'] }, connection: 'c' }));
  expect(questions).toMatchObject([{ session: 'own' }]);
  turn.cancel();
  await clock.advance(0);
});

test('another host applies them without being given them, and refuses other ones [doors.options]', async () => {
  const log = createMemoryLog();
  const first = await open(() => says('ok'), { ...both, log });
  await first.runtime.session('own', options);
  await first.close();
  const second = await open(() => says('ok'), { ...both, log });
  await expect(second.runtime.session('own', { ...options, tools: ['*'] })).rejects.toMatchObject({
    code: 'session_exists',
    name: 'SessionOptionsDiffer',
  });
  const again = await second.runtime.session('own');
  expect(again.policy).toBe('owner');
  expect(await second.runtime.session('own', options)).toBeDefined();
  again.as('ann').say('hello');
  await second.clock.advance(0);
  expect(offered(second.provider.requests[0])).toEqual(['greet']);
});

test('other options for a session that is awake are refused, none are not [doors.options]', async () => {
  const { runtime } = await open(() => says('ok'), both);
  await runtime.session('own', options);
  await expect(runtime.session('own', {})).rejects.toMatchObject({ code: 'session_exists' });
  await expect(runtime.session('s', options)).rejects.toMatchObject({ code: 'session_exists' });
  await expect(runtime.session('own')).resolves.toBeDefined();
});

test('a fork can do no more than the session that it comes from [doors.options]', async () => {
  const { runtime, clock, provider } = await open(() => says('ok'), both);
  const ann = (await runtime.session('own', options)).as('ann');
  const turn = ann.say('hello');
  await clock.advance(0);
  const forked = runtime.sessions.fork('own', { turn: await turn.opened, to: 'copy' });
  await clock.advance(0);
  expect(await forked).toMatchObject({ type: 'forked' });
  const copy = await runtime.session('copy');
  expect(copy.policy).toBe('owner');
  copy.as('ann').say('and here?');
  await clock.advance(0);
  expect(offered(provider.requests.at(-1))).toEqual(['greet']);
});

test('its MCP servers are made by the host, from the log too; a host that makes none does not open it [doors.options]', async () => {
  const log = createMemoryLog();
  const made: unknown[] = [];
  const extra = { ...greet, name: 'extra__ping' };
  const source: ToolSource = { tools: () => tools, mayHave: () => true, instructions: () => [] };
  const tools = [extra];
  const sessionServers: RuntimeOptions['sessionServers'] = (servers) => {
    made.push(servers);
    return source;
  };
  const servers = { extra: { command: 'extra-server' } };
  const first = await open(() => says('ok'), { ...both, log, sessionServers });
  await first.runtime.session('own', { ...options, mcpServers: servers });
  await first.close();
  const without = await open(() => says('ok'), { ...both, log });
  await expect(without.runtime.session('own')).rejects.toThrow('give it the option sessionServers');
  await without.close();
  const second = await open(() => says('ok'), { ...both, log, sessionServers });
  (await second.runtime.session('own')).as('ann').say('hello');
  await second.clock.advance(0);
  expect(offered(second.provider.requests[0])).toEqual(['greet', 'extra__ping']);
  expect(made).toEqual([1, 2].map(() => ({ session: 'own', servers, roots: ['/srv/work'] })));
});

test('no client receives them: they name folders and commands of the host [doors.options]', async () => {
  const { runtime, clock } = await open(() => says('ok'), both);
  const types: string[] = [];
  (await runtime.session('own', options)).as('ann', { after: 0 }).on('*', (frame) => types.push(JSON.stringify(frame)));
  await clock.advance(0);
  expect(types.join()).toContain('session_opened');
  expect(types.join()).not.toContain('/srv/work');
});
