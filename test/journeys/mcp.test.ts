// The tools of a configured MCP server: called by the model, stopped by a client, terminated with the gateway.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { faulty, hostile, published } from '../adapters/mcp/mcp.ts';
import { startOAuthServer } from '../adapters/mcp/oauth-server.ts';
import { newWorkspace, room, serveBelay, tokenOf } from '../support/belay.ts';
import { startChild } from '../support/child.ts';
import { expectSound, factsOfRoom, toolMessages, useEndpoint } from '../support/journey.ts';
import { joinRoom, watchRoom } from '../support/room-clients.ts';
import { until } from '../support/until.ts';

const endpoint = useEndpoint();

async function startCall(flags: readonly string[] = []) {
  const server = hostile(...flags);
  const workspace = newWorkspace();
  const mcpServers = { good: server.spec, bad: { command: '/nowhere/server' } };
  await endpoint.script([
    {
      reply: {
        text: 'I use them.',
        calls: [
          { name: 'good__echo', arguments: { text: 'echoed' } },
          { name: 'good__wait', arguments: {} },
        ],
      },
    },
  ]);
  const belay = await serveBelay(endpoint, { workspace, config: { mcpServers, mcpReadyMs: 30_000 } });
  const witness = await watchRoom(belay);
  const ann = await joinRoom(belay, 'ann');
  const turn = ann.session.say('words');
  const finished = await ann.waitFor('tool_result');
  const call = (await ann.waitFor('tool_call', ({ name }) => name === 'good__wait')).node;
  return { server, workspace, belay, witness, turn, finished, call };
}

test('a CANCEL stops the running call and its server; finished results stay, and the next turn works [tool.mcp] [cancel.bounded] [cancel.settled]', async () => {
  const { server, belay, witness, turn, finished, call } = await startCall(['deaf']);
  expect(belay.child.stdout()).toMatch(/MCP server {3}good: \d+ tools\n/);
  expect(belay.child.stdout()).toMatch(/MCP server {3}bad did not start: .*ENOENT/);
  expect(finished).toMatchObject({ outcome: 'completed', output: 'echoed', effect: 'none' });
  await until(() => server.received().some(({ params }) => params?.['name'] === 'wait'));

  const receipt = await turn.cancel({ reason: 'enough' }).settled;
  expect(receipt?.nodes.find(({ node }) => node === call)).toMatchObject({
    outcome: 'cancelled',
    effect: 'unknown',
    forced: true,
  });
  expect(server.pids(), 'no process is left after the receipt').toEqual([]);
  const requests = await expectSound(belay, { witness, before: ['200 finished'] });
  expect(toolMessages(requests.at(-1)).join('\n')).toContain('echoed');
});

test('a server that hangs does not delay the start of the gateway; its tools are there when it has listed them [tool.mcp]', async () => {
  const workspace = newWorkspace();
  const opened = join(workspace.path, 'opened');
  const mcpServers = { slow: faulty(`until=${opened}`).spec };
  await endpoint.script([]);
  const belay = await serveBelay(endpoint, { workspace, config: { mcpServers, mcpReadyMs: 100 } });
  expect(belay.child.stdout()).toMatch(/MCP server {3}slow/);
  const ann = await joinRoom(belay, 'ann');
  writeFileSync(opened, '');
  await until(
    async () => {
      await ann.session.say('words').ended;
      return JSON.stringify((await endpoint.requests()).at(-1)).includes('slow__screenshot');
    },
    { ms: 10_000, what: 'the tools of the slow server' },
  );
});

test('after a shutdown no server is left [ops.shutdown] [cancel.clean]', async () => {
  const { server, belay } = await startCall(['deaf']);
  expect(server.pids()).toHaveLength(1);
  belay.child.signal('SIGTERM');
  expect(await belay.child.ended()).toBe(0);
  expect(server.pids()).toEqual([]);
});

test('a server that outlives its gateway during a call is terminated by the next gateway [store.durable] [tool.mcp]', async () => {
  const { server, workspace, belay, call } = await startCall(['deaf']);
  await until(() => server.received().some(({ params }) => params?.['name'] === 'wait'));
  belay.child.signal('SIGKILL');
  await belay.child.ended();
  expect(server.pids(), 'the end of its input does not end it').toHaveLength(1);

  const next = await serveBelay(endpoint, { workspace });
  expect(server.pids()).toEqual([]);
  const back = await watchRoom(next);
  expect(await back.waitFor('abandoned_ended')).toMatchObject({ node: call });
});

