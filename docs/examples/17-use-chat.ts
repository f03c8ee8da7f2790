// The door of `useChat`: the transport of a chat says something, stops it, and gets the receipt. With the AI SDK it is `useChat({ id, transport })`.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { belayTransport, type StopReceipt } from '@belay/runtime/ai-sdk';
import { readConfig } from '../../src/programs/config.ts';
import { startConfiguredGateway } from '../../src/programs/start-gateway.ts';

const folder = mkdtempSync(join(tmpdir(), 'belay-use-chat-'));
const file = join(folder, 'belay.json');
writeFileSync(
  file,
  JSON.stringify({ store: 'memory', port: 0, doors: [{ door: 'ui-stream', onDisconnect: 'continue' }] }),
);
const config = readConfig(['--config', file], {});
assert(config);
const gateway = await startConfiguredGateway(config);

interface Chunk {
  readonly type: string;
  readonly [field: string]: unknown;
}

const receipts: (StopReceipt | null)[] = [];
const transport = belayTransport<Chunk>({
  api: `${gateway.url.replace(/^ws/, 'http').replace(/\/belay$/, '')}/api/ui`,
  headers: { authorization: `Bearer ${gateway.key}` }, // with tokens: the token of the speaker
  onReceipt: (receipt) => receipts.push(receipt),
});

// what a chat does: it sends its messages, and reads the chunks until it is stopped
const messages = [{ role: 'user', parts: [{ type: 'text', text: 'research this and run the build' }] }];
const stopping = new AbortController();
const stream = await transport.sendMessages({
  chatId: 'demo',
  trigger: 'submit-message',
  messageId: undefined,
  messages,
  abortSignal: stopping.signal,
});
const seen: Chunk[] = [];
for await (const chunk of stream) {
  seen.push(chunk);
  if (chunk.type === 'text-delta') process.stdout.write(String(chunk['delta']));
  if (chunk.type === 'data-output') stopping.abort(); // the stop button, while the build runs
}

const [receipt] = receipts; // the stream has ended: so has everything
console.log('\n', receipt);
assert.equal(receipt?.cause.source, 'http');
assert(receipt.nodes.length > 3 && receipt.nodes.every(({ outcome }) => outcome === 'cancelled'));
assert(seen.some(({ type, toolName }) => type === 'tool-input-available' && toolName === 'shell'));
assert.equal(await transport.reconnectToStream({ chatId: 'demo' }), null); // nothing runs
assert.equal(await transport.stop('demo'), null);

await gateway.close();
rmSync(folder, { recursive: true });
