// Chat Completions by the official client, against a gateway in a process of its own, with real shells and an endpoint that sees its requests closed.
import OpenAI from 'openai';
import { expect, test } from 'vitest';
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
import { storedFacts, storedSessions } from '../support/stored-facts.ts';
import { until } from '../support/until.ts';
import { addressOf } from './served-door.ts';

const endpoint = useEndpoint();

const doors = [
  {
    door: 'openai',
    profiles: {
      belay: {},
      careful: { tools: ['shell', 'ask_user'], approve: ['shell'] },
      trusting: { tools: ['shell'], approve: ['shell'], onAsk: 'allow' },
      'for-bob': { speakers: ['bob'] },
    },
  },
];

const serve = (config: object = {}) => serveBelay(endpoint, { config: { doors, ...config } });

const clientOf = (belay: ServedBelay, speaker: TestSpeaker = 'ann', options: object = {}) =>
  new OpenAI({ baseURL: `${addressOf(belay)}/v1`, apiKey: tokenOf(speaker), maxRetries: 0, ...options });

const say = (content: string, model = 'belay') => ({ model, messages: [{ role: 'user', content } as const] });
/** The field of Belay in an answer. */
const belayOf = (answer: unknown) => (answer as { readonly belay: Readonly<Record<string, unknown>> }).belay;

const untilNoSession = ({ store }: ServedBelay) =>
  until(() => storedSessions(store).length === 0, { what: 'the session to be deleted' });

test('it lists the profiles that the speaker may use [doors.openai]', async () => {
  const belay = await serve();
  const idsFor = async (speaker: TestSpeaker) =>
    (await clientOf(belay, speaker).models.list()).data.map(({ id }) => id);
  expect(await idsFor('ann')).toEqual(['belay', 'careful', 'trusting']);
  expect(await idsFor('bob')).toEqual(['belay', 'careful', 'trusting', 'for-bob']);
  await expect(clientOf(belay).chat.completions.create(say('hello', 'for-bob'))).rejects.toMatchObject({
    status: 404,
    code: 'unknown_model',
    param: 'model',
  });
});

test('an answer: tools run inside in parallel, usage is reported, and the session is deleted [doors.openai]', async () => {
  const belay = await serve();
  await endpoint.script([
    { when: { toolResult: true }, reply: { text: 'Both ran.', usage: { input: 7, output: 3 } } },
    {
      reply: {
        text: 'I look.',
        calls: [shellCall('echo one', belay.folder.a), shellCall('echo two', belay.folder.b)],
        usage: { input: 10, output: 5 },
      },
    },
  ]);
  const answer = await clientOf(belay).chat.completions.create({
    model: 'belay',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'what was before?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'old_tool', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'an old result' },
      { role: 'assistant', content: 'That.' },
      { role: 'user', content: 'run both' },
    ],
  });
  expect(answer).toMatchObject({ object: 'chat.completion', model: 'belay' });
  expect(answer.choices).toMatchObject([
    { finish_reason: 'stop', message: { role: 'assistant', content: 'I look.\n\nBoth ran.' } },
  ]);
  expect(answer.usage).toMatchObject({ prompt_tokens: 17, completion_tokens: 8, total_tokens: 25 });
  expect(belayOf(answer)).toMatchObject({
    outcome: 'completed',
    receipt: null,
    calls: [
      { name: 'shell', outcome: 'completed' },
      { name: 'shell', outcome: 'completed' },
    ],
  });
  const [first, second] = await endpoint.requests();
  const said = (first?.messages ?? []).filter(({ role }) => role !== 'system');
  expect(said.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  expect(JSON.stringify(said[0])).toContain('Be brief.');
  expect(JSON.stringify(said[1])).toContain('[A call that the client says was made elsewhere: old_tool({})]');
  expect(JSON.stringify(said[1])).toContain('an old result');
  expect(toolMessages(second).join()).toMatch(/one[\s\S]*two/);
  await untilNoSession(belay);
});

