// Stops of the openai provider: the server sees the request closed, and no other is sent.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Clock } from '../../../src/core/sources/sources.ts';
import { settlePromises } from '../../../src/core/sources/virtual.ts';
import { runModelCall } from '../../contract/provider.ts';
import { startEndpoint, type TestEndpoint } from '../../support/endpoint.ts';
import { until } from '../../support/until.ts';
import { answering, providerAt, recordingClock } from './at-endpoint.ts';

let endpoint: TestEndpoint;
beforeAll(async () => {
  endpoint = await startEndpoint();
});
afterAll(() => endpoint.close());

describe('a stop', () => {
  test('while text streams: the server sees the request closed [ladder.turn.generating]', async () => {
    const { seen } = await answering(endpoint, { text: 'word '.repeat(400), pace: { chunksPerSecond: 50 } });
    const running = runModelCall(providerAt(endpoint.url));
    await until(() => running.text().length > 20);
    running.controller.abort();
    const length = running.text().length;
    expect(await running.end).toMatchObject({ kind: 'stopped', calls: [], usage: { kind: 'estimated' } });
    await until(async () => (await seen())[0]?.ended, { what: 'the end of the request at the server' });
    expect((await seen())[0]?.ended?.how).toBe('closed_by_client');
    expect(running.text().length).toBe(length);
    expect(await seen()).toHaveLength(1);
  });

  test('before the first byte: the request is closed, and its usage is unknown [history.usage]', async () => {
    for (const reply of [{ silent: true }, { raw: '', end: 'hang' }] as const) {
      const { seen } = await answering(endpoint, reply);
      const running = runModelCall(providerAt(endpoint.url));
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

  test('in the wait for a retry: no further request is sent, however much time passes [cancel.fence]', async () => {
    const { seen } = await answering(endpoint, { status: 429, retryAfter: 5 }, { text: 'Too late.' });
    const { clock, watched, waits } = recordingClock();
    const running = runModelCall(providerAt(endpoint.url, { clock: watched }));
    await until(() => waits.includes(5_000), { what: 'the wait that the endpoint asked for' });
    running.controller.abort();
    expect(await running.end).toMatchObject({ kind: 'stopped' });
    expect(clock.pending).toBe(0);
    await clock.advance(60_000);
    await settlePromises();
    expect(await seen()).toHaveLength(1);
    expect(running.text()).toBe('');
  });

  test('in the tick in which a retry is due: no further request is sent [cancel.fence]', async () => {
    const { seen } = await answering(endpoint, { status: 503, retryAfter: 5 }, { text: 'Too late.' });
    const { clock, watched, waits } = recordingClock();
    const abortsWithIt: Clock = {
      ...watched,
      after: (ms, fn) =>
        watched.after(ms, () => {
          fn();
          if (ms === 5_000) running.controller.abort();
        }),
    };
    const running = runModelCall(providerAt(endpoint.url, { clock: abortsWithIt }));
    await until(() => waits.includes(5_000));
    await clock.advance(5_000);
    expect(await running.end).toMatchObject({ kind: 'stopped' });
    expect(await seen()).toHaveLength(1);
  });

  test('after the finish changes nothing: the response was whole [cancel.boundaries]', async () => {
    const chunk = (choice: unknown) => `data: ${JSON.stringify({ id: 'x', choices: [choice] })}\n\n`;
    const { seen } = await answering(endpoint, {
      raw:
        chunk({ index: 0, delta: { content: 'All of it.' }, finish_reason: null }) +
        chunk({ index: 0, delta: {}, finish_reason: 'stop' }),
      end: 'hang',
    });
    const { watched, waits } = recordingClock();
    const running = runModelCall(providerAt(endpoint.url, { clock: watched }));
    await until(() => waits.includes(5_000), { what: 'the wait for what follows the finish' });
    running.controller.abort();
    expect(await running.end).toMatchObject({ kind: 'completed', finish: 'stop', usage: { kind: 'estimated' } });
    await until(async () => (await seen())[0]?.ended?.how === 'closed_by_client');
  });
});
