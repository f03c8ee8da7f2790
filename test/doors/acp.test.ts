// `belay acp` by the official client, as a process of its own, with real shells and an endpoint that sees its requests closed.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { methods } from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import { living, newToken } from '../adapters/processes/processes.ts';
import { type AcpClientOptions, startAcp, untilAsked } from '../support/acp-client.ts';
import { type ConfigFile, newWorkspace, type Workspace, writeConfig } from '../support/belay.ts';
import { requestEnds, shellCall, toolMessages, untilAllEnded, untilRunning, useEndpoint } from '../support/journey.ts';
import { storedFacts } from '../support/stored-facts.ts';
import { until } from '../support/until.ts';

const endpoint = useEndpoint();

async function start(
  config: ConfigFile = {},
  { workspace = newWorkspace(), ...options }: Partial<AcpClientOptions> & { readonly workspace?: Workspace } = {},
) {
  const { path, folder, store } = workspace;
  const file = writeConfig(endpoint, workspace, { roots: [path], ...config });
  const acp = await startAcp({ cwd: path, args: ['--config', file], ...options });
  return { ...acp, endpoint, workspace, path, folder, store };
}

/** The receipt in the response to a prompt. */
const belayOf = ({ _meta }: { readonly _meta?: Readonly<Record<string, unknown>> | null | undefined }) =>
  _meta?.['belay'] as Readonly<Record<string, unknown>> | undefined;

test('a turn with parallel tools and a sub-agent: texts, calls, output, diff, usage; the response comes last [doors.acp]', async () => {
  const acp = await start({ allow: ['shell', 'write_file'], acp: { contextTokens: 1_000 } });
  writeFileSync(join(acp.folder.a, 'notes.txt'), 'old\n');
  await endpoint.script([
    { when: { user: 'read the notes' }, reply: { text: 'There is nothing in it.' } },
    { when: { toolResult: true }, reply: { text: 'All done.', usage: { input: 7, output: 3 } } },
    {
      reply: {
        text: 'I look.',
        calls: [
          shellCall('echo one; echo two >&2', '.'),
          { name: 'write_file', arguments: { path: 'notes.txt', content: 'new\n' } },
          { name: 'spawn_agent', arguments: { agent: 'researcher', task: 'read the notes' } },
        ],
        usage: { input: 10, output: 5 },
      },
    },
  ]);
  const id = await acp.open(acp.folder.a);
  const response = await acp.prompt(id, 'do it');
  const count = acp.updates.length;
  expect(response).toMatchObject({ stopReason: 'end_turn', _meta: { belay: { outcome: 'completed', receipt: null } } });
  expect(response).toHaveProperty('usage.inputTokens', expect.any(Number));
  expect(acp.text()).toBe('I look.\n\nAll done.');
  const [shell, write, agent] = acp.calls();
  expect(shell).toMatchObject({
    title: expect.stringContaining('echo one'),
    name: 'shell',
    kind: 'execute',
    status: 'completed',
    rawInput: { cwd: '.' },
    content: [{ content: { text: expect.stringMatching(/one\ntwo\n\[exit code 0\]/) } }],
  });
  const path = join(acp.folder.a, 'notes.txt');
  expect(write).toMatchObject({
    kind: 'edit',
    status: 'completed',
    locations: [{ path }],
    content: [{ type: 'diff', path, oldText: 'old\n', newText: 'new\n' }],
  });
  expect(readFileSync(path, 'utf8')).toBe('new\n');
  expect(agent).toMatchObject({
    kind: 'think',
    status: 'completed',
    content: [{ content: { text: 'There is nothing in it.' } }],
  });
  expect(acp.updates.map(({ update }) => update)).toContainEqual({
    sessionUpdate: 'usage_update',
    used: 10,
    size: 1_000,
  });
  await untilAllEnded(acp);
  expect(acp.updates.length).toBe(count);
  const lastLine = acp.child.stdout().trim().split('\n').at(-1) ?? '';
  expect(JSON.parse(lastLine)).toMatchObject({ result: { stopReason: 'end_turn' } });
});

