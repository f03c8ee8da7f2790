// MCP over streamable HTTP by the official client, against a gateway in a process of its own: by the protocol since 2026-07-28, and by the earlier one with its sessions.
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { fieldsOf } from '../../src/core/collections/fields.ts';
import { living, newToken } from '../adapters/processes/processes.ts';
import { type ServedBelay, serveBelay, type TestSpeaker, tokenOf } from '../support/belay.ts';
import { requestEnds, shellCall, untilAllEnded, untilRunning, useEndpoint } from '../support/journey.ts';
import { joinRoom } from '../support/room-clients.ts';
import { scaled } from '../support/time-scale.ts';
import { until } from '../support/until.ts';
import { askAgent, type ClientChoices, cancelsIn, connectMcp, eventsIn, type McpTestClient } from './mcp-clients.ts';

const endpoint = useEndpoint();
const modes = ['legacy', 'auto'] as const;

const mcpDoor = {
  door: 'mcp',
  profiles: {
    belay: {},
    careful: { tools: ['shell', 'ask_user'], approve: ['shell'] },
    'for-bob': { speakers: ['bob'] },
  },
};

const serve = (config: object = {}) => serveBelay(endpoint, { config: { doors: [mcpDoor], ...config } });
const addressOf = ({ url }: ServedBelay) => new URL(url.replace('ws://', 'http://').replace(/\/belay$/, '/mcp'));

interface HttpClient extends McpTestClient {
  readonly transport: StreamableHTTPClientTransport;
}

async function connect(
  belay: ServedBelay,
  speaker: TestSpeaker = 'ann',
  choices: ClientChoices = {},
): Promise<HttpClient> {
  const transport = new StreamableHTTPClientTransport(addressOf(belay), {
    requestInit: { headers: { authorization: `Bearer ${tokenOf(speaker)}` } },
  });
  return { ...(await connectMcp(transport, choices)), transport };
}

interface Sent {
  readonly body: unknown;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Posts a message to the door, without the official client. */
const post = (belay: ServedBelay, { body, token = tokenOf('ann'), headers = {} }: Sent) =>
  fetch(addressOf(belay), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      connection: 'close', // after a refusal the gateway closes it
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const rpc = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });

const untilDead = (...tokens: string[]) =>
  until(() => tokens.every((token) => living(token).length === 0), { what: 'every process to have ended' });
const settledIn = async (client: McpTestClient, session: string) => {
  await until(async () => (await cancelsIn(client, session).catch(() => []))[0]?.state === 'settled', {
    what: 'the receipt',
  });
  return cancelsIn(client, session);
};

/** Expects that a call gets its response, and that the stop of another one stops parallel tools and a sub-agent. */
async function expectCalls(belay: ServedBelay, client: HttpClient, mode: (typeof modes)[number]): Promise<void> {
  expect(client.client.getNegotiatedProtocolVersion()).toBe(mode === 'auto' ? '2026-07-28' : '2025-11-25');
  const toolsOf = async (one: McpTestClient) => (await one.client.listTools()).tools.map(({ name }) => name);
  expect(await toolsOf(client)).toEqual(['belay', 'careful']);
  expect(await toolsOf(await connect(belay, 'bob', { mode }))).toEqual(['belay', 'careful', 'for-bob']);
  const [one, two] = [newToken(), newToken()];
  await endpoint.script([
    { when: { user: 'hello' }, reply: { text: 'Hello.', usage: { input: 1, output: 1 } } },
    { when: { user: 'read the notes' }, reply: { text: 'Reading', end: 'hang' } },
    {
      reply: {
        calls: [
          shellCall(`sleep ${one}`, belay.folder.a),
          shellCall(`trap '' TERM; sleep ${two}`, belay.folder.b),
          { name: 'spawn_agent', arguments: { agent: 'researcher', task: 'read the notes' } },
        ],
      },
    },
  ]);
  const progress: string[] = [];
  const hello = await askAgent(client, 'belay', 'hello', { onprogress: ({ message = '' }) => progress.push(message) });
  expect(hello).toMatchObject({ text: 'Hello.', outcome: 'completed', receipt: null });
  expect(progress).toEqual([`turn ${hello.turn} in session ${hello.session}`]);
  const stop = new AbortController();
  const working = askAgent(client, 'belay', 'all of it', { session: 'work', signal: stop.signal });
  await Promise.all([
    untilRunning(one),
    untilRunning(two),
    until(async () => (await endpoint.requests()).some(({ hanging }) => hanging), { what: 'the sub-agent' }),
  ]);
  stop.abort('enough');
  await expect(working).rejects.toThrow();
  await untilDead(one, two);
  await untilAllEnded(belay);
  expect(requestEnds(await endpoint.requests())).toEqual(['200 finished', '200 finished', '200 closed_by_client']);
  const [cancel, ...others] = await settledIn(client, 'work');
  expect(cancel).toMatchObject({ source: 'client', by: 'ann' });
  expect(others).toEqual([]);
}

