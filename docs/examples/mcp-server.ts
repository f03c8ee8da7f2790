// A little MCP server: one tool that is done at once, and one that works for minutes and ignores a cancellation.
import { setTimeout as sleep } from 'node:timers/promises';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const server = new McpServer({ name: 'weather', version: '1.0.0' });
const textResult = (text: string) => ({ content: [{ type: 'text' as const, text }] });

server.registerTool(
  'current',
  {
    description: 'The weather in a town, now.',
    inputSchema: { town: z.string() },
    annotations: { readOnlyHint: true }, // it changes nothing
  },
  ({ town }) => textResult(`It rains in ${town}.`),
);

server.registerTool(
  'simulate',
  { description: 'Computes the weather of next year.' },
  async ({ _meta, sendNotification }) => {
    for (let day = 1; day <= 365; day++) {
      await sleep(1_000);
      const progressToken = _meta?.progressToken;
      if (progressToken === undefined) continue;
      await sendNotification({
        method: 'notifications/progress',
        params: { progressToken, progress: day, total: 365 },
      });
    }
    return textResult('It will rain.');
  },
);

await server.connect(new StdioServerTransport());
