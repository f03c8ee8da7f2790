// Reads bodies of responses: events, JSON in place of them, and the connection afterwards.
import { getEventListeners } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BrokenBody } from '../../../../src/adapters/models/transport/broken-body.ts';
import { ConnectionPool } from '../../../../src/adapters/models/transport/connection-pool.ts';
import { createHttpFetch } from '../../../../src/adapters/models/transport/http-fetch.ts';
import { readStreamedBody, readTextUpTo } from '../../../../src/adapters/models/transport/read-body.ts';
import { createVirtualClock, settlePromises } from '../../../../src/core/sources/virtual.ts';
import { until } from '../../../support/until.ts';
import { startServer } from './servers.ts';

function openFetch() {
  const pool = new ConnectionPool({});
  onTestFinished(() => pool.close());
  return createHttpFetch(pool);
}

/** Reads a response until the event `last`. */
async function read(response: Response, clock = createVirtualClock()) {
  const events: string[] = [];
  const json: string[] = [];
  await readStreamedBody(response, {
    clock,
    onPiece: () => {},
    onEvent: (data) => events.push(data) > 0 && data === 'last',
    onJson: (text) => void json.push(text),
  });
  return { events, json };
}

test.each([
  ['events', 'data: a\n\ndata: b\n\n', { events: ['a', 'b'], json: [] }],
  ['events after an empty line', '\n\ndata: a\n\n', { events: ['a'], json: [] }],
  ['a last event without its empty line', 'data: a\n\ndata: b\n', { events: ['a', 'b'], json: [] }],
  ['half a line at the end', 'data: a\n\ndata: b', { events: ['a'], json: [] }],
  ['an object', ' \n{"a":1}', { events: [], json: [' \n{"a":1}'] }],
  ['a list', '[{"a":1}]', { events: [], json: ['[{"a":1}]'] }],
  ['nothing', '', { events: [], json: [] }],
  ['something else', '<html></html>', { events: [], json: [] }],
])('a body that is %s, of any response', async (_, body, expected) => {
  const { url } = await startServer((_request, response) => response.end(body));
  expect(await read(await openFetch()(url))).toEqual(expected);
  expect(await read(new Response(body))).toEqual(expected);
});

describe('after the last event', () => {
  test('the response is there at once, and the connection is used again when the body has ended', async () => {
    const ends: (() => void)[] = [];
    const { url, connections } = await startServer((_, response) => {
      response.write('data: a\n\ndata: last\n\ndata: too late\n\n');
      ends.push(() => response.end());
    });
    const fetch = openFetch();
    const clock = createVirtualClock();
    expect((await read(await fetch(url), clock)).events).toEqual(['a', 'last']);
    ends[0]?.();
    await until(() => clock.pending === 0, { what: 'the end of the body' });
    expect((await read(await fetch(url), clock)).events).toEqual(['a', 'last']);
    expect(connections).toHaveLength(1);
  });

  test('a body that does not end loses its connection', async () => {
    const { url, open } = await startServer((_, response) => void response.write('data: last\n\n'));
    const clock = createVirtualClock();
    await read(await openFetch()(url), clock);
    await clock.advance(999);
    expect(open()).toBe(1);
    await clock.advance(1);
    await until(() => open() === 0, { what: 'the close at the server' });
  });
});

test('a connection that breaks rejects with BrokenBody, and an exception of the reader closes it', async () => {
  const { url, open } = await startServer((request, response) => {
    response.write('data: a\n\n');
    if (request.url === '/v1/break') setImmediate(() => response.destroy());
  });
  await expect(openFetch()(`${url}/break`).then((response) => read(response))).rejects.toThrow(BrokenBody);
  const failing = {
    clock: createVirtualClock(),
    onPiece: () => {},
    onEvent: () => expect.fail('no'),
    onJson: () => {},
  };
  await expect(openFetch()(url).then((response) => readStreamedBody(response, failing))).rejects.toThrow('no');
  await until(() => open() === 0, { what: 'the close at the server' });
});

test('an abort in the middle rejects, passes no event on, and leaves no listener', async () => {
  const { url, open } = await startServer((_, response) => void response.write('data: a\n\n'));
  const controller = new AbortController();
  const response = await openFetch()(url, { signal: controller.signal });
  const reading = read(response);
  await settlePromises();
  controller.abort(new Error('enough'));
  await expect(reading).rejects.toThrow('enough');
  await until(() => open() === 0, { what: 'the close at the server' });
  expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
});

test('a body that was closed before its reading rejects', async () => {
  const { url, open } = await startServer((_, response) => void response.write('data: a\n\n'));
  const controller = new AbortController();
  const response = await openFetch()(url, { signal: controller.signal });
  controller.abort(new Error('enough'));
  await until(() => open() === 0, { what: 'the close at the server' });
  await expect(read(response)).rejects.toThrow(BrokenBody);
});

test('a text is read up to a limit, and a part of it if the connection breaks', async () => {
  const { url, open } = await startServer((request, response) => {
    response.write('0123456789');
    if (request.url === '/v1/break') setImmediate(() => response.destroy());
  });
  expect(await readTextUpTo(await openFetch()(url), 4)).toBe('0123');
  await until(() => open() === 0, { what: 'the close at the server' });
  expect(await readTextUpTo(await openFetch()(`${url}/break`), 100)).toBe('0123456789');
  expect(await readTextUpTo(new Response(null), 100)).toBe('');
});
