// The transport for chats of the AI SDK stops by a request of its own, at any moment of the one that it stops.
import { expect, test } from 'vitest';
import { belayTransport, type StopReceipt } from '../../src/client/belay-transport.ts';

const receipt = { type: 'cancel_settled', session: 's', cancel: 'c1', nodes: [] };
const sse = (...chunks: readonly object[]) => chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');

/** A gateway whose replies a test gives. */
function setUp() {
  const asked: string[] = [];
  const said = Promise.withResolvers<Response>();
  const stopped = Promise.withResolvers<Response>();
  const receipts: (StopReceipt | null)[] = [];
  const failures: unknown[] = [];
  const transport = belayTransport<{ readonly type: string }>({
    api: '/api/ui/',
    headers: () => ({ authorization: 'Bearer x' }),
    fetch: (url, init) => {
      asked.push(`${init?.method} ${String(url)} ${String(init?.body ?? '')}`);
      return String(url).endsWith('/stop') ? stopped.promise : said.promise;
    },
    onReceipt: (one) => receipts.push(one),
    onStopFailed: (error) => failures.push(error),
  });
  const stop = new AbortController();
  const messages = [
    { role: 'user', id: 'm1' },
    { role: 'assistant', id: 'm2' },
    { role: 'user', id: 'm3' },
  ];
  const request = {
    chatId: 'a b',
    trigger: 'submit-message',
    messageId: undefined,
    messages,
    abortSignal: stop.signal,
  };
  return { asked, said, stopped, receipts, failures, transport, stop, request };
}

async function read(stream: ReadableStream<{ readonly type: string }>): Promise<readonly string[]> {
  const types: string[] = [];
  for await (const { type } of stream) types.push(type);
  return types;
}

test('it sends the last message of the assistant with what follows, and reads chunks however they are cut [doors.ui-stream]', async () => {
  const { asked, said, transport, request } = setUp();
  const bytes = new TextEncoder().encode(
    `: hello\n\n${sse({ type: 'start', words: 'ä' }, { type: 'finish' })}data: [DONE]\n\n`,
  );
  said.resolve(
    new Response(
      new ReadableStream({
        start(controller) {
          for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
          controller.close();
        },
      }),
    ),
  );
  expect(await read(await transport.sendMessages(request))).toEqual(['start', 'finish']);
  expect(asked).toEqual([
    'POST /api/ui/a%20b {"id":"a b","messages":[{"role":"assistant","id":"m2"},{"role":"user","id":"m3"}],"trigger":"submit-message"}',
  ]);
});

test('a stop before the reply waits for it: the turn is there when it is stopped, and its words are not read [doors.ui-stream]', async () => {
  const { asked, said, stopped, receipts, transport, stop, request } = setUp();
  const sending = transport.sendMessages(request).catch((error: Error) => error.name);
  stop.abort();
  await Promise.resolve();
  expect(asked).toHaveLength(1);
  said.resolve(new Response(sse({ type: 'start' })));
  stopped.resolve(Response.json({ session: 'a b', receipt }));
  expect(await sending).toBe('AbortError');
  expect(asked[1]).toBe('POST /api/ui/a%20b/stop {}');
  expect(receipts).toEqual([receipt]);
  expect(await transport.sendMessages(request).catch((error: Error) => error.name)).toBe('AbortError');
  expect(asked).toHaveLength(2);
});

test('the stream ends with the receipt, not before; a stop that fails ends it too, and is reported [doors.ui-stream]', async () => {
  for (const reply of [
    Response.json({ receipt }),
    new Response('{"code":"unavailable","message":"No."}', { status: 503 }),
  ]) {
    const { said, stopped, receipts, failures, transport, stop, request } = setUp();
    let isOpen = true;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(sse({ type: 'start' }))),
      cancel() {
        isOpen = false;
      },
    });
    said.resolve(new Response(body));
    const reader = (await transport.sendMessages(request)).getReader();
    expect((await reader.read()).value).toEqual({ type: 'start' });
    let others = 0;
    stop.signal.addEventListener('abort', () => {
      others += 1;
    });
    stop.abort();
    expect(others, 'the chat does not go on at once').toBe(0);
    const next = reader.read();
    expect(isOpen).toBe(true);
    stopped.resolve(reply);
    expect(await next).toMatchObject({ done: true });
    expect(isOpen).toBe(false);
    expect([receipts.length, failures.length]).toEqual(reply.ok ? [1, 0] : [0, 1]);
    if (!reply.ok) expect(failures).toMatchObject([{ status: 503, code: 'unavailable', message: 'No.' }]);
  }
});

test('nothing to resume is null, and an error has the code of the gateway [doors.ui-stream]', async () => {
  const none = setUp();
  none.said.resolve(new Response(null, { status: 204 }));
  expect(await none.transport.reconnectToStream({ chatId: 'a b' })).toBeNull();
  expect(none.asked).toEqual(['GET /api/ui/a%20b/stream ']);
  const refused = setUp();
  refused.said.resolve(new Response('Bad Gateway', { status: 502 }));
  await expect(refused.transport.sendMessages(refused.request)).rejects.toMatchObject({
    status: 502,
    code: '',
    message: 'Bad Gateway',
  });
});