test('an approval is asked with its diff; always counts for the session, and `trust` asks nothing [doors.acp]', async () => {
  const answers = ['reject', 'always'];
  const acp = await start(
    { allow: ['write_file'], approve: ['write_file'] },
    { onPermission: async () => ({ outcome: { outcome: 'selected', optionId: answers.shift() ?? 'allow' } }) },
  );
  await endpoint.script([
    { when: { toolResult: true }, reply: { text: 'So it is.' } },
    { reply: { calls: [{ name: 'write_file', arguments: { path: 'x.txt', content: 'x' } }] } },
  ]);
  const id = await acp.open(acp.folder.a);
  await acp.prompt(id, 'first');
  expect(acp.permissions[0]).toMatchObject({
    sessionId: id,
    toolCall: { kind: 'edit', content: [{ type: 'diff', oldText: null, newText: 'x' }] },
    options: [{ kind: 'allow_once' }, { kind: 'allow_always' }, { kind: 'reject_once' }],
  });
  expect(acp.calls()[0]).toMatchObject({ status: 'failed', rawOutput: { outcome: 'denied' } });
  await acp.prompt(id, 'second');
  await acp.prompt(id, 'third');
  expect(acp.permissions).toHaveLength(2);
  expect(acp.calls().map(({ status }) => status)).toEqual(['failed', 'completed', 'completed']);
  const other = await acp.open(acp.folder.b);
  await acp.connection.agent.request(methods.agent.session.setMode, { sessionId: other, modeId: 'trust' });
  await acp.prompt(other, 'fourth');
  expect(acp.permissions).toHaveLength(2);
  expect(readFileSync(join(acp.folder.b, 'x.txt'), 'utf8')).toBe('x');
});

test('a stop in the middle of text: the request upstream is closed, and the response has the receipt [doors.acp] [doors.cause]', async () => {
  const acp = await start();
  const chunk = (delta: object) => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;
  const raw = chunk({ role: 'assistant', reasoning_content: 'Let me see.' }) + chunk({ content: 'The first half' });
  await endpoint.script([{ reply: { raw, end: 'hang' } }]);
  const id = await acp.open(acp.folder.a);
  const prompted = acp.prompt(id, 'hello');
  await until(() => acp.text() === 'The first half', { what: 'the text' });
  await acp.cancel(id);
  await acp.cancel(id); // twice
  const response = await prompted;
  expect(response).toMatchObject({
    stopReason: 'cancelled',
    _meta: { belay: { outcome: 'cancelled', receipt: { cause: { source: 'client', by: 'local', door: 'acp' } } } },
  });
  expect(acp.updates.map(({ update }) => update)).toContainEqual({
    sessionUpdate: 'agent_thought_chunk',
    content: { type: 'text', text: 'Let me see.' },
  });
  await untilAllEnded(acp);
  expect(requestEnds(await endpoint.requests())).toEqual(['200 closed_by_client']);
  expect(storedFacts(acp.store, id).filter(({ type }) => type === 'cancel_accepted')).toHaveLength(1);
  await endpoint.script([{ reply: { text: 'Again.' } }]);
  expect(await acp.prompt(id, 'go on then')).toMatchObject({ stopReason: 'end_turn' });
});

test('a stop right behind its prompt counts, also while its image is being stored; and one without a prompt stops nothing [doors.acp]', async () => {
  const acp = await start();
  await endpoint.script([{ reply: { text: 'It hangs', end: 'hang' } }]);
  const id = await acp.open(acp.folder.a);
  await acp.cancel(id);
  const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const image = { type: 'image' as const, data, mimeType: 'image/png' };
  for (const blocks of [[], [image]]) {
    const prompt = [{ type: 'text' as const, text: 'look' }, ...blocks];
    const prompted = acp.connection.agent.request(methods.agent.session.prompt, { sessionId: id, prompt });
    await acp.cancel(id);
    expect(await prompted).toMatchObject({ stopReason: 'cancelled' });
  }
  await untilAllEnded(acp);
  expect(requestEnds(await endpoint.requests())).not.toContain('200 open');
});

test('an agent that a turn has detached counts: the response waits for it, and a stop ends it [doors.acp]', async () => {
  const acp = await start();
  await endpoint.script([
    { when: { user: 'read the notes' }, reply: { text: 'Reading', end: 'hang' } },
    { when: { toolResult: true }, reply: { text: 'It reads.' } },
    {
      reply: {
        calls: [{ name: 'spawn_agent', arguments: { agent: 'researcher', task: 'read the notes', detached: true } }],
      },
    },
  ]);
  const id = await acp.open(acp.folder.a);
  const prompted = acp.prompt(id, 'hand it over');
  await until(() => acp.text() === 'It reads.' && JSON.stringify(acp.calls()).includes('Reading'), {
    what: 'both texts',
  });
  await acp.cancel(id);
  const response = await prompted;
  expect(response).toMatchObject({ stopReason: 'cancelled' });
  expect(belayOf(response)).toMatchObject({ receipt: { nodes: [{ kind: 'turn', outcome: 'cancelled' }] } });
  expect(acp.calls().at(-1)).toMatchObject({ kind: 'think', status: 'failed', rawOutput: { outcome: 'cancelled' } });
  await untilAllEnded(acp);
});

