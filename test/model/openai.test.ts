// The openai provider against a real endpoint: real sockets, and the server's view of them.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createOpenAIProvider, type OpenAIProviderOptions } from '../../src/model/openai.ts';
import type { ModelRequest, Provider } from '../../src/model/provider.ts';
import type { Clock } from '../../src/sources/sources.ts';
import { systemSources } from '../../src/sources/system.ts';
import { createVirtualClock, seededRandom, settlePromises } from '../../src/sources/virtual.ts';
import { describeProvider, request, run } from '../contract/provider.ts';
import { type Endpoint, type JournalEntry, type Reply, startEndpoint } from '../support/endpoint.ts';
import { until } from '../support/until.ts';

const calls = (...names: string[]) => names.map((name, i) => ({ id: `id-${i}`, name, arguments: { n: i } }));

function providerAt(baseURL: string, options: Partial<OpenAIProviderOptions> = {}): Provider {
  return createOpenAIProvider({
    baseURL,
    apiKey: 'test-key',
    model: 'scripted',
    clock: systemSources.clock,
    random: seededRandom(1),
    ...options,
  });
}

/** Resolves when the last request's answer hangs, and what was sent before has arrived: the second look comes behind it. */
async function hanging(at: Endpoint): Promise<void> {
  await until(async () => (await at.requests()).at(-1)?.hanging, { what: 'the answer to hang' });
  await at.requests();
}

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
    begun: async () => (await endpoint.requests()).length,
    hanging: () => hanging(endpoint),
    close: () => endpoint.close(),
  };
});

let endpoint: Endpoint;
beforeAll(async () => {
  endpoint = await startEndpoint();
});
afterAll(() => endpoint.close());

/** The endpoint answers with `replies`, one for each request and the last one for ever; `seen` are the requests since. */
async function answering(...replies: readonly Reply[]): Promise<{ seen(): Promise<readonly JournalEntry[]> }> {
  const before = (await endpoint.requests()).length;
  await endpoint.script(replies.map((reply, i) => ({ reply, ...(i < replies.length - 1 ? { times: 1 } : {}) })));
  return { seen: async () => (await endpoint.requests()).slice(before) };
}

/** A clock on which time runs a hundred times as fast, for waits that no test needs in full. */
const hasty: Clock = {
  now: () => systemSources.clock.now() * 100,
  after: (ms, fn) => systemSources.clock.after(ms / 100, fn),
};

/** A clock that stands still, and remembers which waits were asked for. */
function watchedClock() {
  const clock = createVirtualClock();
  const waits: number[] = [];
  const watched: Clock = {
    now: clock.now,
    after(ms, fn) {
      waits.push(ms);
      return clock.after(ms, fn);
    },
  };
  return { clock, watched, waits };
}

