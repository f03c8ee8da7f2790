// The stored sessions of `belay acp`: a client that lists them, and loads one after a restart or a crash. What a client brings and chooses.
import { join } from 'node:path';
import { methods, type NewSessionResponse } from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import { living, newToken } from '../adapters/processes/processes.ts';
import { type AcpClient, startAcp } from '../support/acp-client.ts';
import { type ConfigFile, newWorkspace, type Workspace, writeConfig } from '../support/belay.ts';
import { startChild } from '../support/child.ts';
import { shellCall, toolMessages, untilRunning, useEndpoint } from '../support/journey.ts';
import { until } from '../support/until.ts';

const endpoint = useEndpoint();
const { session } = methods.agent;

const start = (workspace: Workspace, config: ConfigFile = {}) =>
  startAcp({
    cwd: workspace.path,
    args: ['--config', writeConfig(endpoint, workspace, { roots: [workspace.path], ...config })],
  });

async function closeClient({ child }: AcpClient): Promise<void> {
  child.process.stdin?.end();
  expect(await child.ended(20_000)).toBe(0);
}

const sentBy = ({ updates }: AcpClient) =>
  updates.map(({ update }) => {
    const { sessionUpdate } = update;
    return 'content' in update && update.content && 'text' in update.content
      ? `${sessionUpdate}: ${update.content.text}`
      : sessionUpdate;
  });

const withoutRepeats = (sent: readonly string[]) => sent.filter((one, i) => one !== sent[i - 1]);

test('a session is listed by its folder, and loaded after a restart: its history is repeated, and it goes on [doors.acp]', async () => {
  const workspace = newWorkspace();
  const { folder } = workspace;
  await endpoint.script([
    { when: { toolResult: true }, reply: { text: 'Listed.' } },
    { when: { user: 'more' }, reply: { text: 'More.' } },
    { reply: { text: 'I look.', calls: [shellCall('echo here', '.')] } },
  ]);
  const first = await start(workspace);
  const id = await first.open(folder.a, { additionalDirectories: [folder.b] });
  await first.open(folder.a); // nothing is said in it
  const elsewhere = await first.open(folder.c);
  await first.prompt(id, 'list it');
  await first.prompt(elsewhere, 'more');
  const live = first.updates.filter(({ sessionId }) => sessionId === id);
  await closeClient(first);

  const second = await start(workspace);
  const { agent } = second.connection;
  const all = await agent.request(session.list, {});
  expect(all.sessions.map(({ sessionId }) => sessionId)).toEqual([elsewhere, id]);
  const { sessions } = await agent.request(session.list, { cwd: folder.a });
  expect(sessions).toMatchObject([
    {
      sessionId: id,
      cwd: folder.a,
      additionalDirectories: [folder.b],
      title: 'list it',
      updatedAt: expect.any(String),
    },
  ]);
  const loaded = await agent.request(session.load, { sessionId: id, cwd: folder.a, mcpServers: [] });
  expect(loaded).toMatchObject({ modes: { currentModeId: 'ask' } });
  const kept = withoutRepeats(sentBy({ updates: live } as never)); // live output is an update of its call, too
  expect(withoutRepeats(sentBy(second))).toEqual(['user_message_chunk: list it', ...kept]);
  expect(second.calls()).toMatchObject([{ name: 'shell', status: 'completed' }]);
  await second.prompt(id, 'more');
  expect(second.text()).toBe('I look.\n\nListed.More.');
  const said = (await endpoint.requests()).at(-1)?.messages.filter(({ role }) => role === 'user');
  expect(said?.map(({ content }) => content)).toEqual(['list it', 'more']);

  await expect(agent.request(session.load, { sessionId: id, cwd: folder.c, mcpServers: [] })).rejects.toMatchObject({
    data: { field: 'cwd' },
    message: expect.stringContaining(`has the folder ${folder.a}`),
  });
  await agent.request(session.close, { sessionId: id });
  await expect(second.prompt(id, 'more')).rejects.toMatchObject({ code: -32_002 });
  const before = second.updates.length;
  await agent.request(session.resume, { sessionId: id, cwd: folder.a });
  expect(second.updates.length).toBe(before);
  expect(await second.prompt(id, 'more')).toMatchObject({ stopReason: 'end_turn' });
  await agent.request(session.delete, { sessionId: id });
  expect((await agent.request(session.list, {})).sessions.map(({ sessionId }) => sessionId)).toEqual([elsewhere]);
});

test('a session of a killed process is loaded with what it had done, and nothing of it is alive [doors.acp]', async () => {
  const workspace = newWorkspace();
  const token = newToken();
  await endpoint.script([{ reply: { text: 'On it.', calls: [shellCall(`sleep ${token}`, '.')] } }]);
  const first = await start(workspace);
  const id = await first.open(workspace.folder.a);
  first.prompt(id, 'build').catch(() => {}); // its connection breaks
  await untilRunning(token);
  first.child.signal('SIGKILL');
  await first.child.ended();
  const second = await start(workspace);
  await until(() => living(token).length === 0, { what: 'the command to end' });
  await second.connection.agent.request(session.load, { sessionId: id, cwd: workspace.folder.a, mcpServers: [] });
  expect(second.text()).toBe('On it.');
  expect(second.calls()).toMatchObject([{ status: 'failed', rawOutput: { outcome: 'failed', code: 'crash' } }]);
});

