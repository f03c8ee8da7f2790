// A server of MCP tools made with the official SDK, each of which does what real servers were seen to do.
//
//   node mcp-faulty-server.ts <token> [until=<file>]
//
// The token is for finding its processes. `until`: it responds to nothing before this file exists.
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

server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: Object.keys(tools).map((name) => ({
    name,
    inputSchema: { type: 'object' as const, ...schemas[name] },
    ...(name === 'drop_table' && { annotations: { destructiveHint: true } }),
  })),
}));
server.setRequestHandler(CallToolRequestSchema, ({ params }, { sendNotification }) => {
  const progressToken = params._meta?.progressToken ?? 0;
  const tool = tools[params.name];
  if (!tool) throw new Error(`there is no ${params.name}`);
  return tool({
    arguments: params.arguments ?? {},
    progress: (progress) => sendNotification({ method: 'notifications/progress', params: { progressToken, progress } }),
  });
});

const file = manners.find((manner) => manner.startsWith('until='))?.slice('until='.length);
while (file !== undefined && !existsSync(file)) await setTimeout(20);
await server.connect(new StdioServerTransport());