test('a stop of parallel tools and a sub-agent ends every process, and the response comes after it [doors.acp]', async () => {
  const acp = await start();
  const [one, two] = [newToken(), newToken()];
  await endpoint.script([
    { when: { user: 'read the notes' }, reply: { text: 'Reading', end: 'hang' } },
    {
      reply: {
        calls: [
          shellCall(`echo begun; sleep ${one}`, acp.folder.a),
          shellCall(`trap '' TERM; sleep ${two}`, acp.folder.b),
          { name: 'spawn_agent', arguments: { agent: 'researcher', task: 'read the notes' } },
        ],
      },
    },
  ]);
  const id = await acp.open(acp.path);
  const prompted = acp.prompt(id, 'all of it');
  await Promise.all([untilRunning(one), untilRunning(two)]);
  await until(() => JSON.stringify(acp.calls()).includes('begun\\n'), { what: 'live output' });
  await until(() => JSON.stringify(acp.calls()).includes('Reading'), { what: 'the text of the sub-agent' });
  await acp.cancel(id);
  const response = await prompted;
  expect([...living(one), ...living(two)]).toEqual([]);
  const { receipt } = belayOf(response) as { readonly receipt: { readonly nodes: readonly object[] } };
  expect(receipt.nodes.length).toBeGreaterThanOrEqual(4);
  expect(acp.calls().map(({ status }) => status)).toEqual(['failed', 'failed', 'failed']);
  await untilAllEnded(acp);
  expect(requestEnds(await endpoint.requests())).toEqual(['200 finished', '200 closed_by_client']);
});

test('a stop of an approval and of a question withdraws them; a client that answers `cancelled` stops, too [doors.acp]', async () => {
  const answered = Promise.withResolvers<void>();
  const acp = await start(
    { approve: ['shell'] },
    {
      onPermission: async () => {
        await answered.promise;
        return { outcome: { outcome: 'cancelled' } };
      },
    },
  );
  await endpoint.script([
    {
      when: { user: 'ask me' },
      reply: { calls: [{ name: 'ask_user', arguments: { question: 'Which?', choices: ['a', 'b'] } }] },
    },
    { reply: { calls: [shellCall('echo never')] } },
  ]);
  const id = await acp.open(acp.folder.a);
  const first = acp.prompt(id, 'run it');
  await untilAsked(acp);
  await acp.cancel(id);
  expect(await first).toMatchObject({ stopReason: 'cancelled' });
  const second = acp.prompt(id, 'ask me');
  await untilAsked(acp, 2);
  expect(acp.permissions[1]).toMatchObject({
    toolCall: { title: 'Which?' },
    options: [{ name: 'a' }, { name: 'b' }, {}],
  });
  await acp.cancel(id);
  expect(await second).toMatchObject({ stopReason: 'cancelled' });
  answered.resolve(); // too late for both: the session goes on
  const third = acp.prompt(id, 'run it again');
  await untilAsked(acp, 3);
  expect(await third).toMatchObject({ stopReason: 'cancelled' });
  const shell = acp.calls().filter(({ name }) => name === 'shell');
  expect(shell.map(({ rawOutput }) => rawOutput)).toMatchObject([{ effect: 'not_started' }, { effect: 'not_started' }]);
});

test('a question comes as a form where the client has them, with its schema; a declined one ends its call alone [doors.acp]', async () => {
  const answers = [{ action: 'accept' as const, content: { answer: 'blue' } }, { action: 'decline' as const }];
  const acp = await start(
    {},
    {
      capabilities: { elicitation: { form: {} } },
      onElicitation: async () => answers.shift() ?? { action: 'cancel' },
    },
  );
  await endpoint.script([
    { when: { toolResult: true }, reply: { text: 'Noted.' } },
    { reply: { calls: [{ name: 'ask_user', arguments: { question: 'Which color?' } }] } },
  ]);
  const id = await acp.open(acp.folder.a);
  expect(await acp.prompt(id, 'paint')).toMatchObject({ stopReason: 'end_turn' });
  expect(acp.elicitations[0]).toMatchObject({
    mode: 'form',
    sessionId: id,
    message: 'Which color?',
    requestedSchema: { properties: { answer: { type: 'string' } } },
  });
  expect(toolMessages((await endpoint.requests()).at(-1)).join()).toContain('blue');
  expect(await acp.prompt(id, 'paint again')).toMatchObject({ stopReason: 'end_turn' });
  expect(acp.calls().map(({ rawOutput }) => rawOutput)).toMatchObject([
    { outcome: 'completed' },
    { outcome: 'cancelled' },
  ]);
});