test('a stream: the text as it comes, then usage and the end [doors.openai]', async () => {
  const belay = await serve();
  await endpoint.script([{ reply: { text: 'As it comes.', usage: { input: 4, output: 2 } } }]);
  const stream = await clientOf(belay).chat.completions.create({
    ...say('hello'),
    stream: true,
    stream_options: { include_usage: true },
  });
  let text = '';
  const ends: unknown[] = [];
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? '';
    if (chunk.choices[0]?.finish_reason) ends.push(chunk.choices[0].finish_reason, belayOf(chunk)['outcome']);
    if (chunk.usage) ends.push(chunk.usage.total_tokens);
  }
  expect({ text, ends }).toEqual({ text: 'As it comes.', ends: ['stop', 'completed', 6] });
  await untilNoSession(belay);
});

test('a stop in the middle of text closes the request upstream, and the cause names the door [doors.openai] [doors.cause]', async () => {
  const belay = await serve();
  await endpoint.script([{ reply: { text: 'The first half of it', end: 'hang' } }]);
  const stream = await clientOf(belay).chat.completions.create(
    { ...say('hello'), stream: true },
    { headers: { 'x-belay-session': 'kept' } },
  );
  let text = '';
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? '';
    if (text === 'The first half of it') stream.controller.abort();
  }
  expect(text).toBe('The first half of it');
  await untilAllEnded(belay);
  expect(requestEnds(await endpoint.requests())).toEqual(['200 closed_by_client']);
  const settled = await until(() => storedFacts(belay.store, 'kept').find(({ type }) => type === 'cancel_settled'));
  expect(settled).toMatchObject({ cause: { source: 'disconnect', by: 'ann', door: 'openai' } });
  stream.controller.abort(); // twice
  expect(storedFacts(belay.store, 'kept').filter(({ type }) => type === 'cancel_accepted')).toHaveLength(1);
});

