// Belay as an MCP server: a client calls an agent, cancels the call in the middle, and reads what the stop has done.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

// in life: command: 'belay', args: ['mcp-server', '--config', 'belay.json']
const belay = join(import.meta.dirname, '..', '..', 'src', 'programs', 'belay.ts');
const client = new Client({ name: 'example', version: '1.0.0' });
await client.connect(
  new StdioClientTransport({ command: process.execPath, args: [belay, 'mcp-server', '--demo'], stderr: 'ignore' }),
);
const { tools } = await client.listTools();
assert.deepEqual(
  tools.map(({ name }) => name),
  ['belay'],
);

// the script of the demo starts a build and a sub-agent
const stop = new AbortController();
const seen: string[] = [];
const building = client.callTool(
  { name: 'belay', arguments: { prompt: 'research this and run the build', session: 'build' } },
  {
    signal: stop.signal,
    onprogress({ message = '' }) {
      seen.push(message);
      if (message.startsWith('shell ')) stop.abort('not now');
    },
  },
);
await assert.rejects(building);
assert.match(seen[0] ?? '', /^turn \S+ in session build$/);

// MCP answers no call that was cancelled: the receipt is a resource
interface Cancel {
  readonly state: string;
  readonly reason: string;
  readonly nodes: readonly { readonly name: string | null; readonly end: { readonly outcome: string } }[];
}
async function readCancel(): Promise<Cancel> {
  const { contents } = await client.readResource({ uri: 'belay://sessions/build/cancels' });
  const [first] = contents;
  assert(first && 'text' in first);
  const [cancel] = JSON.parse(first.text).cancels;
  return cancel?.state === 'settled' ? cancel : readCancel();
}
const { reason, nodes } = await readCancel();
assert.equal(reason, 'not now');
assert(nodes.length > 1);
for (const { name, end } of nodes) console.log(`${name ?? 'the turn'}: ${end.outcome}`);
assert(nodes.every(({ end }) => end.outcome === 'cancelled' || end.outcome === 'completed'));

await client.close();
