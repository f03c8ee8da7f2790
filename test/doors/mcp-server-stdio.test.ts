// `belay mcp-server` by the official client on stdio: the process that a coding assistant would start, with real shells and an endpoint that sees its requests closed.
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, test } from 'vitest';
import { living, newToken } from '../adapters/processes/processes.ts';
import { newWorkspace, type Workspace, writeConfig } from '../support/belay.ts';
import { compileCache } from '../support/compile-cache.ts';
import { requestEnds, shellCall, toolMessages, untilAllEnded, untilRunning, useEndpoint } from '../support/journey.ts';
import { scaled } from '../support/time-scale.ts';
import { until } from '../support/until.ts';
import { askAgent, type ClientChoices, cancelsIn, connectMcp, eventsIn, type McpTestClient } from './mcp-clients.ts';

const endpoint = useEndpoint();
const modes = ['legacy', 'auto'] as const;

const doors = [
  {
    door: 'mcp',
    profiles: {
      belay: {},
      careful: { description: 'Asks first.', tools: ['shell', 'ask_user'], approve: ['shell'] },
      'not-for-you': { speakers: ['bob'] },
    },
  },
];

interface StdioServer extends McpTestClient {
  readonly workspace: Workspace;
  readonly pid: number;
  readonly endpoint: typeof endpoint;
}

async function start(choices: ClientChoices = {}): Promise<StdioServer> {
  const workspace = newWorkspace();
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['src/programs/belay.ts', 'mcp-server', '--config', writeConfig(endpoint, workspace, { doors })],
    cwd: process.cwd(),
    env: {
      PATH: process.env['PATH'] ?? '',
      XDG_STATE_HOME: process.env['XDG_STATE_HOME'] ?? '',
      ...compileCache(),
    },
  });
  const client = await connectMcp(transport, choices);
  return { ...client, workspace, pid: transport.pid ?? 0, endpoint };
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const untilGone = (server: StdioServer) => until(() => !isAlive(server.pid), { ms: 10_000, what: 'the server to end' });
const untilDead = (...tokens: string[]) =>
  until(() => tokens.every((token) => living(token).length === 0), { what: 'every process to have ended' });
const untilHanging = (count: number) =>
  until(async () => (await endpoint.requests()).filter(({ hanging }) => hanging).length === count, {
    what: 'a request to hang',
  });

/** The tools are the agents of the speaker; a call runs tools in parallel and a sub-agent, tells its progress, and its session goes on. */
async function expectCalls(server: StdioServer, mode: (typeof modes)[number]): Promise<void> {
  expect(server.client.getNegotiatedProtocolVersion()).toBe(mode === 'auto' ? '2026-07-28' : '2025-11-25');
  const { tools } = await server.client.listTools();
  expect(tools.map(({ name, description }) => `${name}: ${description?.slice(0, 11)}`)).toEqual([
    'belay: An agent of',
    'careful: Asks first.',
  ]);
  const { a, b } = server.workspace.folder;
  await endpoint.script([
    { when: { user: 'read the notes' }, reply: { text: 'They are short.' } },
    { when: { toolResult: true }, reply: { text: 'All done.' } },
    {
      reply: {
        text: 'I look.',
        calls: [
          shellCall('echo one', a),
          shellCall('echo two', b),
          { name: 'spawn_agent', arguments: { agent: 'researcher', task: 'read the notes' } },
        ],
      },
    },
  ]);
  const progress: string[] = [];
  const answer = await askAgent(server, 'belay', 'run all', {
    onprogress: ({ message = '' }) => progress.push(message),
  });
  expect(answer).toMatchObject({ text: 'I look.\n\nAll done.', outcome: 'completed', effect: 'done', receipt: null });
  expect(answer.calls.map(({ name, outcome }) => `${name} ${outcome}`).sort()).toEqual([
    'shell completed',
    'shell completed',
    'spawn_agent completed',
  ]);
  expect(progress[0]).toBe(`turn ${answer.turn} in session ${answer.session}`);
  expect(progress.filter((line) => line === 'shell: completed')).toHaveLength(2);
  expect(toolMessages((await endpoint.requests()).at(-1)).join()).toMatch(/one[\s\S]*two/);
  await askAgent(server, 'belay', 'and again', { session: answer.session });
  expect(JSON.stringify((await endpoint.requests()).at(-1)?.messages)).toContain('run all');
}