test('models and modes are options of the session; a prompt asks for the chosen one [doors.acp]', async () => {
  const workspace = newWorkspace();
  const acp = await start(workspace, {
    model: { baseUrl: endpoint.url, apiKey: 'test', name: 'scripted', choices: ['larger'] },
  });
  await endpoint.script([{ reply: { text: 'ok' } }]);
  const { agent } = acp.connection;
  const opened = await agent.request(session.new, { cwd: workspace.path, mcpServers: [] });
  expect(opened.configOptions).toMatchObject([
    { id: 'mode', category: 'mode', currentValue: 'ask' },
    { id: 'model', category: 'model', currentValue: 'scripted', options: [{ value: 'scripted' }, { value: 'larger' }] },
  ]);
  const { sessionId } = opened;
  const set = (configId: string, value: string) =>
    agent.request(session.setConfigOption, { sessionId, configId, value });
  expect((await set('model', 'larger')).configOptions).toMatchObject([{}, { currentValue: 'larger' }]);
  await set('mode', 'trust');
  expect(acp.updates.at(-1)?.update).toEqual({ sessionUpdate: 'current_mode_update', currentModeId: 'trust' });
  await expect(set('model', 'none')).rejects.toMatchObject({ message: expect.stringContaining('scripted, larger') });
  await expect(set('color', 'red')).rejects.toMatchObject({ message: expect.stringContaining('mode, model') });
  await acp.prompt(sessionId, 'hello');
  expect((await endpoint.requests()).at(-1)).toMatchObject({ model: 'larger' });
});

test('MCP servers of the client are started if the configuration allows their names, end with the session, and others are reported as left out [doors.acp]', async () => {
  const workspace = newWorkspace();
  const acp = await start(workspace, { acp: { mcpServers: ['my tools'] } });
  const token = newToken();
  const server = (name: string) => ({
    name,
    command: process.execPath,
    args: [join(import.meta.dirname, '..', 'children', 'mcp-server.ts'), token],
    env: [],
  });
  await endpoint.script([{ reply: { text: 'ok' } }]);
  const { agent } = acp.connection;
  const opened = await agent.request<NewSessionResponse>(session.new, {
    cwd: workspace.path,
    mcpServers: [server('my tools'), server('other')],
  });
  expect(opened._meta).toEqual({ belay: { refusedServers: ['other'] } });
  await acp.prompt(opened.sessionId, 'hello');
  expect(living(token)).toHaveLength(1);
  expect(JSON.stringify((await endpoint.requests()).at(-1)?.tools)).toContain('my_tools__');
  expect(toolMessages((await endpoint.requests()).at(-1))).toEqual([]);
  await closeClient(acp);
  expect(living(token)).toEqual([]);
});

test('without a store of its own each folder has one; while another client runs there, sessions are in memory [doors.acp]', async () => {
  const workspace = newWorkspace();
  await endpoint.script([{ reply: { text: 'ok' } }]);
  const first = await start(workspace, { store: undefined });
  const second = await start(workspace, { store: undefined });
  expect(second.child.stderr()).toContain('Another client runs in this folder');
  await Promise.all([first, second].map(async (acp) => acp.prompt(await acp.open(workspace.path), 'hello')));
  await Promise.all([first, second].map(closeClient));
  const third = await start(workspace, { store: undefined });
  expect((await third.connection.agent.request(session.list, {})).sessions).toMatchObject([{ title: 'hello' }]);
  expect(first.child.stderr()).toBe('');
});

test('a start that fails says why on stderr, writes nothing to stdout, and ends with 1 [doors.acp]', async () => {
  const { path } = newWorkspace();
  const child = startChild('src/programs/belay.ts', { args: ['acp', '--root', join(path, 'gone')], cwd: path });
  expect(await child.ended(20_000)).toBe(1);
  expect(child.stderr()).toContain('there is no folder');
  expect(child.stdout()).toBe('');
});

test('what is no message is answered with an error, and the process goes on [doors.acp]', async () => {
  const { path } = newWorkspace();
  const child = startChild('src/programs/belay.ts', { args: ['acp', '--demo', '--store', 'memory'], cwd: path });
  const request = (id: number, method: string, params: object) =>
    child.type(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
  child.type('no message');
  request(1, 'session/new', { cwd: path, mcpServers: [] });
  request(2, 'initialize', { protocolVersion: 99 });
  const replies = await until(
    () => {
      const lines = child.stdout().trim().split('\n');
      return lines.length === 3 ? lines.map((line) => JSON.parse(line)) : null;
    },
    { ms: 20_000, what: 'three replies' },
  );
  const codes = replies.map(({ id, error, result }) => [id, error?.code ?? result.protocolVersion]);
  expect(new Map(codes as [number | null, number][])).toEqual(
    new Map([
      [null, -32_700],
      [1, -32_600],
      [2, 1],
    ]),
  );
  child.process.stdin?.end();
  expect(await child.ended(20_000)).toBe(0);
});
