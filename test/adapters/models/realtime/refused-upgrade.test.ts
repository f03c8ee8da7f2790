// Connections to the Realtime API that cannot be made: each failure has its name, and is retried or not.
import { expect, test } from 'vitest';
import type { Clock } from '../../../../src/core/sources/sources.ts';
import { systemSources } from '../../../../src/core/sources/system.ts';
import { createVirtualClock } from '../../../../src/core/sources/virtual.ts';
import { RealtimeServer } from '../../../support/realtime/realtime-server.ts';
import type { RefusedUpgrade } from '../../../support/realtime/server-script.ts';
import { until } from '../../../support/until.ts';
import { LinkedModel, spokenSound, userMessage } from './linked-model.ts';

const respond = () => ({ text: 'One two.', ms: 400 });
const hello = [userMessage('hello')];
/** Longer waits are no waits for another attempt. */
const longestWaitMs = 9_000;

/** A clock that makes waits for another attempt short, and notes them. */
function impatientClock(): { clock: Clock; waits: number[] } {
  const waits: number[] = [];
  const { clock } = systemSources;
  const after: Clock['after'] = (ms, fn) => {
    if (ms > longestWaitMs) return clock.after(ms, fn);
    waits.push(ms);
    return clock.after(0, fn);
  };
  return { clock: { ...clock, after }, waits };
}

const bodyOf = (code: string, message: string) => JSON.stringify({ error: { type: 'x', code, message } });
const json = { 'Content-Type': 'application/json' };

const table: [what: string, refusal: RefusedUpgrade, code: string, waits: readonly number[], words: string][] = [
  [
    'a wrong key',
    { status: 401, headers: json, body: bodyOf('invalid_api_key', 'The key ends with 7.') },
    'model_unauthorized',
    [],
    'The key ends with 7.',
  ],
  ['a model that does not exist', { status: 404 }, 'model_rejected', [], '404 Not Found'],
  ['too many requests', { status: 429 }, 'model_rate_limited', [500, 1_000], '429 Too Many Requests'],
  [
    'too many requests until a time',
    { status: 429, headers: { 'Retry-After': '3' } },
    'model_rate_limited',
    [3_000, 3_000],
    '429 Too Many Requests',
  ],
  ['too long a wait', { status: 429, headers: { 'Retry-After': '60' } }, 'model_rate_limited', [], '429'],
  [
    'an empty account',
    { status: 429, headers: json, body: bodyOf('insufficient_quota', 'The account is empty.') },
    'model_rate_limited',
    [],
    'The account is empty.',
  ],
  ['a broken provider', { status: 500 }, 'model_unavailable', [500, 1_000], '500 Internal Server Error'],
  [
    'a provider that comes back',
    { status: 503, headers: { 'Retry-After': '2' } },
    'model_unavailable',
    [2_000, 2_000],
    '503 Service Unavailable',
  ],
];

test.each(table)('%s is a failure by name, and the next turn works', async (_, refusal, code, expected, words) => {
  const { clock, waits } = impatientClock();
  await using it = await LinkedModel.start({ respond, refuse: () => refusal }, { clock, random: () => 1 });
  const end = await it.call('t1', hello).end;
  expect(end).toMatchObject({ kind: 'failed', code, usage: { kind: 'exact', input: 0, output: 0 } });
  expect(end.kind === 'failed' && end.message).toContain(words);
  expect([waits, it.server.upgrades]).toEqual([expected, expected.length + 1]);
  it.server.script = { respond };
  expect(await it.call('t2', hello).end).toMatchObject({ kind: 'completed' });
  expect([it.server.sessions.length, it.room.msOf('t2')]).toEqual([1, 400]);
});

test('a refused upgrade that is let in later is no failure', async () => {
  const { clock, waits } = impatientClock();
  let refusals = 2;
  const refuse = () => (refusals-- > 0 ? { status: 503 } : null);
  await using it = await LinkedModel.start({ respond, refuse }, { clock, random: () => 1 });
  expect(await it.call('t1', hello).end).toMatchObject({ kind: 'completed' });
  expect([waits, it.server.upgrades, it.room.msOf('t1')]).toEqual([[500, 1_000], 3, 400]);
});

test('where nobody listens the provider is unreachable, and is reached when it listens again', async () => {
  const { clock, waits } = impatientClock();
  const gone = await RealtimeServer.start({ respond });
  const { baseUrl } = gone;
  await gone[Symbol.asyncDispose]();
  await using it = new LinkedModel(gone, { baseUrl, clock, random: () => 1 });
  expect(await it.call('t1', hello).end).toMatchObject({
    kind: 'failed',
    code: 'model_unreachable',
    message: expect.stringContaining('ECONNREFUSED'),
  });
  expect(waits).toEqual([500, 1_000]);
  await using back = await RealtimeServer.start({ respond }, Number(new URL(baseUrl).port));
  expect(await it.call('t2', hello).end).toMatchObject({ kind: 'completed' });
  expect(back.requests).toHaveLength(1);
});

test('a provider that does not answer is unreachable after ten seconds', async () => {
  const clock = createVirtualClock();
  await using it = await LinkedModel.start({ respond, refuse: () => 'hangs' }, { clock, maxRetries: 0 });
  const call = it.call('t1', hello);
  await until(() => it.server.upgrades === 1);
  await clock.advance(10_000);
  expect(await call.end).toMatchObject({
    kind: 'failed',
    code: 'model_unreachable',
    message: expect.stringContaining('within 10000 ms'),
  });
  it.server.script = { respond };
  expect(await it.call('t2', hello).end).toMatchObject({ kind: 'completed' });
});

test('a stop while it waits for another attempt connects no more', async () => {
  const clock = createVirtualClock();
  await using it = await LinkedModel.start(
    { respond, refuse: () => ({ status: 429, headers: { 'Retry-After': '20' } }) },
    { clock },
  );
  const call = it.call('t1', hello);
  await until(() => clock.pending > 0 && it.server.upgrades === 1);
  await clock.advance(5_000);
  call.abort();
  expect(await call.end).toMatchObject({ kind: 'stopped', calls: [] });
  await clock.advance(60_000);
  expect(it.server.upgrades).toBe(1);
});

test('sound is not lost on a provider that refuses: it is tried again after five seconds', async () => {
  const clock = createVirtualClock();
  await using it = await LinkedModel.start({ respond, refuse: () => ({ status: 503 }) }, { clock });
  const speak = () => it.speak('ann', spokenSound(400));
  speak();
  await until(() => it.server.upgrades === 1);
  await until(() => {
    speak();
    return clock.pending > 0;
  });
  expect(it.server.upgrades).toBe(1);
  it.server.script = { respond };
  await clock.advance(5_000);
  speak();
  await until(() => it.server.sessions[0]?.conversation.items.length === 1);
});