test.each([true, false])(
  'a stop of parallel tools and a sub-agent ends every process (stream: %s) [doors.openai]',
  async (isStream) => {
    const belay = await serve();
    const [one, two] = [newToken(), newToken()];
    await endpoint.script([
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
    const stop = new AbortController();
    const client = clientOf(belay);
    const asked = isStream
      ? client.chat.completions
          .create({ ...say('all of it'), stream: true }, { signal: stop.signal })
          .then(async (stream) => {
            for await (const _ of stream);
          })
      : client.chat.completions.create(say('all of it'), { signal: stop.signal });
    const outcome = asked.then(
      () => 'ended',
      (error: Error) => error.constructor.name,
    );
    await Promise.all([untilRunning(one), untilRunning(two), untilHanging(belay, 2)]);
    stop.abort();
    expect(await outcome).toBe(isStream ? 'ended' : 'APIUserAbortError');
    await until(() => [...living(one), ...living(two)].length === 0, { what: 'every process to have ended' });
    await untilAllEnded(belay);
    expect(requestEnds(await endpoint.requests())).toEqual(['200 finished', '200 closed_by_client']);
    await untilNoSession(belay);
  },
);

test('a call that needs a yes is denied at once, and named in the answer; a profile may allow it [doors.openai] [doors.cannot_ask]', async () => {
  const belay = await serve();
  await endpoint.script([
    { when: { toolResult: true }, reply: { text: 'So it is.' } },
    { reply: { calls: [shellCall('echo ran')] } },
  ]);
  const careful = await clientOf(belay).chat.completions.create(say('run it', 'careful'));
  expect(careful.choices[0]?.message.content).toBe(
    'So it is.\n\n[shell needed a yes, and this door has nobody to ask (cannot_ask): it did not run.]',
  );
  expect(belayOf(careful)).toMatchObject({ calls: [{ name: 'shell', outcome: 'denied', code: 'cannot_ask' }] });
  expect(toolMessages((await endpoint.requests()).at(-1)).join()).toContain('Nobody could be asked');
  const trusting = await clientOf(belay).chat.completions.create(say('run it', 'trusting'));
  expect(trusting.choices[0]?.message.content).toBe('So it is.');
  expect(toolMessages((await endpoint.requests()).at(-1)).join()).toContain('ran');
});

test('a question of a tool is withdrawn at once [doors.openai] [doors.cannot_ask]', async () => {
  const belay = await serve();
  await endpoint.script([
    { when: { toolResult: true }, reply: { text: 'Then not.' } },
    { reply: { calls: [{ name: 'ask_user', arguments: { question: 'Which host?' } }] } },
  ]);
  const answer = await clientOf(belay).chat.completions.create(say('do it', 'careful'));
  expect(answer.choices[0]?.message.content).toContain('Then not.');
});

test('two doors on one session: the other door stops what the client of one has started, and both get the receipt [doors.openai]', async () => {
  const belay = await serve();
  const token = newToken();
  await endpoint.script([{ reply: { text: 'On it.', calls: [shellCall(`sleep ${token}`, belay.folder.a)] } }]);
  const bob = await joinRoom(belay, 'bob');
  const answering = clientOf(belay).chat.completions.create(say('build'), { headers: { 'x-belay-session': 'room' } });
  await untilRunning(token);
  const receipt = await bob.session.cancel('session').settled;
  expect(receipt?.cause).toMatchObject({ by: 'bob', source: 'client' });
  expect(living(token)).toEqual([]);
  const answer = await answering;
  expect(answer.choices).toMatchObject([
    { finish_reason: 'stop', message: { content: 'On it.\n\n[Stopped by bob.]' } },
  ]);
  expect(belayOf(answer)).toMatchObject({
    session: 'room',
    outcome: 'cancelled',
    receipt: { cancel: receipt?.cancel },
  });
});

test('a named session goes on: its own history counts, and only the new words are said [doors.openai]', async () => {
  const belay = await serve();
  await endpoint.script([{ reply: { text: 'Noted.' } }]);
  const client = clientOf(belay, 'ann', { defaultHeaders: { 'x-belay-session': 'kept' } });
  await client.chat.completions.create(say('the first'));
  await client.chat.completions.create({
    model: 'belay',
    messages: [
      { role: 'user', content: 'never said' },
      { role: 'assistant', content: 'never answered' },
      { role: 'user', content: 'the second' },
    ],
  });
  const said = (await endpoint.requests()).at(-1)?.messages.filter(({ role }) => role !== 'system');
  expect(said?.map(({ content }) => content)).toEqual(['the first', 'Noted.', 'the second']);
  expect(storedSessions(belay.store)).toEqual(['kept']);
  await expect(
    clientOf(belay, 'bob', { defaultHeaders: { 'x-belay-session': 'other' } }).chat.completions.create(say('x')),
  ).resolves.toBeDefined();
});

test('a failed turn is an error that no client repeats: its tools must not run again [doors.openai]', async () => {
  const belay = await serve();
  await endpoint.script([
    { when: { toolResult: true }, reply: { status: 401 } },
    { reply: { calls: [shellCall('echo ran')] } },
  ]);
  const client = clientOf(belay, 'ann', { maxRetries: 3 });
  await expect(client.chat.completions.create(say('go'))).rejects.toMatchObject({
    status: 502,
    code: 'model_unauthorized',
  });
  const streamed = await client.chat.completions.create({ ...say('go'), stream: true });
  const read = async () => {
    for await (const _ of streamed);
  };
  await expect(read()).rejects.toMatchObject({ code: 'model_unauthorized' });
  expect(requestEnds(await endpoint.requests())).toEqual([
    '200 finished',
    '401 finished',
    '200 finished',
    '401 finished',
  ]);
});

test('errors have the form of the protocol, and our code: token, body, what is not done here [doors.openai]', async () => {
  const belay = await serve();
  await endpoint.script([{ reply: { text: 'ok' } }]);
  const wrong = new OpenAI({ baseURL: `${addressOf(belay)}/v1`, apiKey: 'wrong', maxRetries: 0 });
  await expect(wrong.models.list()).rejects.toMatchObject({
    status: 401,
    code: 'unauthorized',
    type: 'authentication_error',
  });
  const create = (more: object) => clientOf(belay).chat.completions.create({ ...say('hello'), ...more });
  await expect(create({ messages: [] })).rejects.toMatchObject({ status: 400, code: 'bad_field', param: 'messages' });
  await expect(create({ model: undefined })).rejects.toMatchObject({
    status: 400,
    code: 'missing_field',
    param: 'model',
  });
  await expect(create({ tools: [{ type: 'function', function: { name: 'x' } }] })).rejects.toMatchObject({
    status: 400,
    param: 'tools',
  });
  await expect(create({ n: 2 })).rejects.toMatchObject({ status: 400, param: 'n' });
  await expect(create({ messages: [{ role: 'assistant', content: 'x' }] })).rejects.toMatchObject({
    status: 400,
    param: 'messages',
  });
  const misnamed = { headers: { 'x-belay-session': '%zz' } };
  await expect(clientOf(belay).chat.completions.create(say('x'), misnamed)).rejects.toMatchObject({
    status: 400,
    code: 'bad_field',
    param: 'x-belay-session',
  });
  const remote = [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'http://127.0.0.1/x.png' } }] }];
  await expect(create({ messages: remote })).rejects.toMatchObject({ status: 400, code: 'bad_field' });
  await expect(
    create({
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'x'.repeat(300_000) },
        { role: 'user', content: 'b' },
      ],
    }),
  ).rejects.toMatchObject({ status: 413, code: 'import_too_large' });
  expect(await create({ tools: [], n: 1, seed: 3, user: 'someone', response_format: { type: 'text' } })).toBeDefined();
  expect((await endpoint.requests()).length).toBe(1);
});

