// An endpoint that refuses images gets words for them: at once in the same turn, and from then on.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Message } from '../../../machines/messages.ts';
import { providerAt } from './at-endpoint.ts';

/** Refuses each request with a part that is no text, in these words. */
async function startBlindEndpoint(refusal: string) {
  const contents: string[] = [];
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const content = JSON.stringify(JSON.parse(Buffer.concat(pieces).toString()).messages);
    contents.push(content);
    if (content.includes('image_url')) {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: refusal } }));
      return;
    }
    const choice = { index: 0, delta: { content: 'I see nothing.' }, finish_reason: 'stop' };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`data: ${JSON.stringify({ choices: [choice] })}\n\ndata: [DONE]\n\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, contents };
}

const image = { type: 'image', blob: 'a'.repeat(64), mediaType: 'image/png', bytes: 3 } as const;
const messages: readonly Message[] = [{ role: 'user', content: 'see', parts: [{ type: 'text', text: 'see' }, image] }];

test.for([
  'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
  'At most 0 image(s) may be provided in one request. The model is not a multimodal model',
  'Failed to deserialize: messages[0]: unknown variant `image_url`, expected `text`',
  'Invalid content type. image_url is only supported by certain models.',
  'messages[0].content must be a string',
])('refused with "%s", an image becomes words [model.parts]', async (refusal) => {
  const { url, contents } = await startBlindEndpoint(refusal);
  const provider = providerAt(url);
  const send = () =>
    provider.stream(
      { messages, tools: [] },
      { signal: new AbortController().signal, onText() {}, readBlob: async () => Uint8Array.of(1, 2, 3) },
    );
  expect(await send()).toMatchObject({ kind: 'completed' });
  expect(await send()).toMatchObject({ kind: 'completed' });
  expect(contents.map((content) => content.includes('image_url'))).toEqual([true, false, false]);
  expect(contents[2]).toContain('see\\n[image: image/png, 3 bytes, which this model cannot read]');
});