test('a question for which the client has no form is withdrawn at once, and the model reads why [doors.acp] [doors.cannot_ask]', async () => {
  const acp = await start();
  await endpoint.script([
    { when: { toolResult: true }, reply: { text: 'Then not.' } },
    { reply: { calls: [{ name: 'ask_user', arguments: { question: 'Which color?' } }] } },
  ]);
  const id = await acp.open(acp.folder.a);
  expect(await acp.prompt(id, 'paint')).toMatchObject({ stopReason: 'end_turn' });
  expect(acp.text()).toBe('Then not.');
});

test.each(['the end of stdin', 'SIGTERM'])(
  '%s is a shutdown: every process is dead, and its facts are there [doors.acp]',
  async (how) => {
    const acp = await start();
    const token = newToken();
    await endpoint.script([{ reply: { text: 'On it.', calls: [shellCall(`sleep ${token}`, acp.folder.a)] } }]);
    const id = await acp.open(acp.folder.a);
    acp.prompt(id, 'build').catch(() => {}); // its connection closes
    await untilRunning(token);
    if (how === 'SIGTERM') acp.child.signal('SIGTERM');
    else acp.child.process.stdin?.end();
    expect(await acp.child.ended(20_000)).toBe(0);
    expect(living(token)).toEqual([]);
    expect(acp.child.stderr()).toBe('');
    const ended = storedFacts(acp.store, id).find(({ type }) => type === 'turn_ended');
    expect(ended).toMatchObject({ outcome: 'cancelled' });
  },
);

test('a prompt that its client withdraws by `$/cancel_request` is stopped [doors.acp]', async () => {
  const acp = await start();
  const token = newToken();
  await endpoint.script([{ reply: { calls: [shellCall(`sleep ${token}`, acp.folder.a)] } }]);
  const id = await acp.open(acp.folder.a);
  const withdrawing = new AbortController();
  const prompted = acp.connection.agent.request(
    methods.agent.session.prompt,
    { sessionId: id, prompt: [{ type: 'text', text: 'build' }] },
    { cancellationSignal: withdrawing.signal },
  );
  await untilRunning(token);
  withdrawing.abort();
  expect(await prompted).toMatchObject({ stopReason: 'cancelled' });
  expect(living(token)).toEqual([]);
});

test('bad input is named: folders, sessions, prompts, modes; a failed turn is an error with its code [doors.acp]', async () => {
  const acp = await start();
  await endpoint.script([{ reply: { status: 401 } }]);
  const id = await acp.open(acp.folder.a);
  const { agent } = acp.connection;
  const { session } = methods.agent;
  const fails = (request: Promise<unknown>) =>
    request.then(
      () => 'no error',
      ({ code, message, data }) => ({ code, message, data }),
    );
  expect(await fails(acp.open('/'))).toMatchObject({
    code: -32_602,
    message: expect.stringContaining('the configuration does not allow the folder /. It allows'),
    data: { field: 'cwd' },
  });
  expect(await fails(acp.open('relative'))).toMatchObject({ message: expect.stringContaining('is no absolute path') });
  expect(await fails(acp.open(join(acp.path, 'gone')))).toMatchObject({
    message: expect.stringContaining('there is no folder'),
  });
  expect(await fails(acp.open(acp.path, { additionalDirectories: ['/usr'] }))).toMatchObject({
    data: { field: 'additionalDirectories' },
  });
  expect(await fails(acp.prompt('nowhere', 'x'))).toMatchObject({ code: -32_002 });
  expect(await fails(acp.prompt(id, ' '))).toMatchObject({
    code: -32_602,
    message: expect.stringContaining('says nothing'),
  });
  expect(await fails(agent.request(session.setMode, { sessionId: id, modeId: 'yolo' }))).toMatchObject({
    message: expect.stringContaining('There are ask, trust'),
  });
  expect(
    await fails(agent.request(session.load, { sessionId: 'nowhere', cwd: acp.path, mcpServers: [] })),
  ).toMatchObject({ code: -32_002 });
  expect(await fails(agent.request(session.new, { cwd: acp.path } as never))).toMatchObject({ code: -32_602 });
  expect(await fails(acp.prompt(id, 'hello'))).toMatchObject({
    code: -32_603,
    message: expect.stringContaining('Check the key'),
    data: { code: 'model_unauthorized', belay: { outcome: 'failed' } },
  });
});
