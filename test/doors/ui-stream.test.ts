// The UI message stream by the chat engine of the AI SDK, against a gateway in a process of its own, with real shells and an endpoint that sees its requests closed.
import { describe, expect, test } from 'vitest';
import { type BelayTransportOptions, belayTransport, type StopReceipt } from '../../src/client/belay-transport.ts';
import { living, newToken } from '../adapters/processes/processes.ts';
import { type ServedBelay, serveBelay, type TestSpeaker, tokenOf } from '../support/belay.ts';
import {
  requestEnds,
  shellCall,
  toolMessages,
  untilAllEnded,
  untilHanging,
  untilRunning,
  useEndpoint,
} from '../support/journey.ts';
import { joinRoom } from '../support/room-clients.ts';
import { storedFacts } from '../support/stored-facts.ts';
import { until } from '../support/until.ts';
import { ai, chatCallsOf, chatTextOf, dataOf, lastOf, openChat, sdk } from './ai-sdk.ts';
import { addressOf, letGo, untilGo } from './served-door.ts';

const endpoint = useEndpoint();

const profiles = { belay: {}, careful: { approve: ['shell'] }, 'for-bob': { speakers: ['bob'] } };
const serve = (door: object = {}, config: object = {}) =>
  serveBelay(endpoint, { config: { doors: [{ door: 'ui-stream', profiles, ...door }], ...config } });

const bearer = (speaker: TestSpeaker) => ({ authorization: `Bearer ${tokenOf(speaker)}` });

/** The transport of the SDK, which closes its request to stop. */
const closing = (belay: ServedBelay, body: object = {}, speaker: TestSpeaker = 'ann') =>
  new ai.DefaultChatTransport({ api: `${addressOf(belay)}/api/ui`, headers: bearer(speaker), body });

/** The transport of Belay, which stops by a request of its own. */
const stopping = (belay: ServedBelay, more: BelayTransportOptions = {}) =>
  belayTransport<unknown>({ api: `${addressOf(belay)}/api/ui`, headers: bearer('ann'), ...more });

