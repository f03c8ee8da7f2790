// A server of MCP tools made with the official SDK, each of which does what real servers were seen to do.
//
//   node mcp-faulty-server.ts <token> [until=<file>] [relist=<file>] [restless]
//
// The token is for finding its processes. `until`: it responds to nothing before this file exists. `relist`: it lists its tools a second time
// only when this file exists. `restless`: each time that it lists its tools it says that they have changed.
import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, type CallToolResult, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const manners = process.argv.slice(3);
const server = new Server(
  { name: 'faulty', version: '1' },
  { capabilities: { tools: { listChanged: true } }, instructions: 'Take a screenshot first.' },
);
const text = (words: string): CallToolResult => ({ content: [{ type: 'text', text: words }] });

const journey = {
  type: 'object' as const,
  properties: { city: { type: 'string' as const }, days: { type: 'integer' as const } },
  required: ['city'],
};
let elicited: object | null = null;

interface FaultyCall {
  readonly arguments: Readonly<Record<string, unknown>>;
  progress(progress: number): Promise<void>;
}

const tools: Record<string, (call: FaultyCall) => CallToolResult | Promise<CallToolResult>> = {
  /** `type` is required, and has a default: so are the schemas that zod writes of an output. */
  screenshot: ({ arguments: { type = 'png' } }) => text(`a screenshot as ${type}`),
  large: () => text('x'.repeat(5_000_000)),
  structured: () => ({ ...text('It is mild.'), structuredContent: { degrees: 21 } }),
  structured_twice: () => ({ ...text('{\n  "degrees": 21\n}'), structuredContent: { degrees: 21 } }),
  structured_words: () => ({ ...text('It is 21 degrees.'), structuredContent: { degrees: 21 } }),
  async burst({ progress }) {
    for (let step = 1; step <= 5_000; step++) await progress(step);
    return text('copied 5000 files');
  },
  crash() {
    process.nextTick(() => {
      throw new Error(`there is no token: set TRACKER_TOKEN, as ${'x'.repeat(400)} says`);
    });
    return new Promise(() => {});
  },
  drop_table: () => text('dropped'),
  async add_tool() {
    tools['added'] = () => text('added');
    await server.sendToolListChanged();
    return text('');
  },
  listings: () => text(String(listings)),
  async roots() {
    const { roots } = await server.listRoots();
    return text(roots.map(({ uri, name }) => `${uri} (${name})`).join(' '));
  },
  async elicit() {
    const asked = server.elicitInput({ message: 'Where to?', requestedSchema: journey });
    elicited = await asked;
    return text(JSON.stringify(elicited));
  },
  elicited: () => text(JSON.stringify(elicited)),
  environment: ({ arguments: { name } }) => text(process.env[String(name)] ?? 'unset'),
};

const schemas: Readonly<Record<string, object>> = {
  screenshot: { properties: { type: { enum: ['png', 'jpeg'], default: 'png' } }, required: ['type'] },
};

const fileOf = (manner: string) => manners.find((one) => one.startsWith(`${manner}=`))?.slice(manner.length + 1);

async function untilThere(file: string | undefined): Promise<void> {
  while (file !== undefined && !existsSync(file)) await setTimeout(20);
}

let listings = 0;

server.setRequestHandler(ListToolsRequestSchema, async () => {
  listings++;
  if (listings > 1) await untilThere(fileOf('relist'));
  if (manners.includes('restless')) await server.sendToolListChanged();
  return {
    tools: Object.keys(tools).map((name) => ({
      name,
      inputSchema: { type: 'object' as const, ...schemas[name] },
      ...(name === 'drop_table' && { annotations: { destructiveHint: true } }),
    })),
  };
});
server.setRequestHandler(CallToolRequestSchema, ({ params }, { sendNotification }) => {
  const progressToken = params._meta?.progressToken ?? 0;
  const tool = tools[params.name];
  if (!tool) throw new Error(`there is no ${params.name}`);
  return tool({
    arguments: params.arguments ?? {},
    progress: (progress) => sendNotification({ method: 'notifications/progress', params: { progressToken, progress } }),
  });
});

await untilThere(fileOf('until'));
await server.connect(new StdioServerTransport());
