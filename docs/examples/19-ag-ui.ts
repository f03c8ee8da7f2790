// The door of AG-UI: a run over bare HTTP, its events, a stop of it by a closed request, and the end of the turn that the client comes back to.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../src/programs/config.ts';
import { startConfiguredGateway } from '../../src/programs/start-gateway.ts';

const folder = mkdtempSync(join(tmpdir(), 'belay-ag-ui-'));
const file = join(folder, 'belay.json');
writeFileSync(file, JSON.stringify({ store: 'memory', port: 0, doors: [{ door: 'ag-ui' }] }));
const config = readConfig(['--config', file], {});
assert(config);
const gateway = await startConfiguredGateway(config);
const http = gateway.url.replace(/^ws/, 'http').replace(/\/belay$/, '');
const headers = { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' }; // with tokens: the token of the speaker

interface Event {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Runs the agent `belay`, and yields its events. */
async function* run(input: object, signal?: AbortSignal): AsyncIterable<Event> {
  const body = JSON.stringify({ threadId: 'demo', messages: [], tools: [], context: [], ...input });
  const response = await fetch(`${http}/api/ag-ui/belay`, { method: 'POST', headers, body, signal: signal ?? null });
  assert.equal(response.status, 200);
  let rest = '';
  for await (const text of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    const lines = `${rest}${text}`.split('\n\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data: ')) yield JSON.parse(line.slice('data: '.length));
  }
}

const words = { id: 'm1', role: 'user', content: 'research this and run the build' };
const stop = new AbortController();
const seen: Event[] = [];
try {
  for await (const event of run({ runId: 'run-1', messages: [words] }, stop.signal)) {
    seen.push(event);
    if (event.type === 'TEXT_MESSAGE_CONTENT') process.stdout.write(String(event['delta']));
    if (event.type === 'CUSTOM' && event['name'] === 'belay.output') stop.abort(); // the stop button, while the build runs
  }
} catch (error) {
  assert(stop.signal.aborted, String(error));
}
assert.deepEqual(
  seen.slice(0, 2).map(({ type }) => type),
  ['RUN_STARTED', 'STATE_SNAPSHOT'],
);
assert(seen.some(({ type }) => type === 'SUBAGENT_STARTED'));

// the client comes back to the turn, whose end says what the stop has done
const state = seen.find(({ type }) => type === 'STATE_SNAPSHOT')?.['snapshot'];
const again: Event[] = [];
for await (const event of run({ runId: 'run-2', state })) again.push(event);
const receipt = again.findLast(({ name }) => name === 'belay.receipt')?.['value'] as {
  readonly type: string;
  readonly cause: { readonly source: string; readonly door: string };
  readonly nodes: readonly { readonly outcome: string }[];
};
console.log('\n', receipt);
assert.equal(receipt.type, 'cancel_settled');
assert.deepEqual([receipt.cause.source, receipt.cause.door], ['disconnect', 'ag-ui']);
assert(receipt.nodes.length > 3 && receipt.nodes.every(({ outcome }) => outcome === 'cancelled'));
assert.deepEqual(again.at(-1)?.['outcome'], { type: 'cancelled' });

await gateway.close();
rmSync(folder, { recursive: true });