test('an image reaches the model [doors.openai]', async () => {
  const belay = await serve();
  await endpoint.script([{ reply: { text: 'A dot.' } }]);
  const url =
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  await clientOf(belay).chat.completions.create({
    model: 'belay',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'what is it?' },
          { type: 'image_url', image_url: { url } },
        ],
      },
    ],
  });
  expect(JSON.stringify((await endpoint.requests())[0]?.messages)).toContain('image_url');
});

test('a flood is 429 with Retry-After, and counted by the door [doors.openai]', async () => {
  const belay = await serve({ gateway: { framesPerSecond: 1, frameBurst: 3 } });
  const replies = await Promise.all(
    Array.from({ length: 12 }, () =>
      fetch(`${addressOf(belay)}/v1/models`, { headers: { authorization: `Bearer ${tokenOf('ann')}` } }),
    ),
  );
  const refused = replies.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]?.headers.get('retry-after')).toBe('1');
  expect(await refused[0]?.json()).toMatchObject({ error: { code: 'rate_limited', type: 'rate_limit_error' } });
});

test('a gateway without the setting has no such routes [doors.off]', async () => {
  const belay = await serveBelay(endpoint, {});
  await expect(clientOf(belay).models.list()).rejects.toMatchObject({ status: 404 });
  expect((await fetch(`${addressOf(belay)}/mcp`, { method: 'POST' })).status).toBe(404);
});

test('`continue`: the turn of a lost request runs on, and its own stop is another door [doors.openai]', async () => {
  const [{ profiles }] = doors as [(typeof doors)[0]];
  const belay = await serve({ doors: [{ door: 'openai', profiles, onDisconnect: 'continue' }] });
  const token = newToken();
  await endpoint.script([
    { when: { toolResult: true }, reply: { text: 'It ended.' } },
    { reply: { calls: [shellCall(`sleep 1; echo ${token}`, belay.folder.a)] } },
  ]);
  const stop = new AbortController();
  const lost = clientOf(belay).chat.completions.create(say('build'), {
    headers: { 'x-belay-session': 'kept' },
    signal: stop.signal,
  });
  await untilRunning(token);
  stop.abort();
  await expect(lost).rejects.toMatchObject({ name: 'Error' });
  const ended = await until(() => storedFacts(belay.store, 'kept').find(({ type }) => type === 'turn_ended'), {
    ms: 10_000,
  });
  expect(ended).toMatchObject({ outcome: 'completed' });
});

test('the same request under its key follows its turn: nothing runs twice [doors.openai]', async () => {
  const belay = await serve();
  await endpoint.script([{ reply: { text: 'Once.' } }]);
  const options = { headers: { 'x-belay-session': 'kept', 'idempotency-key': 'k1' } };
  const client = clientOf(belay);
  const answers = [
    await client.chat.completions.create(say('go'), options),
    await client.chat.completions.create(say('go'), options),
  ];
  expect(answers.map(({ choices }) => choices[0]?.message.content)).toEqual(['Once.', 'Once.']);
  expect((await endpoint.requests()).length).toBe(1);
});