/** Expects that the client shows two approvals at once as forms. */
async function expectForms(belay: ServedBelay, client: HttpClient): Promise<void> {
  await endpoint.script([
    { when: { toolResult: true }, reply: { text: 'It ran.' } },
    { reply: { calls: [shellCall('echo one', belay.folder.a), shellCall('echo two', belay.folder.b)] } },
  ]);
  expect(await askAgent(client, 'careful', 'run both')).toMatchObject({
    text: 'It ran.',
    calls: [{ outcome: 'completed' }, { outcome: 'completed' }],
  });
  expect(client.forms.map(({ message }) => /echo (one|two)/.exec(message)?.[1]).sort()).toEqual(['one', 'two']);
}

test.each(modes)('calls, stops and forms (%s) [doors.mcp]', { timeout: scaled(30_000) }, async (mode) => {
  const belay = await serve();
  const client = await connect(belay, 'ann', {
    mode,
    person: () => ({ action: 'accept', content: { answer: 'yes' } }),
  });
  await expectCalls(belay, client, mode);
  await expectForms(belay, client);
});

/** Expects that another door stops what a call has started, that a call's stop phrase stops what another door has started, and that both get the receipt. */
async function expectTwoDoors(belay: ServedBelay): Promise<void> {
  const token = newToken();
  await endpoint.script([{ reply: { text: 'On it.', calls: [shellCall(`sleep ${token}`, belay.folder.a)] } }]);
  const client = await connect(belay);
  const bob = await joinRoom(belay, 'bob');
  const answering = askAgent(client, 'belay', 'build', { session: 'room' });
  await untilRunning(token);
  const receipt = await bob.session.cancel('session').settled;
  expect(living(token)).toEqual([]);
  expect(await answering).toMatchObject({
    text: 'On it.\n\n[Stopped by bob.]',
    session: 'room',
    outcome: 'cancelled',
    receipt: { cancel: receipt?.cancel },
  });
  const working = bob.session.say('build again');
  await untilRunning(token);
  const stopped = await askAgent(client, 'belay', 'stop', { session: 'room' });
  expect(stopped).toMatchObject({ turn: null, receipt: { cause: { by: 'ann' } } });
  expect(await working.ended).toMatchObject({ outcome: 'cancelled' });
  expect(living(token)).toEqual([]);
}

/** Expects that the form of a call is withdrawn when the call is stopped, by its client or by another door. */
async function expectWithdrawals(belay: ServedBelay): Promise<void> {
  const client = await connect(belay, 'ann', { person: () => 'never' });
  await endpoint.script([{ reply: { calls: [shellCall('echo ran', belay.folder.a)] } }]);
  const stop = new AbortController();
  const asking = askAgent(client, 'careful', 'run it', { session: 'asked', signal: stop.signal });
  await until(() => client.forms.length === 1, { what: 'the form' });
  stop.abort();
  await expect(asking).rejects.toThrow();
  await settledIn(client, 'asked');

  const answering = askAgent(client, 'careful', 'run it', { session: 'asked-by-two' });
  await until(() => client.forms.length === 2, { what: 'the second form' });
  const bob = await joinRoom(belay, 'bob');
  const receipt = await bob.client.session('asked-by-two').cancel('session').settled;
  expect(receipt?.cause).toMatchObject({ by: 'bob', source: 'client' });
  expect(await answering).toMatchObject({
    text: '[Stopped by bob.]',
    outcome: 'cancelled',
    receipt: { cancel: receipt?.cancel },
  });
  await until(() => client.withdrawn() === 2, { what: 'both forms to be withdrawn' });
}

