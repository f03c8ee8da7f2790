// Failures of the endpoint: each has its code, and is retried or not.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runModelCall } from '../../contract/provider.ts';
import { type Reply, startEndpoint, type TestEndpoint } from '../../support/endpoint.ts';
import { until } from '../../support/until.ts';
import { answering, bareServer, hasty, providerAt, recordingClock } from './at-endpoint.ts';

let endpoint: TestEndpoint;
beforeAll(async () => {
  endpoint = await startEndpoint();
});
afterAll(() => endpoint.close());

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
    ['malformed SSE', { raw: 'data: {"choices": [\n\n' }, 'model_malformed', 1],
    ['malformed SSE after some text', { raw: `${words}data: {"choi\n\n` }, 'model_malformed', 1, 'Some words'],
    ['a 200 that is a page', { raw: '<html>Welcome</html>', contentType: 'text/html' }, 'model_malformed', 1],
    ['a 200 that is JSON', { raw: '{"choices":[]}', contentType: 'application/json' }, 'model_malformed', 1],
    ['a 200 without a body', { raw: '' }, 'model_malformed', 1],
    ['chunks that are something else', { raw: sse(null) + sse(7) + sse({ a: 1 }) }, 'model_malformed', 1],
    ['choices that are nothing', { raw: sse({ choices: [null, 3] }) }, 'model_cut_off', 1],
    [
      'an error in the stream',
      { raw: words + sse({ error: { message: 'overloaded' } }) },
      'model_unavailable',
      1,
      'Some words',
    ],
    [
      'an error of llama.cpp',
      { raw: 'error: {"code":500,"message":"no slot","type":"server_error"}\n\n' },
      'model_unavailable',
      3,
    ],
    [
      'an error of an older vLLM',
      { raw: sse({ object: 'error', message: 'too long', code: 400 }) },
      'model_rejected',
      1,
    ],
    [
      'an error instead of a stream',
      { raw: sse({ error: { message: 'slow down', code: 429 } }) },
      'model_rate_limited',
      3,
    ],
  ];
  test.each(table)('%s', async (_, reply, code, requests, text = '') => {
    const { seen } = await answering(endpoint, reply);
    const running = runModelCall(providerAt(endpoint.url, { clock: hasty }));
    const end = await running.end;
    expect(end).toMatchObject({ kind: 'failed', code });
    expect(end.kind === 'failed' && end.message.length).toBeGreaterThan(0);
    expect(running.text()).toBe(text);
    expect(await seen()).toHaveLength(requests);
  });

  test('an error line of llama.cpp keeps its words, after some text too', async () => {
    const error = 'error: {"code":500,"message":"the slot is gone","type":"server_error"}\n\n';
    for (const before of ['', words]) {
      await answering(endpoint, { raw: `${before}${error}` });
      const end = await runModelCall(providerAt(endpoint.url, { clock: hasty })).end;
      expect(end).toMatchObject({ kind: 'failed', code: 'model_unavailable', message: 'the slot is gone' });
    }
  });

  test('an address without a server', async () => {
    const gone = await startEndpoint();
    await gone.close();
    const end = await runModelCall(providerAt(gone.url, { clock: hasty })).end;
    expect(end).toMatchObject({ kind: 'failed', code: 'model_unreachable' });
    expect(end.kind === 'failed' && end.message).toContain('ECONNREFUSED');
  });

  test('silence before the first byte, and silence in the middle', async () => {
    for (const [reply, ms] of [
      [{ silent: true }, 7_000],
      [{ raw: '', end: 'hang' }, 7_000],
      [{ text: 'Some words', end: 'hang' }, 3_000],
    ] as const) {
      const { seen } = await answering(endpoint, reply);
      const { clock, watched } = recordingClock();
      const running = runModelCall(providerAt(endpoint.url, { clock: watched, firstByteMs: 7_000, idleMs: 3_000 }));
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

  test('with timeouts of 0 the endpoint may be silent for any time', async () => {
    const { url, responses } = await bareServer();
    const { clock, watched } = recordingClock();
    const running = runModelCall(providerAt(url, { clock: watched, firstByteMs: 0, idleMs: 0 }));
    const response = await until(() => responses[0]);
    await clock.advance(86_400_000);
    response.write(`data: ${JSON.stringify({ choices: [{ delta: { content: 'a' } }] })}\n\n`);
    await until(() => running.text() === 'a');
    await clock.advance(86_400_000);
    response.end(`data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: 'stop' }] })}\n\n`);
    expect(await running.end).toMatchObject({ kind: 'completed' });
  });

  test('any byte is a sign of life: only unbroken silence is a failure', async () => {
    const chunk = (choice: object) => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`;
    const { url, responses } = await bareServer();
    const { clock, watched } = recordingClock();
    const running = runModelCall(providerAt(url, { clock: watched, idleMs: 3_000 }));
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
    await answering(endpoint, { status: 401, message: 'Incorrect API key provided: test-key.' });
    const end = await runModelCall(providerAt(endpoint.url)).end;
    expect(end.kind === 'failed' && end.message).toMatch(/^401 Incorrect API key provided: …\. Check the key/);
  });
});

test('a key too short to be a secret leaves the words of an error whole', async () => {
  await answering(endpoint, { status: 400, message: 'a bad request at all' });
  const end = await runModelCall(providerAt(endpoint.url, { apiKey: 'a' })).end;
  expect(end.kind === 'failed' && end.message).toBe('400 a bad request at all');
});

test('a response over a limit fails by the name of the limit', async () => {
  const { responseLimits } = await import('../../../src/adapters/models/response-limits.ts');
  const { seen } = await answering(endpoint, {
    text: 'x'.repeat(responseLimits.maxTextChars + 1),
    pace: { chunkChars: 100_000 },
    end: 'hang',
  });
  const running = runModelCall(providerAt(endpoint.url));
  const end = await running.end;
  expect(end).toMatchObject({ kind: 'failed', code: 'model_malformed' });
  expect(end.kind === 'failed' && end.message).toContain('maxTextChars');
  expect(running.text().length).toBeLessThanOrEqual(responseLimits.maxTextChars);
  await until(async () => (await seen())[0]?.ended?.how === 'closed_by_client');
});
