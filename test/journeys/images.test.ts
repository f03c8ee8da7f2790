// Images on their way to a model, over a real socket and a real store: said by a speaker, shown by a tool, over a restart, and after they were swept.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { builtinTools } from '../../src/adapters/tools/builtin/builtin-tools.ts';
import { createRuntime, type EmbeddedRuntime } from '../../src/embed/runtime.ts';
import { providerAt } from '../adapters/models/at-endpoint.ts';

const chart = Buffer.concat([Buffer.from('\x89PNG\r\n', 'latin1'), Buffer.alloc(5_000, 3)]);
const photo = Buffer.concat([Buffer.from('\xff\xd8\xff', 'latin1'), Buffer.alloc(300, 9)]);

interface SentMessage {
  readonly role: string;
  readonly content:
    | null
    | string
    | readonly { readonly type: string; readonly text?: string; readonly image_url?: { url: string } }[];
}

const readChart = { id: 'c1', function: { name: 'read_file', arguments: '{"path":"chart.png"}' } };

/** An endpoint that asks for the chart in its first response, and answers with a text after that. */
async function startStandIn() {
  const requests: (readonly SentMessage[])[] = [];
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    requests.push(JSON.parse(Buffer.concat(pieces).toString()).messages);
    const isFirst = requests.length === 1;
    const delta = isFirst ? { tool_calls: [{ index: 0, type: 'function', ...readChart }] } : { content: 'I see.' };
    const choice = { index: 0, delta, finish_reason: isFirst ? 'tool_calls' : 'stop' };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`data: ${JSON.stringify({ choices: [choice] })}\n\ndata: [DONE]\n\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests };
}

/** The images of a request, with the bytes that the endpoint gets. */
const imagesOf = (messages: readonly SentMessage[] = []): readonly Buffer[] =>
  messages.flatMap(({ content }) =>
    typeof content === 'string'
      ? []
      : (content ?? []).flatMap((part) =>
          part.image_url ? Buffer.from(part.image_url.url.split(',')[1] ?? '', 'base64') : [],
        ),
  );
const wordsOf = (messages: readonly SentMessage[] = []): string =>
  messages.map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content))).join('\n');

test('a model gets the bytes of what was said and shown, and words for what was swept [model.parts]', async () => {
  const { url, requests } = await startStandIn();
  const folder = mkdtempSync(join(tmpdir(), 'belay-images-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'chart.png'), chart);
  const store = join(folder, 'sessions.db');
  const start = (): Promise<EmbeddedRuntime> =>
    createRuntime({ acknowledge: 'off', store, provider: providerAt(url), tools: builtinTools(), roots: [folder] });

  const first = await start();
  const ann = (await first.session('s')).as('ann');
  const turn = ann.say([
    { type: 'text', text: 'Compare this with chart.png.' },
    { type: 'image', data: photo, mediaType: 'image/jpeg', name: 'photo.jpg' },
  ]);
  expect(await turn.ended).toMatchObject({ outcome: 'completed' });
  expect(imagesOf(requests[0])).toEqual([photo]);
  expect(imagesOf(requests[1])).toEqual([photo, chart]);
  expect(requests[1]?.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'user']);
  await first.close();

  const second = await start();
  const again = (await second.session('s')).as('ann');
  await again.say('And now?').ended;
  expect(imagesOf(requests[2])).toEqual([photo, chart]);
  await second.close();

  const db = new DatabaseSync(store);
  db.exec('DELETE FROM blobs');
  db.close();
  const third = await start();
  await (await third.session('s')).as('ann').say('Once more?').ended;
  expect(imagesOf(requests[3])).toEqual([]);
  expect(wordsOf(requests[3])).toContain('[image photo.jpg: image/jpeg, 303 bytes, no longer stored]');
  expect(wordsOf(requests[3])).toContain('[image chart.png: image/png, 5 KiB, no longer stored]');
  await third.close();
});
