// The openai provider against a real endpoint: requests, responses, usage.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { ModelRequest } from '../../../src/core/contracts/provider.ts';
import { describeProvider, request, runModelCall } from '../../contract/provider.ts';
import { type Reply, startEndpoint, type TestEndpoint } from '../../support/endpoint.ts';
import { until } from '../../support/until.ts';
import { answering, bareServer, hanging, hasty, providerAt } from './at-endpoint.ts';
import { startServer } from './transport/servers.ts';

describeProvider('openai', async () => {
  const endpoint = await startEndpoint();
  return {
    provider: providerAt(endpoint.url),
    async play({ text, calls: whole = [], half, ends }) {
      const wire = (call: { callId: string; name: string; arguments: string }) => ({ ...call, id: call.callId });
      const reply: Reply =
        ends === 'fail'
          ? { status: 401 }
          : {
              ...(text === undefined ? {} : { text }),
              calls: whole.map(wire),
              ...(half ? { half: wire(half) } : {}),
              end: ends,
              pace: { chunkChars: 3 },
            };
      await endpoint.script([{ reply }]);
    },
    requestCount: async () => (await endpoint.requests()).length,
    hanging: () => hanging(endpoint),
    close: () => endpoint.close(),
  };
});

let endpoint: TestEndpoint;
beforeAll(async () => {
  endpoint = await startEndpoint();
});
afterAll(() => endpoint.close());

describe('what is sent', () => {
  test('the messages, calls and tools arrive as Chat Completions has them', async () => {
    const { seen } = await answering(endpoint, { text: 'Yes.' });
    const asked: ModelRequest = {
      model: 'another',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Look.' },
        { role: 'assistant', content: '', calls: [{ callId: 'c1', name: 'look', arguments: '{"at":1}' }] },
        { role: 'tool', callId: 'c1', content: 'a wall' },
        { role: 'assistant', content: 'A wall.', calls: [] },
        { role: 'user', content: 'And now?' },
      ],
      tools: request.tools,
    };
    expect(await runModelCall(providerAt(endpoint.url), asked).end).toMatchObject({ kind: 'completed' });
    const [entry] = await seen();
    expect(entry?.model).toBe('another');
    expect(entry?.tools).toEqual(['look']);
    expect(entry?.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Look.' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'a wall' },
      { role: 'assistant', content: 'A wall.' },
      { role: 'user', content: 'And now?' },
    ]);
  });

  test('a history whose calls and results do not pair is refused by the endpoint, and the failure says so [history.paired]', async () => {
    await answering(endpoint, { text: 'Never.' });
    const end = await runModelCall(providerAt(endpoint.url), {
      messages: [
        { role: 'user', content: 'Look.' },
        { role: 'assistant', content: '', calls: [{ callId: 'c1', name: 'look', arguments: '{}' }] },
        { role: 'user', content: 'Well?' },
      ],
      tools: [],
    }).end;
    expect(end).toMatchObject({ kind: 'failed', code: 'model_rejected' });
    expect(end.kind === 'failed' && end.message).toContain(
      "must be followed by tool messages responding to each 'tool_call_id'",
    );
    expect(end.kind === 'failed' && end.message).toContain('c1');
  });
});

describe('usage [history.usage]', () => {
  test('is exact where the endpoint says it', async () => {
    await answering(endpoint, { text: 'Some words.', usage: { input: 17, output: 4 } });
    expect((await runModelCall(providerAt(endpoint.url)).end).usage).toEqual({ kind: 'exact', input: 17, output: 4 });
  });

  test('is estimated where it says nothing', async () => {
    await answering(endpoint, { text: 'x'.repeat(40), usage: 'none' });
    expect((await runModelCall(providerAt(endpoint.url)).end).usage).toMatchObject({ kind: 'estimated', output: 10 });
  });

  test('is estimated of a call that broke in the middle', async () => {
    await answering(endpoint, { text: 'x'.repeat(40), end: 'cut' });
    expect((await runModelCall(providerAt(endpoint.url)).end).usage).toMatchObject({ kind: 'estimated', output: 10 });
  });

  test('counts the arguments of a call that was stopped in its half', async () => {
    await answering(endpoint, {
      half: { name: 'write_file', arguments: { text: 'y'.repeat(400) } },
      pace: { chunkChars: 40 },
    });
    const running = runModelCall(providerAt(endpoint.url));
    await hanging(endpoint);
    running.controller.abort();
    const end = await running.end;
    expect(end).toMatchObject({ kind: 'stopped', calls: [], usage: { kind: 'estimated' } });
    expect(end.usage.output).toBeGreaterThan(20);
  });
});