/** Starts a call whose connection the test closes. Resolves as soon as the response begins. */
async function callAlone(belay: ServedBelay, sessionId: string, prompt: string, session: string) {
  const { hostname, port, pathname: path } = addressOf(belay);
  const sent = httpRequest({
    hostname,
    port,
    path,
    method: 'POST',
    headers: {
      authorization: `Bearer ${tokenOf('ann')}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': sessionId,
    },
  });
  sent.on('error', () => {});
  sent.end(JSON.stringify({ ...rpc('tools/call', { name: 'belay', arguments: { prompt, session } }), id: 'alone' }));
  await new Promise<IncomingMessage>((resolve) => sent.on('response', resolve));
  return sent;
}

/** Expects that the call of a lost client is stopped, and that the end of a client's session (DELETE) stops all that it has started. */
async function expectLostClient(belay: ServedBelay): Promise<void> {
  const client = await connect(belay);
  const [one, two] = [newToken(), newToken()];
  await endpoint.script([
    { when: { user: 'build' }, reply: { calls: [shellCall(`sleep ${one}`, belay.folder.a)] } },
    { reply: { calls: [shellCall(`sleep ${two}`, belay.folder.b)] } },
  ]);
  const sent = await callAlone(belay, client.transport.sessionId ?? '', 'build', 'lost');
  await untilRunning(one);
  sent.destroy();
  await untilDead(one);
  expect(await settledIn(client, 'lost')).toMatchObject([{ source: 'disconnect', by: 'ann' }]);

  const ending = askAgent(client, 'belay', 'go', { session: 'ended' }).catch(() => null);
  await untilRunning(two);
  await client.transport.terminateSession();
  await untilDead(two);
  await client.client.close();
  await ending;
  expect(await settledIn(await connect(belay), 'ended')).toMatchObject([{ source: 'client', by: 'ann' }]);
}

/** Expects that bad tokens, the sessions of others and bad messages are refused in the form of JSON-RPC, with a code of Belay. */
async function expectErrors(belay: ServedBelay): Promise<void> {
  const problemOf = async (response: Response) => {
    const body = fieldsOf(await response.json());
    const error = fieldsOf(body['error']);
    return [response.status, error['code'], fieldsOf(error['data'])['code']];
  };
  const bad = await post(belay, { body: rpc('ping'), token: 'wrong' });
  expect(bad.headers.get('www-authenticate')).toBe('Bearer');
  expect(await problemOf(bad)).toEqual([401, -32_602, 'unauthorized']);
  expect(await problemOf(await post(belay, { body: '{' }))).toEqual([400, -32_700, 'not_json']);
  expect(await problemOf(await post(belay, { body: 'x', headers: { 'content-type': 'text/plain' } }))).toEqual([
    415,
    -32_600,
    'unsupported_media_type',
  ]);
  expect(await problemOf(await post(belay, { body: rpc('tools/list') }))).toEqual([400, -32_602, 'missing_field']);
  const ann = await connect(belay);
  const named = { 'mcp-session-id': ann.transport.sessionId ?? '' };
  const bobs = await post(belay, { body: rpc('tools/list'), token: tokenOf('bob'), headers: named });
  expect(await problemOf(bobs)).toEqual([404, -32_602, 'not_found']);
  const page = await post(belay, { body: rpc('ping'), headers: { origin: 'https://evil.example' } });
  expect(await problemOf(page)).toEqual([403, -32_602, 'origin_not_allowed']);
  const get = await fetch(addressOf(belay), {
    headers: { authorization: `Bearer ${tokenOf('ann')}`, accept: 'text/event-stream', 'mcp-session-id': 'none' },
  });
  expect(await problemOf(get)).toEqual([404, -32_602, 'not_found']);
  const hidden = await connect(belay, 'guest');
  await endpoint.script([{ reply: { text: 'ok' } }]);
  await askAgent(ann, 'belay', 'hello', { session: 'private' });
  await expect(hidden.client.readResource({ uri: 'belay://sessions/private/transcript' })).rejects.toMatchObject({
    data: { uri: 'belay://sessions/private/transcript' },
  });
  expect((await hidden.client.listResources()).resources.map(({ uri }) => uri)).toEqual(['belay://sessions']);
  // what a client brings back from a question names a turn of its own speaker, or nothing
  const { turn } = await askAgent(ann, 'belay', 'hello', { session: 'private' });
  const openedAt = Number((await eventsIn(ann, 'private')).findLast(({ type }) => type === 'turn_opened')?.['seq']);
  const continueAs = async (speaker: TestSpeaker, state: object | string) => {
    const { client } = await connect(belay, speaker, { mode: 'auto' });
    const requestState = typeof state === 'string' ? state : JSON.stringify(state);
    const params = { name: 'belay', arguments: { prompt: 'hello' }, requestState };
    return client.request({ method: 'tools/call', params });
  };
  const state = { session: 'private', turn, openedAt };
  expect(await continueAs('ann', state)).toMatchObject({ structuredContent: { turn, text: 'ok' } });
  await expect(continueAs('guest', state)).rejects.toMatchObject({ data: { code: 'access_denied' } });
  for (const wrong of [{ ...state, openedAt: openedAt + 1 }, { ...state, turn: 'none' }, 'nonsense'])
    await expect(continueAs('ann', wrong)).rejects.toMatchObject({
      data: { code: 'bad_field', field: 'requestState' },
    });
}

test('stops by two doors, withdrawn forms, a lost client, and refusals [doors.mcp] [doors.cause]', {
  timeout: scaled(60_000),
}, async () => {
  const belay = await serve();
  await expectTwoDoors(belay);
  await expectWithdrawals(belay);
  await expectLostClient(belay);
  await expectErrors(belay);
});

test('`continue`: the call of a lost client runs on, and a stop in the protocol still counts [doors.mcp]', async () => {
  const belay = await serve({ doors: [{ ...mcpDoor, onDisconnect: 'continue' }] });
  const client = await connect(belay);
  const token = newToken();
  await endpoint.script([{ reply: { calls: [shellCall(`sleep ${token}`, belay.folder.a)] } }]);
  const sent = await callAlone(belay, client.transport.sessionId ?? '', 'build', 'kept');
  await untilRunning(token);
  sent.destroy();
  const cancelled = { method: 'notifications/cancelled', params: { requestId: 'alone', reason: 'after all' } } as const;
  await client.client.listTools(); // the gateway still replies, and the call still runs
  expect(living(token)).not.toEqual([]);
  await client.client.notification(cancelled);
  await client.client.notification(cancelled); // a repeat changes nothing
  await untilDead(token);
  expect(await settledIn(client, 'kept')).toMatchObject([{ source: 'client', by: 'ann', reason: 'after all' }]);
});

test('a flood of requests gets 429 with Retry-After, and a stop is still accepted [doors.mcp]', async () => {
  const belay = await serve({ gateway: { framesPerSecond: 1, frameBurst: 8 } });
  const client = await connect(belay);
  const token = newToken();
  await endpoint.script([{ reply: { calls: [shellCall(`sleep ${token}`, belay.folder.a)] } }]);
  const sent = await callAlone(belay, client.transport.sessionId ?? '', 'build', 'flooded');
  await untilRunning(token);
  const headers = { 'mcp-session-id': client.transport.sessionId ?? '' };
  const floods = await Promise.all(Array.from({ length: 12 }, () => post(belay, { body: rpc('tools/list'), headers })));
  const refused = floods.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]?.headers.get('retry-after')).toBe('1');
  expect(await refused[0]?.json()).toMatchObject({ error: { code: -32_000, data: { code: 'rate_limited' } } });
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'alone' } };
  expect((await post(belay, { body: cancelled, headers })).status).toBe(202);
  await untilDead(token);
  sent.destroy();
});

test('the protected resource and each 401 name the issuer of tokens, and tokens for another audience are refused [doors.mcp]', async () => {
  const jwtSecret = 'a-secret-of-at-least-32-characters-0';
  const belay = await serve({
    tokens: {
      jwtSecret,
      jwtIssuer: 'https://login.example.org',
      jwtAudience: 'https://belay.example.org/mcp',
    },
  });
  const { origin } = addressOf(belay);
  const metadata = { resource: 'https://belay.example.org/mcp', authorization_servers: ['https://login.example.org'] };
  const tokenFor = (audience: string) =>
    new SignJWT({ sub: 'ann', iss: 'https://login.example.org', aud: audience })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(jwtSecret));
  const asAnn = { body: rpc('ping'), token: await tokenFor(metadata.resource) };
  const elsewhere = { body: rpc('ping'), token: await tokenFor('https://elsewhere.example.org/mcp') };
  for (const path of ['', '/mcp'])
    expect(await (await fetch(`${origin}/.well-known/oauth-protected-resource${path}`)).json()).toMatchObject(metadata);
  const refused = await post(belay, { body: rpc('ping'), token: 'wrong' });
  expect(refused.status).toBe(401);
  expect(refused.headers.get('www-authenticate')).toBe(
    'Bearer resource_metadata="https://belay.example.org/.well-known/oauth-protected-resource/mcp"',
  );
  expect((await post(belay, asAnn)).status).toBe(400); // it names no session
  expect((await post(belay, elsewhere)).status).toBe(401);
});