test('a gateway names the command for a sign-in that is missing, and uses one that is stored [tool.mcp] [access.secrets]', async () => {
  const guarded = await startOAuthServer();
  const workspace = newWorkspace();
  const config = { mcpServers: { tracker: { url: guarded.url } }, mcpReadyMs: 30_000 };
  const first = await serveBelay(endpoint, { workspace, config });
  expect(first.child.stdout()).toContain('tracker wants a sign-in: sign in with `belay mcp login tracker`');
  first.child.signal('SIGTERM');
  await first.child.ended();

  const file = join(workspace.path, 'belay.json');
  const login = startChild('src/programs/belay.ts', { args: ['mcp', 'login', 'tracker', '--config', file] });
  const [, address = ''] = await login.untilPrinted(/\n\s+(http:\S+)\n/, 10_000);
  await (await fetch(address)).text();
  expect(await login.ended()).toBe(0);

  await endpoint.script([{ when: { user: 'who' }, reply: { calls: [{ name: 'tracker__whoami', arguments: {} }] } }]);
  const second = await serveBelay(endpoint, { workspace, config });
  expect(second.child.stdout()).toMatch(/tracker: 2 tools/);
  const ann = await joinRoom(second, 'ann');
  const turn = ann.session.say('who');
  expect(await ann.waitFor('tool_result')).toMatchObject({ output: 'called with [secret]' });
  await turn.cancel().settled;
  const [token = ''] = guarded.accessTokens;
  expect(JSON.stringify([ann.frames, factsOfRoom(second)])).not.toContain(token);
  expect(second.child.stdout() + second.child.stderr()).not.toContain(token);
});

test('a person names a resource and a prompt in the terminal: they are said with the line; what is not there is not said [tool.mcp]', async () => {
  await endpoint.script([]);
  const mcpServers = { every: published('server-everything', 'stdio') };
  const belay = await serveBelay(endpoint, { config: { mcpServers, mcpReadyMs: 30_000 } });
  const env = { BELAY_TOKEN: tokenOf('ann') };
  const chat = startChild('src/programs/chat.ts', { args: [belay.url, '--session', room], env });
  chat.type('/offers every');
  const [, uri = ''] = await chat.untilPrinted(/@every:(\S+\.md)/, 10_000);
  chat.type('@every:demo://nothing and then?');
  await chat.untilPrinted(/Nothing was said\. A word that begins with @@ is said with one @/);
  expect(await endpoint.requests()).toEqual([]);
  chat.type(`and on with @every:${uri}`);
  await until(async () => JSON.stringify(await endpoint.requests()).includes(`[resource every:${uri}]`));
  chat.type('/every:args-prompt city=Kyiv');
  await until(async () => /\[prompt every:args-prompt\].*Kyiv/.test(JSON.stringify(await endpoint.requests())));
});

test('a session by pattern has servers of its own: they start with its first words, its calls need approvals, no process is left [tool.mcp] [cancel.clean]', async () => {
  const server = hostile();
  await endpoint.script([{ reply: { calls: [{ name: 'own__wait', arguments: {} }] } }]);
  const sessions = { 'ro*': { tools: ['own__*'], mcpServers: { own: server.spec } }, '*': { tools: [] } };
  const config = { sessions, mcpReadyMs: 30_000, approve: ['own__*'], limits: { idleMs: 300 } };
  const belay = await serveBelay(endpoint, { config });
  const ann = await joinRoom(belay, 'ann');
  expect(server.pids(), 'nobody has said anything').toEqual([]);
  const turn = ann.session.say('words');
  const asked = await ann.waitFor('approval_requested');
  await ann.session.approve(asked.node);
  await until(() => server.received().some(({ params }) => params?.['name'] === 'wait'));
  const [request] = await endpoint.requests();
  expect(JSON.stringify(request)).toContain('own__echo');
  expect(JSON.stringify(request)).not.toContain('read_file');
  await turn.cancel({ reason: 'enough' }).settled;

  const other = ann.client.session('lobby');
  await endpoint.script([{ reply: { calls: [{ name: 'own__echo', arguments: { text: 'mine' } }] } }]);
  const refused: string[] = [];
  other.on('tool_result', ({ code = '' }) => void refused.push(code));
  const there = other.say('words');
  await until(() => refused.length > 0);
  expect(refused[0]).toBe('unknown_tool');
  await there.cancel().settled;

  await ann.client.close();
  await until(() => server.pids().length === 0, { ms: 10_000, what: 'the servers of the room to end' });
});

test('a server asks for values in the middle of a call: ANSWER with values goes on with it [tool.mcp]', async () => {
  await endpoint.script([{ reply: { calls: [{ name: 'trips__elicit', arguments: {} }] } }]);
  const belay = await serveBelay(endpoint, { config: { mcpServers: { trips: faulty().spec }, mcpReadyMs: 30_000 } });
  const ann = await joinRoom(belay, 'ann');
  const turn = ann.session.say('words');
  const asked = await ann.waitFor('question_asked');
  expect(asked).toMatchObject({ to: 'ann', schema: { properties: { city: { type: 'string' } } } });
  const closed = await ann.session.answer(asked.node, { city: 'Kyiv', days: 3 }, { question: asked.question });
  expect(closed).toMatchObject({ answer: 'answered', text: '{"city":"Kyiv","days":3}' });
  expect(await ann.waitFor('tool_result')).toMatchObject({
    outcome: 'completed',
    output: '{"action":"accept","content":{"city":"Kyiv","days":3}}',
  });
  await turn.cancel().settled; // its model asks for the same again
});