/** A stop in the middle of text, of tools and of a sub-agent, also twice: all of it is dead, and the receipt is a resource. */
async function expectStops(server: StdioServer): Promise<void> {
  const [one, two] = [newToken(), newToken()];
  const { a, b } = server.workspace.folder;
  await endpoint.script([
    { when: { user: 'talk' }, reply: { text: 'The first half of it', end: 'hang' } },
    { when: { user: 'read the notes' }, reply: { text: 'Reading', end: 'hang' } },
    {
      reply: {
        calls: [
          shellCall(`sleep ${one}`, a),
          shellCall(`trap '' TERM; sleep ${two}`, b),
          { name: 'spawn_agent', arguments: { agent: 'researcher', task: 'read the notes' } },
        ],
      },
    },
  ]);
  const stopText = new AbortController();
  const talking = askAgent(server, 'belay', 'talk', { session: 'talk', signal: stopText.signal });
  await untilHanging(1);
  stopText.abort('not that');
  await expect(talking).rejects.toThrow();
  const twice = { reason: 'twice' };
  // the id of the call is among these
  for (let requestId = 0; requestId < 16; requestId++)
    await server.client.notification({ method: 'notifications/cancelled', params: { requestId, ...twice } });
  await until(async () => (await cancelsIn(server, 'talk'))[0]?.state === 'settled', { what: 'the receipt' });
  expect(await cancelsIn(server, 'talk')).toMatchObject([
    { source: 'client', by: 'local', reason: 'not that', nodes: [{ kind: 'turn', end: { outcome: 'cancelled' } }] },
  ]);

  const stopTools = new AbortController();
  const working = askAgent(server, 'belay', 'all of it', { session: 'work', signal: stopTools.signal });
  await Promise.all([untilRunning(one), untilRunning(two), untilHanging(1)]);
  stopTools.abort();
  await expect(working).rejects.toThrow();
  await untilDead(one, two);
  await untilAllEnded(server);
  expect(requestEnds(await endpoint.requests())).toEqual([
    '200 closed_by_client',
    '200 finished',
    '200 closed_by_client',
  ]);
  await until(async () => (await cancelsIn(server, 'work'))[0]?.state === 'settled', { what: 'the receipt' });
  expect(await cancelsIn(server, 'work')).toHaveLength(1);
  expect((await eventsIn(server, 'work')).map(({ type }) => type)).toContain('cancel_settled');
  const { resources } = await server.client.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual(
    expect.arrayContaining(['belay://sessions', 'belay://sessions/work/cancels', 'belay://sessions/talk/transcript']),
  );
}

/** An approval and a question are forms, and a no is a no. */
async function expectForms(server: StdioServer): Promise<void> {
  const { a } = server.workspace.folder;
  await endpoint.script([
    { when: { user: 'ask', toolResult: true }, reply: { text: 'Asked.' } },
    { when: { user: 'ask' }, reply: { calls: [{ name: 'ask_user', arguments: { question: 'Which host?' } }] } },
    { when: { toolResult: true }, reply: { text: 'So it is.' } },
    { reply: { calls: [shellCall('echo it-ran', a)] } },
  ]);
  const yes = await askAgent(server, 'careful', 'run it');
  expect(yes).toMatchObject({ text: 'So it is.', calls: [{ name: 'shell', outcome: 'completed' }] });
  expect(server.forms[0]?.message).toContain('echo it-ran');
  const no = await askAgent(server, 'careful', 'run it');
  expect(no).toMatchObject({ text: 'So it is.', calls: [{ name: 'shell', outcome: 'denied' }] });
  const asked = await askAgent(server, 'careful', 'ask');
  expect(asked.calls).toMatchObject([{ name: 'ask_user', outcome: 'completed' }]);
  expect(toolMessages((await endpoint.requests()).at(-1)).join()).toContain('example.org');
  expect(server.forms).toHaveLength(3);
}

