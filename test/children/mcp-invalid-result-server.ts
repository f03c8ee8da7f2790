// A server of MCP tools made with the official SDK. Each tool writes its name to a file, and then returns what is no valid result.
//
//   node mcp-invalid-result-server.ts <file> first|second|second-stateless
//
// The last argument is the major of the SDK; `second-stateless` speaks the revision 2026-07-28 and no older one.
import { appendFileSync } from 'node:fs';
import { McpServer as FirstServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { McpServer as SecondServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const [file = '', major] = process.argv.slice(2);
const text = { type: 'text', text: '21' };

/** What each tool returns. Its schema promises `degrees` as a number. */
const results: Readonly<Record<string, unknown>> = {
  content_no_list: { content: '21', structuredContent: { degrees: 21 } },
  unknown_block: { content: [{ type: 'hologram' }], structuredContent: { degrees: 21 } },
  structured_no_object: { content: [text], structuredContent: [['degrees', 21]] },
  structured_other: { content: [text], structuredContent: { degrees: 'mild' } },
  structured_missing: { content: [text] },
  untyped_no_list: { content: 21 },
  untyped_block: { content: [{ type: 'image' }] },
};

function addTools(server: FirstServer | SecondServer): void {
  for (const [name, result] of Object.entries(results)) {
    const outputSchema = name.startsWith('untyped') ? {} : { outputSchema: z.object({ degrees: z.number() }) };
    const run = () => {
      appendFileSync(file, `${name}\n`);
      return result;
    };
    // one signature of two majors, whose types forbid these results
    (server.registerTool as (name: string, config: object, run: () => unknown) => void).call(
      server,
      name,
      { description: name, inputSchema: z.object({ city: z.string() }), ...outputSchema },
      run,
    );
  }
}

if (major === 'first') {
  const server = new FirstServer({ name: 'invalid-results', version: '1' });
  addTools(server);
  await server.connect(new StdioServerTransport());
} else {
  serveStdio(
    () => {
      const server = new SecondServer({ name: 'invalid-results', version: '1' });
      addTools(server);
      return server;
    },
    { legacy: major === 'second' ? 'serve' : 'reject' },
  );
}