/** A server that does nothing by itself: the test writes its responses. */
async function bareServer(): Promise<{ url: string; responses: ServerResponse[] }> {
  const responses: ServerResponse[] = [];
  const server = createServer((_, response) => void responses.push(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, responses };
}

describe('what is sent', () => {
  test('the messages, calls and tools arrive in the words of Chat Completions', async () => {
    const { seen } = await answering({ text: 'Yes.' });
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
    expect(await run(providerAt(endpoint.url), asked).end).toMatchObject({ kind: 'completed' });
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
    await answering({ text: 'Never.' });
    const end = await run(providerAt(endpoint.url), {
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

describe('a stop', () => {
  test('while text streams: the server sees the request closed [ladder.turn.generating]', async () => {
    const { seen } = await answering({ text: 'word '.repeat(400), pace: { chunksPerSecond: 50 } });
    const running = run(providerAt(endpoint.url));
    await until(() => running.text().length > 20);
    running.controller.abort();
    const length = running.text().length;
    expect(await running.end).toMatchObject({ kind: 'stopped', calls: [], usage: { kind: 'estimated' } });
    await until(async () => (await seen())[0]?.ended, { what: 'the end of the request at the server' });
    expect((await seen())[0]?.ended?.how).toBe('closed_by_client');
    expect(running.text().length).toBe(length);
    expect(await seen()).toHaveLength(1);
  });

  test('before the first byte: the request is closed, and nobody knows what it cost [history.usage]', async () => {
    for (const reply of [{ silent: true }, { raw: '', end: 'hang' }] as const) {
      const { seen } = await answering(reply);
      const running = run(providerAt(endpoint.url));
      await until(async () => (await seen()).length === 1);
      running.controller.abort();
      expect(await running.end).toEqual({
        kind: 'stopped',
        calls: [],
        usage: { kind: 'unknown', input: null, output: null },
      });
      await until(async () => (await seen())[0]?.ended?.how === 'closed_by_client');
    }
  });

  test('in the wait for a retry: no further request is begun, however much time passes [cancel.fence]', async () => {
    const { seen } = await answering({ status: 429, retryAfter: 5 }, { text: 'Too late.' });
    const { clock, watched, waits } = watchedClock();
    const running = run(providerAt(endpoint.url, { clock: watched }));
    await until(() => waits.includes(5_000), { what: 'the wait that the endpoint asked for' });
    running.controller.abort();
    expect(await running.end).toMatchObject({ kind: 'stopped' });
    expect(clock.pending).toBe(0);
    await clock.advance(60_000);
    await settlePromises();
    expect(await seen()).toHaveLength(1);
    expect(running.text()).toBe('');
  });

  test('in the tick in which a retry is due: no further request is begun [cancel.fence]', async () => {
    const { seen } = await answering({ status: 503, retryAfter: 5 }, { text: 'Too late.' });
    const { clock, watched, waits } = watchedClock();
    const abortsWithIt: Clock = {
      now: watched.now,
      after: (ms, fn) =>
        watched.after(ms, () => {
          fn();
          if (ms === 5_000) running.controller.abort();
        }),
    };
    const running = run(providerAt(endpoint.url, { clock: abortsWithIt }));
    await until(() => waits.includes(5_000));
    await clock.advance(5_000);
    expect(await running.end).toMatchObject({ kind: 'stopped' });
    expect(await seen()).toHaveLength(1);
  });

  test('behind the finish changes nothing: the answer was whole [cancel.boundaries]', async () => {
    const chunk = (choice: unknown) => `data: ${JSON.stringify({ id: 'x', choices: [choice] })}\n\n`;
    const { seen } = await answering({
      raw:
        chunk({ index: 0, delta: { content: 'All of it.' }, finish_reason: null }) +
        chunk({ index: 0, delta: {}, finish_reason: 'stop' }),
      end: 'hang',
    });
    const { watched, waits } = watchedClock();
    const running = run(providerAt(endpoint.url, { clock: watched }));
    await until(() => waits.includes(5_000), { what: 'the wait for what follows the finish' });
    running.controller.abort();
    expect(await running.end).toMatchObject({ kind: 'completed', finish: 'stop', usage: { kind: 'estimated' } });
    await until(async () => (await seen())[0]?.ended?.how === 'closed_by_client');
  });
});

describe('usage [history.usage]', () => {
  test('is exact where the endpoint says it', async () => {
    await answering({ text: 'Some words.', usage: { input: 17, output: 4 } });
    expect((await run(providerAt(endpoint.url)).end).usage).toEqual({ kind: 'exact', input: 17, output: 4 });
  });

  test('is estimated where it says nothing', async () => {
    await answering({ text: 'x'.repeat(40), usage: 'none' });
    expect((await run(providerAt(endpoint.url)).end).usage).toMatchObject({ kind: 'estimated', output: 10 });
  });

  test('is estimated of a call that broke in the middle', async () => {
    await answering({ text: 'x'.repeat(40), end: 'cut' });
    expect((await run(providerAt(endpoint.url)).end).usage).toMatchObject({ kind: 'estimated', output: 10 });
  });

  test('counts the arguments of a call that was stopped in its half', async () => {
    await answering({ half: { name: 'write_file', arguments: { text: 'y'.repeat(400) } }, pace: { chunkChars: 40 } });
    const running = run(providerAt(endpoint.url));
    await hanging(endpoint);
    running.controller.abort();
    const end = await running.end;
    expect(end).toMatchObject({ kind: 'stopped', calls: [], usage: { kind: 'estimated' } });
    expect(end.usage.output).toBeGreaterThan(20);
  });
});

describe('what fails has a name', () => {
  const sse = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;
  const words = sse({ choices: [{ index: 0, delta: { content: 'Some words' }, finish_reason: null }] });
  const table: [what: string, reply: Reply, code: string, requests: number, text?: string][] = [
    ['401', { status: 401 }, 'model_unauthorized', 1],
    ['403', { status: 403 }, 'model_unauthorized', 1],
    ['400', { status: 400 }, 'model_rejected', 1],
    ['404', { status: 404 }, 'model_rejected', 1],
    ['429 for ever', { status: 429, retryAfter: 0 }, 'model_rate_limited', 3],
    ['429 that asks for too long a wait', { status: 429, retryAfter: 3_600 }, 'model_rate_limited', 1],
    ['429 of an empty account', { status: 429, code: 'insufficient_quota' }, 'model_rate_limited', 1],
    ['500 for ever', { status: 500 }, 'model_unavailable', 3],
    ['503 for ever', { status: 503, retryAfter: 0 }, 'model_unavailable', 3],
    ['a cut in the middle of the text', { text: 'Some words', end: 'cut' }, 'model_cut_off', 1, 'Some words'],
    ['a cut in the middle of a call', { half: { name: 'look', arguments: {} }, end: 'cut' }, 'model_cut_off', 1],
    ['a cut before the first chunk', { raw: '', end: 'cut' }, 'model_cut_off', 3],
    ['an end without a finish', { raw: words }, 'model_cut_off', 1, 'Some words'],
    ['[DONE] without a finish', { raw: `${words}data: [DONE]\n\n` }, 'model_cut_off', 1, 'Some words'],
    ['malformed SSE', { raw: 'data: {"choices": [\n\n' }, 'model_malformed', 1],
    ['malformed SSE behind some text', { raw: `${words}data: {"choi\n\n` }, 'model_malformed', 1, 'Some words'],
    ['a 200 that is a page', { raw: '<html>Welcome</html>', contentType: 'text/html' }, 'model_malformed', 1],
    ['a 200 that is JSON', { raw: '{"choices":[]}', contentType: 'application/json' }, 'model_malformed', 1],
    ['a 200 without a body', { raw: '' }, 'model_malformed', 1],
    ['chunks that are something else', { raw: sse(null) + sse(7) + sse({ a: 1 }) }, 'model_malformed', 1],
    ['choices that are nothing', { raw: sse({ choices: [null, 3] }) }, 'model_malformed', 1],
    [
      'an error in the stream',
      { raw: words + sse({ error: { message: 'overloaded' } }) },
      'model_unavailable',
      1,
      'Some words',
    ],
    [
      'an error instead of a stream',
      { raw: sse({ error: { message: 'slow down', code: 429 } }) },
      'model_rate_limited',
      3,
    ],
  ];
  test.each(table)('%s', async (_, reply, code, requests, text = '') => {
    const { seen } = await answering(reply);
    const running = run(providerAt(endpoint.url, { clock: hasty }));
    const end = await running.end;
    expect(end).toMatchObject({ kind: 'failed', code });
    expect(end.kind === 'failed' && end.message.length).toBeGreaterThan(0);
    expect(running.text()).toBe(text);
    expect(await seen()).toHaveLength(requests);
  });

  test('an endpoint that nobody listens at', async () => {
    const gone = await startEndpoint();
    await gone.close();
    const end = await run(providerAt(gone.url, { clock: hasty })).end;
    expect(end).toMatchObject({ kind: 'failed', code: 'model_unreachable' });
    expect(end.kind === 'failed' && end.message).toContain('ECONNREFUSED');
  });

  test('silence before the first byte, and silence in the middle', async () => {
    for (const [reply, ms] of [
      [{ silent: true }, 7_000],
      [{ raw: '', end: 'hang' }, 7_000],
      [{ text: 'Some words', end: 'hang' }, 3_000],
    ] as const) {
      const { seen } = await answering(reply);
      const { clock, watched } = watchedClock();
      const running = run(providerAt(endpoint.url, { clock: watched, firstByteMs: 7_000, idleMs: 3_000 }));
      await until(async () => (await seen()).length === 1 && (!('text' in reply) || running.text() !== ''));
      await clock.advance(ms - 1);
      expect((await seen())[0]?.ended).toBeNull();
      await clock.advance(1);
      expect(await running.end).toMatchObject({ kind: 'failed', code: 'model_timed_out' });
      await until(async () => (await seen())[0]?.ended?.how === 'closed_by_client');
      expect(await seen()).toHaveLength(1);
      expect(clock.pending).toBe(0);
    }
  });

  test('any byte is a sign of life: only unbroken silence is a failure', async () => {
    const chunk = (choice: object) => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`;
    const { url, responses } = await bareServer();
    const { clock, watched } = watchedClock();
    const running = run(providerAt(url, { clock: watched, idleMs: 3_000 }));
    const response = await until(() => responses[0]);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const text of ['a', 'ab', 'abc']) {
      response.write(chunk({ delta: { content: text.at(-1) } }));
      await until(() => running.text() === text);
      await clock.advance(2_000);
    }
    response.end(chunk({ delta: {}, finish_reason: 'stop' }));
    expect(await running.end).toMatchObject({ kind: 'completed' });
  });

  test('the key never stands in a message', async () => {
    await answering({ status: 401, message: 'Incorrect API key provided: test-key.' });
    const end = await run(providerAt(endpoint.url)).end;
    expect(end.kind === 'failed' && end.message).toBe('401 Incorrect API key provided: ….');
  });
});

describe('what comes back', () => {
  test('a failure that passes is not seen', async () => {
    const { seen } = await answering({ status: 500 }, { status: 429, retryAfter: 0 }, { text: 'Here I am.' });
    const running = run(providerAt(endpoint.url, { clock: hasty }));
    expect(await running.end).toMatchObject({ kind: 'completed' });
    expect(running.text()).toBe('Here I am.');
    expect(await seen()).toHaveLength(3);
  });

  test('calls whose ids are empty or the same are told apart by their index', async () => {
    const fragment = (index: number, id: string, name: string) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [{ index, id, function: { name, arguments: `{"i":${index}}` } }] } }] })}\n\n`;
    const finish = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] })}\n\n`;
    await answering({ raw: fragment(0, 'same', 'a') + fragment(1, 'same', 'b') + fragment(2, '', 'c') + finish });
    expect(await run(providerAt(endpoint.url)).end).toMatchObject({
      kind: 'completed',
      calls: [
        { callId: 'same', name: 'a', arguments: '{"i":0}' },
        { callId: 'same', name: 'b', arguments: '{"i":1}' },
        { callId: 'call_2', name: 'c', arguments: '{"i":2}' },
      ],
    });
  });

  test('bytes that come one at a time, with signs of life in between, are the same answer', async () => {
    const chunk = (choice: object) => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\r\n\r\n`;
    const bytes = Buffer.from(
      `: waiting\n\n${chunk({ delta: { content: 'Grüße, 世界 🙂' } })}: waiting\n\n${chunk({ delta: {}, finish_reason: 'stop' })}`,
    );
    const { url, responses } = await bareServer();
    const running = run(providerAt(url));
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

  test('many at once, some stopped, do not touch each other', async () => {
    await endpoint.script([
      { when: { user: 'stay' }, reply: { text: 'stayed', pace: { chunksPerSecond: 40, chunkChars: 1 } } },
      { when: { user: 'go' }, reply: { text: 'going', calls: calls('a', 'b'), end: 'hang' } },
    ]);
    const provider = providerAt(endpoint.url);
    const ask = (content: string) => run(provider, { messages: [{ role: 'user', content }], tools: [] });
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

test('an answer over a limit is refused by the name of the limit', async () => {
  const { limits } = await import('../../src/model/limits.ts');
  const { seen } = await answering({
    text: 'x'.repeat(limits.maxTextChars + 1),
    pace: { chunkChars: 100_000 },
    end: 'hang',
  });
  const running = run(providerAt(endpoint.url));
  const end = await running.end;
  expect(end).toMatchObject({ kind: 'failed', code: 'model_malformed' });
  expect(end.kind === 'failed' && end.message).toContain('maxTextChars');
  expect(running.text().length).toBeLessThanOrEqual(limits.maxTextChars);
  await until(async () => (await seen())[0]?.ended?.how === 'closed_by_client');
});

test('an empty key is refused when the provider is made', () => {
  const before = process.env['OPENAI_API_KEY'];
  onTestFinished(() => {
    if (before !== undefined) process.env['OPENAI_API_KEY'] = before;
  });
  delete process.env['OPENAI_API_KEY'];
  expect(() => providerAt('http://127.0.0.1:9/v1', { apiKey: '' })).toThrow(/credentials/i);
});