/** A stop in the middle of a question withdraws its form. */
async function expectWithdrawal(server: StdioServer): Promise<void> {
  await endpoint.script([{ reply: { calls: [shellCall('echo ran')] } }]);
  const stop = new AbortController();
  const asking = askAgent(server, 'careful', 'run it', { session: 'asked', signal: stop.signal });
  await until(() => server.forms.length === 4, { what: 'the form' });
  stop.abort();
  await expect(asking).rejects.toThrow();
  await until(async () => (await cancelsIn(server, 'asked'))[0]?.state === 'settled', { what: 'the receipt' });
  await until(() => server.withdrawn() === 1, { what: 'the form to be withdrawn' });
}

test.each(modes)('calls, stops and forms (%s) [doors.mcp]', { timeout: scaled(30_000) }, async (mode) => {
  const answers = ['yes', 'no', 'example.org'];
  const person = () => {
    const answer = answers.shift();
    return answer === undefined ? 'never' : { action: 'accept', content: { answer } };
  };
  const server = await start({ mode, person });
  await expectCalls(server, mode);
  await expectStops(server);
  await expectForms(server);
  if (mode === 'legacy') await expectWithdrawal(server); // from 2026-07-28 on no request is open that could be cancelled
});

/** A call that needs a yes is denied at once where there are no forms, and named in the answer. */
async function expectDenial(server: StdioServer): Promise<void> {
  await endpoint.script([
    { when: { toolResult: true }, reply: { text: 'So it is.' } },
    { reply: { calls: [shellCall('echo ran')] } },
  ]);
  expect(await askAgent(server, 'careful', 'run it')).toMatchObject({
    text: 'So it is.\n\n[shell needed a yes, and this door has nobody to ask (cannot_ask): it did not run.]',
    calls: [{ name: 'shell', outcome: 'denied', code: 'cannot_ask' }],
  });
}

/** Errors have the form of JSON-RPC, and our code in their data; a turn that has failed is an answer. */
async function expectErrors(server: StdioServer): Promise<void> {
  const call = (name: string, args: object) => server.client.callTool({ name, arguments: { ...args } });
  await expect(call('not-for-you', { prompt: 'x' })).rejects.toMatchObject({
    code: -32_602,
    data: { code: 'not_found', field: 'name' },
  });
  await expect(call('belay', {})).rejects.toMatchObject({
    code: -32_602,
    data: { code: 'missing_field', field: 'prompt' },
  });
  await expect(call('belay', { prompt: 'x', model: 'y' })).rejects.toMatchObject({
    code: -32_602,
    data: { code: 'unknown_field', field: 'model' },
  });
  await expect(call('belay', { prompt: 'x', session: '' })).rejects.toMatchObject({
    code: -32_602,
    data: { code: 'bad_field', field: 'session' },
  });
  await expect(server.client.readResource({ uri: 'belay://sessions/none/cancels' })).rejects.toMatchObject({
    data: { uri: 'belay://sessions/none/cancels' },
  });
  await expect(server.client.readResource({ uri: 'file:///etc/passwd' })).rejects.toMatchObject({ code: -32_602 });
  await endpoint.script([{ reply: { status: 401 } }]);
  const result = await server.client.callTool({ name: 'belay', arguments: { prompt: 'go' } });
  expect(result).toMatchObject({ isError: true, structuredContent: { outcome: 'failed', code: 'model_unauthorized' } });
}

test.each(['the end of its input', 'SIGTERM'] as const)(
  '%s ends everything, and the program [doors.mcp] [doors.cannot_ask]',
  async (how) => {
    const server = await start();
    if (how === 'SIGTERM') {
      await expectDenial(server);
      await expectErrors(server);
    }
    const token = newToken();
    await endpoint.script([
      { reply: { calls: [shellCall(`trap '' TERM; sleep ${token}`, server.workspace.folder.a)] } },
    ]);
    const lost = askAgent(server, 'belay', 'build').then(
      (answer) => answer,
      () => null,
    );
    await untilRunning(token);
    if (how === 'SIGTERM') process.kill(server.pid, 'SIGTERM');
    else await server.client.close();
    await untilGone(server);
    expect(living(token)).toEqual([]);
    const answer = await lost;
    if (how === 'SIGTERM')
      expect(answer).toMatchObject({ outcome: 'cancelled', receipt: { cause: { source: 'shutdown' } } });
  },
);