const post = (belay: ServedBelay, path: string, body: unknown, speaker: TestSpeaker = 'ann') =>
  fetch(`${addressOf(belay)}/api/ui${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...bearer(speaker) },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

const says = (text: string) => [{ id: 'm1', role: 'user', parts: [{ type: 'text', text }] }];

describe.skipIf(sdk.isLeftOut)('the chat engine of the AI SDK', () => {
  test('parallel tools and a sub-agent: text, arguments as they are written, results, one step for each model call [doors.ui-stream]', async () => {
    const belay = await serve();
    await endpoint.script([
      { when: { user: 'read the notes' }, reply: { text: 'The notes are short.' } },
      { when: { user: 'all of it', round: 0 }, reply: { calls: [shellCall(untilGo, belay.folder.c)] } },
      {
        when: { user: 'all of it', round: 1 },
        reply: {
          text: 'I look.',
          calls: [
            shellCall('echo one', belay.folder.a),
            shellCall('exit 3', belay.folder.b),
            { name: 'spawn_agent', arguments: { agent: 'researcher', task: 'read the notes' } },
          ],
        },
      },
      { reply: { text: 'All done.' } },
    ]);
    const { chat, chunks } = openChat('kept', closing(belay));
    const sent = chat.sendMessage({ text: 'all of it' });
    await until(() => chat.messages.length === 2 && chatCallsOf(lastOf(chat))[0]?.state === 'input-available');
    letGo(belay); // the stream is there: it has all of the next model call
    await sent;
    expect(chat.error).toBeUndefined();
    expect(chat.status).toBe('ready');
    const message = lastOf(chat);
    expect(message.parts.map(({ type }) => type).filter((type) => !type.startsWith('data-'))).toEqual([
      'step-start',
      'dynamic-tool',
      'step-start',
      'text',
      'dynamic-tool',
      'dynamic-tool',
      'dynamic-tool',
      'step-start',
      'text',
    ]);
    expect(chatTextOf(message)).toBe('I look.|All done.');
    const calls = chatCallsOf(message).slice(1);
    expect(calls.map(({ toolName, state }) => `${toolName} ${state}`)).toEqual([
      'shell output-available',
      'shell output-error',
      'spawn_agent output-available',
    ]);
    expect(calls[0]?.input).toMatchObject({ command: 'echo one' });
    expect(String(calls[0]?.output)).toContain('one');
    expect(dataOf(message, 'agent')).toMatchObject([
      { name: 'spawn_agent', task: 'read the notes', text: 'The notes are short.', outcome: 'completed' },
    ]);
    expect(message.metadata?.belay).toMatchObject({ session: 'kept', turn: message.id, outcome: 'completed' });
    const types = new Set(chunks.map(({ type }) => type));
    expect(types).toContain('tool-input-start');
    expect(types).toContain('tool-input-delta');
    expect(chunks.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' });
    await chat.sendMessage({ text: 'and again' });
    expect((await endpoint.requests()).at(-1)?.messages.filter(({ role }) => role === 'user').length).toBe(2);
  });

  test('an approval ends the stream, and the answer goes on with the message: yes, no, and other words [doors.ui-stream]', async () => {
    const belay = await serve();
    const token = newToken();
    await endpoint.script([
      { when: { toolResult: true }, reply: { text: 'So it is.' } },
      { when: { user: 'never mind' }, reply: { text: 'Fine.' } },
      { reply: { calls: [shellCall(`echo ${token}`, belay.folder.a)] } },
    ]);
    const { chat } = openChat('asks', closing(belay, { profile: 'careful' }));
    await chat.sendMessage({ text: 'run it' });
    const [asked] = chatCallsOf(lastOf(chat));
    expect(asked).toMatchObject({ toolName: 'shell', state: 'approval-requested' });
    expect(chat.status).toBe('ready');
    const answer = (approved: boolean) =>
      chat.addToolApprovalResponse({ id: chatCallsOf(lastOf(chat))[0]?.approval?.id ?? '', approved });
    await answer(true);
    await until(() => chatTextOf(lastOf(chat)) === 'So it is.' && chat.status === 'ready');
    expect(chatCallsOf(lastOf(chat))).toMatchObject([{ state: 'output-available' }]);
    expect(String(chatCallsOf(lastOf(chat))[0]?.output)).toContain(token);
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);

    await chat.sendMessage({ text: 'once more' });
    await answer(false);
    await until(() => chatTextOf(lastOf(chat)) === 'So it is.' && chat.status === 'ready');
    expect(chatCallsOf(lastOf(chat))).toMatchObject([{ state: 'output-denied', approval: { approved: false } }]);

    await chat.sendMessage({ text: 'a third time' });
    expect(chatCallsOf(lastOf(chat))).toMatchObject([{ state: 'approval-requested' }]);
    await chat.sendMessage({ text: 'never mind' });
    expect(chatTextOf(lastOf(chat))).toBe('Fine.');
    expect(storedFacts(belay.store, 'asks').filter(({ type }) => type === 'approval_closed')).toMatchObject([
      { answer: 'approved', by: 'ann' },
      { answer: 'denied', by: 'ann' },
      { answer: 'withdrawn' },
    ]);
  });

  test('a question is a call of the client until it is answered [doors.ui-stream]', async () => {
    const belay = await serve();
    await endpoint.script([
      { when: { toolResult: true }, reply: { text: 'Noted.' } },
      { reply: { calls: [{ name: 'ask_user', arguments: { question: 'Which host?' } }] } },
    ]);
    const { chat } = openChat('asks', closing(belay));
    await chat.sendMessage({ text: 'deploy' });
    const [asked] = chatCallsOf(lastOf(chat));
    expect(asked).toMatchObject({ toolName: 'ask_user', state: 'input-available', providerExecuted: false });
    expect(dataOf(lastOf(chat), 'question')).toMatchObject([{ type: 'question', text: 'Which host?', answer: null }]);
    await chat.addToolOutput({ tool: 'ask_user', toolCallId: asked?.toolCallId ?? '', output: 'the blue one' });
    await until(() => chatTextOf(lastOf(chat)) === 'Noted.' && chat.status === 'ready');
    expect(toolMessages((await endpoint.requests()).at(-1)).join()).toContain('the blue one');
    expect(chatCallsOf(lastOf(chat))).toMatchObject([{ state: 'output-available', providerExecuted: true }]);
  });

  test('a stop in the middle of text closes the request upstream, and the cause names the door [doors.ui-stream] [doors.cause]', async () => {
    const belay = await serve();
    await endpoint.script([{ reply: { text: 'The first half of it', end: 'hang' } }]);
    const { chat } = openChat('kept', closing(belay));
    const sent = chat.sendMessage({ text: 'hello' });
    await until(() => chat.messages.length === 2 && chatTextOf(lastOf(chat)) === 'The first half of it');
    await chat.stop();
    await sent;
    expect(chat.status).toBe('ready');
    await untilAllEnded(belay);
    expect(requestEnds(await endpoint.requests())).toEqual(['200 closed_by_client']);
    const settled = await until(() => storedFacts(belay.store, 'kept').find(({ type }) => type === 'cancel_settled'));
    expect(settled).toMatchObject({ cause: { source: 'disconnect', by: 'ann', door: 'ui-stream' } });
  });

  test('stop() of belayTransport waits for the receipt: parallel tools and a sub-agent are dead, whatever the rule for lost requests [doors.ui-stream]', async () => {
    const belay = await serve({ onDisconnect: 'continue' });
    const [one, two] = [newToken(), newToken()];
    const calls = [
      shellCall(`sleep ${one}`, belay.folder.a),
      shellCall(`trap '' TERM; sleep ${two}`, belay.folder.b),
      { name: 'spawn_agent', arguments: { agent: 'researcher', task: 'read the notes' } },
    ];
    await endpoint.script([
      { when: { user: 'read the notes' }, reply: { text: 'Reading', end: 'hang' } },
      { when: { user: 'and now' }, reply: { text: 'Here.' } },
      { reply: { calls } },
    ]);
    const receipts: (StopReceipt | null)[] = [];
    const { chat } = openChat('kept', stopping(belay, { onReceipt: (receipt) => receipts.push(receipt) }));
    const sent = chat.sendMessage({ text: 'all of it' });
    await Promise.all([untilRunning(one), untilRunning(two), untilHanging(belay, 2)]);
    await Promise.all([chat.stop(), chat.stop()]);
    expect([...living(one), ...living(two)]).toEqual([]);
    expect(receipts).toMatchObject([
      { type: 'cancel_settled', cause: { source: 'http', by: 'ann', door: 'ui-stream' } },
    ]);
    expect(receipts[0]?.nodes.every(({ outcome }) => outcome === 'cancelled')).toBe(true);
    await sent;
    expect(chat.status).toBe('ready');
    expect(requestEnds(await endpoint.requests())).toEqual(['200 finished', '200 closed_by_client']);
    await chat.sendMessage({ text: 'and now' });
    expect(chatTextOf(lastOf(chat))).toBe('Here.');
  });

  test('the stop route ends the message itself: each call has its end, and nothing is sent again [doors.ui-stream]', async () => {
    const belay = await serve();
    const token = newToken();
    await endpoint.script([{ reply: { text: 'On it.', calls: [shellCall(`sleep ${token}`, belay.folder.a)] } }]);
    const transport = stopping(belay);
    const { chat, chunks } = openChat('kept', transport);
    expect(await transport.stop('kept').catch((error: unknown) => error)).toMatchObject({
      status: 404,
      code: 'access_denied',
    });
    const sent = chat.sendMessage({ text: 'build' });
    await untilRunning(token);
    const receipt = await transport.stop('kept', { reason: 'enough' });
    expect(receipt).toMatchObject({ type: 'cancel_settled', cause: { reason: 'enough' } });
    expect(living(token)).toEqual([]);
    await sent;
    expect(chat.status).toBe('ready');
    expect(chatCallsOf(lastOf(chat))).toMatchObject([{ state: 'output-error' }]);
    expect(chatCallsOf(lastOf(chat))[0]?.errorText).toMatch(/^Cancelled/);
    expect(dataOf(lastOf(chat), 'receipt')).toMatchObject([{ type: 'cancel_settled', cancel: receipt?.cancel }]);
    expect(chunks.slice(-2)).toMatchObject([
      { type: 'abort', reason: 'Stopped by ann (over HTTP).' },
      { type: 'finish', finishReason: 'interrupted' },
    ]);
    expect(await transport.stop('kept')).toBeNull();
    expect((await endpoint.requests()).length).toBe(1);
  });

  test('a stop while a question waits withdraws it [doors.ui-stream]', async () => {
    const belay = await serve();
    await endpoint.script([{ reply: { calls: [shellCall('echo never', belay.folder.a)] } }]);
    const transport = stopping(belay, { profile: 'careful' });
    const { chat } = openChat('asks', transport);
    await chat.sendMessage({ text: 'run it' });
    expect(chatCallsOf(lastOf(chat))).toMatchObject([{ state: 'approval-requested' }]);
    const receipt = await transport.stop('asks');
    expect(receipt?.nodes.map(({ outcome, effect }) => `${outcome} ${effect}`)).toContain('cancelled not_started');
    await chat.addToolApprovalResponse({ id: chatCallsOf(lastOf(chat))[0]?.approval?.id ?? '', approved: true });
    await until(() => chatCallsOf(lastOf(chat))[0]?.state === 'output-error' && chat.status === 'ready');
    expect((await endpoint.requests()).length).toBe(1);
  });

  test('a client that is lost comes back to its turn within the grace, from the first chunk on, and the stop route stops [doors.ui-stream]', async () => {
    const belay = await serve({ graceMs: 60_000 });
    const token = newToken();
    await endpoint.script([
      { when: { toolResult: true }, reply: { text: 'Built.' } },
      { reply: { text: 'On it.', calls: [shellCall(`echo started; sleep ${token}`, belay.folder.a)] } },
    ]);
    const first = openChat('kept', closing(belay));
    const sent = first.chat.sendMessage({ text: 'build' });
    await untilRunning(token);
    await first.chat.stop();
    await sent;

    const second = openChat('kept', closing(belay));
    const resumed = second.chat.resumeStream();
    await until(
      () => second.chat.messages.length === 1 && chatCallsOf(lastOf(second.chat))[0]?.state === 'input-available',
    );
    expect(living(token).length).toBeGreaterThan(0);
    expect(chatTextOf(lastOf(second.chat))).toBe('On it.');
    expect(await stopping(belay).stop('kept')).toMatchObject({ type: 'cancel_settled' });
    await resumed;
    expect(living(token)).toEqual([]);
    expect(chatCallsOf(lastOf(second.chat))).toMatchObject([{ state: 'output-error' }]);

    await second.chat.resumeStream(); // nothing runs: 204
    expect(second.chat.status).toBe('ready');
    const nothing = await fetch(`${addressOf(belay)}/api/ui/kept/stream`, { headers: bearer('ann') });
    expect(nothing.status).toBe(204);
  });

  test('two doors on one session: the other door stops what the client of one has started, and both get the receipt [doors.ui-stream]', async () => {
    const belay = await serve();
    const [one, two] = [newToken(), newToken()];
    await endpoint.script([
      { when: { user: 'build' }, reply: { text: 'On it.', calls: [shellCall(`sleep ${one}`, belay.folder.a)] } },
      { reply: { calls: [shellCall(`sleep ${two}`, belay.folder.b)] } },
    ]);
    const bob = await joinRoom(belay, 'bob');
    const { chat, chunks } = openChat('room', closing(belay));
    const sent = chat.sendMessage({ text: 'build' });
    await untilRunning(one);
    const receipt = await bob.session.cancel('session').settled;
    expect(living(one)).toEqual([]);
    await sent;
    expect(chunks.at(-2)).toMatchObject({ type: 'abort', reason: 'Stopped by bob.' });
    expect(dataOf(lastOf(chat), 'receipt')).toMatchObject([{ cancel: receipt?.cancel, cause: { by: 'bob' } }]);

    const turn = bob.session.say('test it');
    await untilRunning(two);
    const stopped = await post(belay, '/room/stop', { target: 'session' });
    expect(await stopped.json()).toMatchObject({
      session: 'room',
      receipt: { cause: { by: 'ann', door: 'ui-stream' } },
    });
    expect(living(two)).toEqual([]);
    expect(await turn.ended).toMatchObject({ outcome: 'cancelled' });
  });

  test('a failed turn is an error of the chat, with our code; a regenerated answer is another turn with the same words [doors.ui-stream]', async () => {
    const belay = await serve();
    await endpoint.script([{ times: 1, reply: { status: 401 } }, { reply: { text: 'Now.' } }]);
    const { chat } = openChat('kept', closing(belay));
    await chat.sendMessage({ text: 'go' });
    expect(chat.status).toBe('error');
    expect(chat.error?.message).toMatch(/\(model_unauthorized\)$/);
    await chat.regenerate();
    expect(chat.status).toBe('ready');
    expect(chatTextOf(lastOf(chat))).toBe('Now.');
  });

  test('a wrong token is an error of the chat, and of the transport [doors.ui-stream]', async () => {
    const belay = await serve();
    await endpoint.script([]);
    const headers = { authorization: 'Bearer wrong' };
    const { chat } = openChat('kept', new ai.DefaultChatTransport({ api: `${addressOf(belay)}/api/ui`, headers }));
    await chat.sendMessage({ text: 'go' });
    expect(chat.status).toBe('error');
    expect(JSON.parse(chat.error?.message ?? '')).toMatchObject({ code: 'unauthorized' });
    const own = openChat('kept', stopping(belay, { headers }));
    await own.chat.sendMessage({ text: 'go' });
    expect(own.chat.error).toMatchObject({ status: 401, code: 'unauthorized' });
    expect((await endpoint.requests()).length).toBe(0);
  });
});

test('without the SDK: header, chunks, what was before, and errors with our code [doors.ui-stream]', async () => {
  const belay = await serve({}, { gateway: { speakerByteBurst: 400_000, framesPerSecond: 1, frameBurst: 20 } });
  await endpoint.script([{ reply: { text: 'A dot.' } }]);
  const url =
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const before = [
    { role: 'user', parts: [{ type: 'text', text: 'what was before?' }] },
    {
      role: 'assistant',
      parts: [
        { type: 'step-start' },
        { type: 'tool-old', toolCallId: 'c1', state: 'output-available', input: { x: 1 }, output: 'an old result' },
        { type: 'text', text: 'That.' },
      ],
    },
  ];
  const said = {
    role: 'user',
    parts: [
      { type: 'file', mediaType: 'image/png', url },
      { type: 'text', text: 'and this?' },
    ],
  };
  const response = await post(belay, '/pictures', { messages: [...before, said], trigger: 'submit-message' });
  expect(response.status).toBe(200);
  expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  expect(await response.text()).toMatch(/^data: \{"type":"start"[\s\S]*"type":"finish"[\s\S]*data: \[DONE\]\n\n$/);
  const sent = JSON.stringify((await endpoint.requests()).at(-1)?.messages);
  for (const words of ['what was before?', 'an old result', 'That.', 'and this?', 'data:image/png;base64'])
    expect(sent).toContain(words);

  const refused = async (path: string, body: unknown, speaker: TestSpeaker = 'ann') => {
    const response = await post(belay, path, body, speaker);
    const { code, field } = (await response.json()) as { readonly code: string; readonly field?: string };
    return `${response.status} ${code}${field === undefined ? '' : ` ${field}`}`;
  };
  expect(await refused('', { messages: says('x') })).toBe('400 missing_field id');
  expect(await refused('/s', { messages: [] })).toBe('400 bad_field messages');
  expect(await refused('/s', { id: 's' })).toBe('400 missing_field messages');
  expect(await refused('/s', { messages: before })).toBe('400 bad_field messages');
  expect(await refused('/s', { messages: says(' ') })).toBe('400 bad_field messages');
  expect(await refused('/s', { messages: says('x'), profile: 'for-bob' })).toBe('404 unknown_model profile');
  expect(
    await refused('/s', { messages: [{ role: 'user', parts: new Array(1_025).fill({ type: 'step-start' }) }] }),
  ).toBe('400 bad_field messages[0].parts');
  expect(
    await refused('/s', { messages: [{ role: 'user', parts: [{ type: 'file', url: 'http://127.0.0.1/x.png' }] }] }),
  ).toBe('400 bad_field messages');
  const shown = { role: 'assistant', parts: [], metadata: { belay: { session: 's', turn: 'turn_0', seq: 1 } } };
  expect(await refused('/pictures', { messages: [shown] })).toBe('404 unknown_target messages');
  expect(await refused('/s', '{')).toBe('400 not_json');
  expect(await refused('/pictures/stop', { target: 'session', why: 'x' })).toBe('400 unknown_field why');
  expect(await refused('/s', { messages: says('x'.repeat(500_000)) })).toBe('413 body_too_large');
  const flood = await Promise.all(Array.from({ length: 30 }, () => post(belay, '/s', { messages: [] }, 'bob')));
  const limited = flood.filter(({ status }) => status === 429);
  expect(limited.length).toBeGreaterThan(0);
  expect(limited.map(({ headers }) => headers.get('retry-after'))).toEqual(limited.map(() => '1'));
  expect((await endpoint.requests()).length).toBe(1);
});

test('a door that is not configured has no routes [doors.off]', async () => {
  const belay = await serveBelay(endpoint);
  expect((await post(belay, '/s', { messages: says('x') })).status).toBe(404);
});