describe('what comes back', () => {
  test('a failure that passes is not seen', async () => {
    const { seen } = await answering(endpoint, { status: 500 }, { status: 429, retryAfter: 0 }, { text: 'Here I am.' });
    const running = runModelCall(providerAt(endpoint.url, { clock: hasty }));
    expect(await running.end).toMatchObject({ kind: 'completed' });
    expect(running.text()).toBe('Here I am.');
    expect(await seen()).toHaveLength(3);
  });

  test('calls whose ids are empty or the same are distinguished by their index', async () => {
    const fragment = (index: number, id: string, name: string) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [{ index, id, function: { name, arguments: `{"i":${index}}` } }] } }] })}\n\n`;
    const finish = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] })}\n\n`;
    await answering(endpoint, {
      raw: fragment(0, 'same', 'a') + fragment(1, 'same', 'b') + fragment(2, '', 'c') + finish,
    });
    expect(await runModelCall(providerAt(endpoint.url)).end).toMatchObject({
      kind: 'completed',
      calls: [
        { callId: 'same', name: 'a', arguments: '{"i":0}' },
        { callId: 'same', name: 'b', arguments: '{"i":1}' },
        { callId: 'call_2', name: 'c', arguments: '{"i":2}' },
      ],
    });
  });

  test('bytes that come one at a time, with signs of life in between, are the same response', async () => {
    const chunk = (choice: object) => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\r\n\r\n`;
    const bytes = Buffer.from(
      `: waiting\n\n${chunk({ delta: { content: 'Grüße, 世界 🙂' } })}: waiting\n\n${chunk({ delta: {}, finish_reason: 'stop' })}`,
    );
    const { url, responses } = await bareServer();
    const running = runModelCall(providerAt(url));
    const response = await until(() => responses[0]);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const byte of bytes) {
      response.write(Buffer.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
    expect(await running.end).toMatchObject({ kind: 'completed', finish: 'stop' });
    expect(running.text()).toBe('Grüße, 世界 🙂');
  });

  test('a plain JSON answer to a stream is the response', async () => {
    const call = (name: string) => ({ id: 'same', type: 'function', function: { name, arguments: '{"i":1}' } });
    const message = { role: 'assistant', content: 'All of it.', tool_calls: [call('a'), call('b')] };
    const raw = JSON.stringify({
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
      usage: { prompt_tokens: 3, completion_tokens: 2 },
    });
    for (const contentType of ['application/json', 'text/event-stream', 'text/plain']) {
      await answering(endpoint, { raw, contentType });
      const running = runModelCall(providerAt(endpoint.url));
      expect(await running.end).toMatchObject({
        kind: 'completed',
        calls: [{ name: 'a' }, { name: 'b' }],
        usage: { kind: 'exact', input: 3, output: 2 },
      });
      expect(running.text()).toBe('All of it.');
    }
  });

  test('an error in a plain JSON answer is a failure, with its status', async () => {
    const raw = JSON.stringify([{ error: { code: 400, message: 'Invalid value.' } }]);
    const { seen } = await answering(endpoint, { raw, contentType: 'application/json' });
    expect(await runModelCall(providerAt(endpoint.url)).end).toMatchObject({
      kind: 'failed',
      code: 'model_rejected',
      message: 'Invalid value.',
    });
    expect(await seen()).toHaveLength(1);
  });

  test('many at once, some stopped, do not touch each other', async () => {
    await endpoint.script([
      { when: { user: 'stay' }, reply: { text: 'stayed', pace: { chunksPerSecond: 40, chunkChars: 1 } } },
      { when: { user: 'go' }, reply: { text: 'going', calls: [{ name: 'a', arguments: {} }], end: 'hang' } },
    ]);
    const provider = providerAt(endpoint.url);
    const ask = (content: string) => runModelCall(provider, { messages: [{ role: 'user', content }], tools: [] });
    const going = Array.from({ length: 5 }, () => ask('go'));
    const staying = Array.from({ length: 5 }, () => ask('stay'));
    await until(() => going.every((each) => each.text() === 'going'));
    for (const each of going) each.controller.abort();
    for (const each of going) expect(await each.end).toMatchObject({ kind: 'stopped' });
    for (const each of staying) {
      expect(await each.end).toMatchObject({ kind: 'completed' });
      expect(each.text()).toBe('stayed');
    }
  });
});

test('an empty key is refused when the provider is made', () => {
  const before = process.env['OPENAI_API_KEY'];
  onTestFinished(() => {
    if (before !== undefined) process.env['OPENAI_API_KEY'] = before;
  });
  delete process.env['OPENAI_API_KEY'];
  expect(() => providerAt('http://127.0.0.1:9/v1', { apiKey: '' })).toThrow(/credentials/i);
});

test.each([
  ['https://ann:secret@127.0.0.1/v1', /^baseUrl must not contain credentials/],
  ['https://ann@127.0.0.1/v1', /^baseUrl must not contain credentials/],
  ['file:///v1', /^baseUrl must start with http/],
  ['127.0.0.1', /^baseUrl must be a URL/],
])('the address %s is refused when the provider is made', (baseUrl, message) => {
  expect(() => providerAt(baseUrl)).toThrow(message);
});

test('the requests of all providers to an endpoint share their connections', async () => {
  const chunks = [{ delta: { content: 'a' } }, { delta: {}, finish_reason: 'stop' }];
  const body = chunks.map((choice) => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`).join('');
  const { url, connections } = await startServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`${body}data: [DONE]\n\n`);
    response.end();
  });
  for (let i = 0; i < 6; i++) {
    expect(await runModelCall(providerAt(url)).end).toMatchObject({ kind: 'completed' });
    await new Promise((resolve) => setImmediate(resolve)); // the end of the body may come in a packet of its own
  }
  expect(connections.length).toBeLessThanOrEqual(2);
});
