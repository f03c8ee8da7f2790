// The scripted endpoint as a process: its rules, its journal, and its end with its parent.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { systemSources } from '../../../src/core/sources/system.ts';
import { startScriptedEndpoint } from '../../../src/programs/scripted/start.ts';
import { startEndpoint, type TestEndpoint } from '../../support/endpoint.ts';
import { until } from '../../support/until.ts';

let endpoint: TestEndpoint;
beforeAll(async () => {
  endpoint = await startEndpoint();
});
afterAll(() => endpoint.close());

const post = (url: string, body: unknown, signal?: AbortSignal) =>
  fetch(`${url}/chat/completions`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });

const ask = (content: string, signal?: AbortSignal) =>
  post(endpoint.url, { model: 'm', stream: true, messages: [{ role: 'user', content }] }, signal);

const gone = (url: string) => () =>
  fetch(url).then(
    () => false,
    () => true,
  );

test('the first rule that matches replies, as many times as it may', async () => {
  await endpoint.script([
    { when: { user: 'once' }, times: 1, reply: { status: 418 } },
    { when: { user: 'on' }, reply: { status: 402 } },
  ]);
  const statuses: number[] = [];
  for (const words of ['once', 'once', 'online', 'never']) {
    const response = await ask(words);
    await response.text();
    statuses.push(response.status);
  }
  expect(statuses).toEqual([418, 402, 402, 400]);
  expect((await endpoint.requests()).slice(-4).map((entry) => entry.rule)).toEqual([0, 1, 1, null]);
});

test('rules match by round, by results and by agent', async () => {
  await endpoint.script([
    { when: { declares: 'look' }, reply: { status: 401 } },
    { when: { any: 'deep "inside"' }, reply: { status: 402 } },
    { when: { round: 1, toolResult: true }, reply: { status: 403 } },
    { when: { round: 0 }, reply: { status: 404 } },
  ]);
  const call = {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '' } }],
  };
  const rounds = [call, { role: 'tool', tool_call_id: 'a', content: 'x' }];
  const words = { role: 'user', content: 'Look.' };
  const requests = [
    { messages: [words], tools: [{ type: 'function', function: { name: 'look' } }] },
    { messages: [{ role: 'system', content: 'deep "inside"' }, words] },
    { messages: [words, ...rounds] },
    { messages: [words, ...rounds, words] },
  ];
  const statuses = await Promise.all(
    requests.map(async (body) => (await post(endpoint.url, { model: 'm', ...body })).status),
  );
  expect(statuses).toEqual([401, 402, 403, 404]);
});

test('a reply that hangs continues when it is released', async () => {
  await endpoint.script([{ reply: { text: 'Words.', end: 'hang' } }]);
  const answer = ask('hang').then((response) => response.text());
  await until(async () => (await endpoint.requests()).at(-1)?.hanging);
  await endpoint.release();
  expect(await answer).toMatch(/"finish_reason":"stop".*\[DONE\]/s);
  expect((await endpoint.requests()).at(-1)).toMatchObject({ hanging: false, ended: { how: 'finished' } });
});

test('a body that is not a request is rejected, and the endpoint goes on', async () => {
  for (const body of ['{', 'null', '{"messages":7}']) expect((await post(endpoint.url, body)).status).toBe(400);
  expect((await fetch(endpoint.url)).status).toBe(404);
});

test('what is streamed has the shape of a provider: text, whole calls, the reason, the usage, the end', async () => {
  const calls = [
    { name: 'look', arguments: { path: 'a long path to it' } },
    { name: 'raw', arguments: '{"a":', id: 'c' },
  ];
  await endpoint.script([
    { reply: { text: 'Words, more than one chunk of them.', calls, usage: { input: 7, output: 3 } } },
  ]);
  const body = { model: 'm', messages: [{ role: 'user', content: 'x' }], stream_options: { include_usage: true } };
  const text = await (await post(endpoint.url, body)).text();
  const events = text
    .trimEnd()
    .split('\n\n')
    .map((event) => event.replace(/^data: /, ''));
  expect(events.pop()).toBe('[DONE]');
  const chunks = events.map((event) => JSON.parse(event));
  expect(chunks.pop()).toMatchObject({
    choices: [],
    usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
  });
  expect(chunks.pop()).toMatchObject({ model: 'm', choices: [{ delta: {}, finish_reason: 'tool_calls' }] });
  const deltas = chunks.map(({ choices: [{ delta }] }) => delta);
  expect(deltas[0]).toEqual({ role: 'assistant', content: '' });
  expect(deltas.map(({ content = '' }) => content).join('')).toBe('Words, more than one chunk of them.');
  const streamed = deltas.flatMap(({ tool_calls = [] }) => tool_calls);
  const argumentsOf = (index: number) =>
    streamed.flatMap((call) => (call.index === index ? [call.function.arguments] : [])).join('');
  expect([argumentsOf(0), argumentsOf(1)]).toEqual(['{"path":"a long path to it"}', '{"a":']);
  expect(streamed.flatMap(({ id }) => id ?? [])).toEqual([expect.stringMatching(/^call_/), 'c']);
});

test('a client that closes its stream ends what is generated for it', async () => {
  await endpoint.script([{ reply: { text: 'word '.repeat(2_000), pace: { chunksPerSecond: 20 } } }]);
  const clients = Array.from({ length: 5 }, () => new AbortController());
  await Promise.all(
    clients.map((client) => ask('talk', client.signal).then((response) => response.body?.getReader().read())),
  );
  for (const client of clients) client.abort();
  const ended = async () => {
    const talks = (await endpoint.requests()).filter(({ messages }) => messages[0]?.content === 'talk');
    return talks.filter((entry) => entry.ended?.how === 'closed_by_client');
  };
  await until(async () => (await ended()).length === 5);
  const sent = (await ended()).map(({ sentBytes }) => sentBytes);
  await ask('on'); // a later moment
  expect((await ended()).map(({ sentBytes }) => sentBytes)).toEqual(sent);
});

test('without `control` there is no access to its journal or its script', async () => {
  const plain = await startScriptedEndpoint({ clock: systemSources.clock });
  onTestFinished(() => plain.close());
  for (const path of ['/__journal', '/__script', '/__release']) {
    for (const method of ['GET', 'POST']) {
      expect((await fetch(new URL(path, plain.url), { method })).status).toBe(404);
    }
  }
});

test('close ends the process, also during a reply, and may be called twice', async () => {
  const other = await startEndpoint();
  await other.script([{ reply: { text: 'word '.repeat(2_000), pace: { chunksPerSecond: 20 } } }]);
  const answer = await post(other.url, { model: 'm', stream: true, messages: [] });
  await answer.body?.getReader().read();
  await other.close();
  await other.close();
  expect(await gone(other.url)()).toBe(true);
});

test.each(['SIGKILL', 'SIGTERM'] as const)('ends when its parent is killed by %s', async (signal) => {
  const parent = spawn(process.execPath, [fileURLToPath(new URL('./parent.ts', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void parent.kill('SIGKILL'));
  const [line] = await once(createInterface({ input: parent.stdout }), 'line');
  const { url, pid } = JSON.parse(line) as { url: string; pid: number };
  expect(await gone(url)()).toBe(false);
  parent.kill(signal);
  await until(gone(url), { what: `the endpoint (${pid}) to end` });
});

test('Ctrl-C in the terminal, which reaches the whole group, does not end it', async () => {
  const other = await startEndpoint();
  onTestFinished(() => other.close());
  process.kill(other.pid, 'SIGINT');
  expect(await other.requests()).toEqual([]);
});
