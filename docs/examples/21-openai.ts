// The door of OpenAI's API: the official client asks, streams, and stops what it has started, in the background and by closing its stream.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';
import { readConfig } from '../../src/programs/config.ts';
import { startConfiguredGateway } from '../../src/programs/start-gateway.ts';

const folder = mkdtempSync(join(tmpdir(), 'belay-openai-'));
const file = join(folder, 'belay.json');
writeFileSync(file, JSON.stringify({ store: 'memory', port: 0, doors: [{ door: 'openai' }] }));
const config = readConfig(['--config', file], {});
assert(config);
const gateway = await startConfiguredGateway(config);

const client = new OpenAI({
  baseURL: `${gateway.url.replace(/^ws/, 'http').replace(/\/belay$/, '')}/v1`,
  apiKey: gateway.key ?? '', // with tokens: the token of the speaker
});
const input = 'research this and run the build'; // the script of the demo starts a build and a sub-agent

// Responses, in the background: `cancel` comes back when everything has ended
const begun = await client.responses.create({ model: 'belay', input, background: true });
assert.equal(begun.status, 'in_progress');
for (;;) {
  const { output } = await client.responses.retrieve(begun.id);
  if (output.some((item) => item.type === 'mcp_call' && item.name === 'shell')) break;
}
const stopped = await client.responses.cancel(begun.id);
assert.equal(stopped.status, 'cancelled');
for (const item of stopped.output) if (item.type === 'mcp_call') console.log(`${item.name}: ${item.error}`);

// Chat Completions: closing the stream stops the turn, and what it has started
const stream = await client.chat.completions.create({
  model: 'belay',
  messages: [{ role: 'user', content: input }],
  stream: true,
});
let text = '';
for await (const chunk of stream) {
  text += chunk.choices[0]?.delta.content ?? '';
  if (text !== '') stream.controller.abort();
}
console.log(text);

await gateway.close(); // nothing is left for it to stop
rmSync(folder, { recursive: true });
