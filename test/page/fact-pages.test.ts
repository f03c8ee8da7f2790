// The facts of a session, read from the end: a long log is read as far as it is needed, and not in one go.
import { expect, test, vi } from 'vitest';
import type { RecordedFact } from '../../machines/facts.ts';
import { FactPages } from '../../src/page/inspector-view/wave/fact-pages.ts';
import { waveOf } from '../../src/page/inspector-view/wave/wave-sources.ts';

type Log = (RecordedFact & { seq: number })[];

/** A log of turns, each of which is stopped, so many times. */
function logOf(turns: number): Log {
  const log: Log = [];
  const add = (fact: object) => log.push({ ...fact, seq: log.length + 1, at: log.length } as Log[number]); // as the routes send it
  for (let n = 0; n < turns; n += 1) {
    const turn = `turn_${n}`;
    const node = { node: turn, kind: 'turn', outcome: 'cancelled', effect: 'none', ms: 2 };
    const cause = { source: 'client', by: 'ann', reason: null, target: turn };
    const lists = { stopping: [turn], pending: [], refused: [], detached: [] };
    add({ type: 'turn_opened', turn, kind: 'say', owner: 'ann', lane: 'ann', text: `words ${n}`, ref: null });
    for (let i = 0; i < 6; i += 1) add({ type: 'model_started', turn, index: i });
    add({ type: 'cancel_accepted', cancel: `cancel_${n}`, ref: null, ...cause, force: false, ...lists });
    add({ type: 'turn_ended', turn, outcome: 'cancelled', effect: 'none', usage: {} });
    add({ type: 'cancel_settled', cancel: `cancel_${n}`, ref: null, cause, nodes: [node] });
  }
  return log;
}

/** Replies as the route does. */
function serve(log: Log) {
  const requests: string[] = [];
  const refusals: number[] = [];
  const request = async (path: string): Promise<Response> => {
    requests.push(path);
    const status = refusals.shift();
    if (status !== undefined) return Response.json({ detail: `refused with ${status}` }, { status });
    const query = new URL(path, 'http://belay').searchParams;
    const limit = Number(query.get('limit'));
    if (query.has('before')) {
      const events = log.slice(0, Math.min(log.length, Number(query.get('before')) - 1)).slice(-limit);
      const first = events[0]?.seq ?? 0;
      return Response.json({ events, next: first > 1 ? first : null });
    }
    const events = log.slice(Number(query.get('after'))).slice(0, limit);
    return Response.json({ events, next: events.length === limit ? events.at(-1)?.seq : null });
  };
  return { requests, refusals, pages: new FactPages('a/b', request) };
}

test('of 100 000 facts the last ones are read until there is enough, then more when asked', async () => {
  const { pages, requests } = serve(logOf(10_000));
  await pages.readBack((found) => found.cancels.length >= 20);
  expect(requests).toHaveLength(1);
  expect(requests[0]).toContain('api/sessions/a%2Fb/events?before=');
  expect(pages.getSnapshot()).toMatchObject({ state: 'idle', read: 1_000, problem: null });
  expect(pages.getSnapshot().found.cancels.at(-1)).toBe('cancel_9999');
  expect(waveOf('cancel_9999', null, pages.getSnapshot().found)).toMatchObject({
    state: 'settled',
    settledAt: 99_999,
  });
  await pages.readBack((found) => found.hasAllNodesOf('cancel_9500'));
  expect(requests).toHaveLength(5);
  expect(waveOf('cancel_9500', null, pages.getSnapshot().found)?.rows).toMatchObject([
    { detail: 'words 9500', outcome: 'cancelled' },
  ]);
});

test('a CANCEL that does not exist is looked for in all of the log, then in no more of it', async () => {
  const { pages, requests } = serve(logOf(450));
  await pages.readBack((found) => found.hasAllNodesOf('cancel_no'));
  expect(requests).toHaveLength(5);
  expect(pages.getSnapshot()).toMatchObject({ state: 'whole', read: 4_500 });
  await pages.readBack(() => false);
  expect(requests).toHaveLength(5);
});

test('a search has an end, from which it can be continued', async () => {
  const { pages, requests } = serve(logOf(2_000));
  await pages.readBack(() => false, 3);
  expect(pages.getSnapshot()).toMatchObject({ state: 'idle', read: 3_000 });
  await pages.readBack(() => false, 3);
  expect(requests).toHaveLength(6);
  expect(pages.getSnapshot().read).toBe(6_000);
});

test('what was appended since is added at the end', async () => {
  const log = logOf(300);
  const whole = logOf(310);
  const { pages } = serve(log);
  await pages.readBack(() => true);
  log.push(...whole.slice(3_000));
  await pages.readNew();
  expect(pages.getSnapshot().found.cancels.at(-1)).toBe('cancel_309');
  expect(pages.getSnapshot()).toMatchObject({ state: 'idle', read: 1_100 });
});

test('past the rate of requests it waits; another refusal is shown, and can be tried again', async () => {
  vi.useFakeTimers();
  try {
    const { pages, refusals, requests } = serve(logOf(10));
    refusals.push(429, 429);
    const reading = pages.readBack(() => true);
    await vi.advanceTimersByTimeAsync(5_000);
    await reading;
    expect(requests).toHaveLength(3);
    expect(pages.getSnapshot().state).toBe('whole');
  } finally {
    vi.useRealTimers();
  }
  const { pages, refusals } = serve(logOf(10));
  refusals.push(404);
  await pages.readBack(() => true);
  expect(pages.getSnapshot()).toMatchObject({ state: 'failed', problem: 'refused with 404', read: 0 });
  await pages.readBack(() => true);
  expect(pages.getSnapshot()).toMatchObject({ state: 'whole', read: 100, problem: null });
});
