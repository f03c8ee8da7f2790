// The stream of the inspector's records at its end: it waits a second for the store, and writes nothing after it.
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createVirtualSources } from '../../../src/core/sources/virtual.ts';
import { InspectorStream } from '../../../src/gateway/http/inspector-stream.ts';
import type { InspectionEvent } from '../../../src/wire/inspection.ts';
import type { ReaderOptions } from '../../../src/wire/inspection-source.ts';

const gap: InspectionEvent = { type: 'gap', data: { from: 1, to: 2 } };

/** Opens a stream over a store whose look-ups do not end, and whose reader reads what `read` returns. */
async function openStream(read: (options: ReaderOptions) => readonly InspectionEvent[]) {
  const { clock } = createVirtualSources();
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  const errors: unknown[] = [];
  response.on('error', (error) => errors.push(error));
  const lookup = Promise.withResolvers<void>();
  const stream = new InspectorStream({
    response,
    clock,
    expiresAt: clock.now() + 1_000,
    session: null,
    after: null,
    caller: { speaker: { id: 'mod', roles: ['moderator'] }, connection: 'c' },
    directory: { awakeHere: { mayRead: () => null }, check: () => lookup.promise } as never,
    report: (error) => errors.push(error),
    onClose: () => {},
  });
  await stream.open({
    openReader: async (options: ReaderOptions) => ({ read: () => read(options), close: () => {} }),
  } as never);
  return { clock, response, errors, lookup };
}

test('it ends a second after the token of its reader has expired, if the store does not reply', async () => {
  const { clock, response } = await openStream(({ access }) => {
    access?.mayRead('asleep');
    return [];
  });
  await clock.advance(1_000);
  expect(response.writableEnded).toBe(false);
  await clock.advance(1_000);
  expect(response.writableEnded).toBe(true);
});

test('it writes nothing after its end, when its client has read and the store replies', async () => {
  let reads = 0;
  const { clock, response, errors, lookup } = await openStream(({ access }) => {
    access?.mayRead('asleep');
    reads += 1;
    return Array.from({ length: 100 }, () => ({ ...gap, data: { from: reads, to: 10 ** 9 } }));
  });
  await clock.advance(1_000);
  expect(response.writableEnded).toBe(true);
  response.emit('drain');
  lookup.resolve();
  await lookup.promise;
  await new Promise(setImmediate);
  await clock.advance(60_000);
  expect(errors).toEqual([]);
});
