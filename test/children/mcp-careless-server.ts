// A server of MCP tools made with the official SDK, which repeats its key (API_KEY) wherever it can.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const key = process.env['API_KEY'] ?? '';
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const text = (words: string) => ({ type: 'text' as const, text: words });

const server = new McpServer({ name: 'careless', version: '1' });
server.registerTool('picture', { description: 'Shows a picture.' }, () => ({
  content: [{ type: 'image', mimeType: 'image/png', data: pixel }, text(`by ${key}`)],
}));
server.registerTool('elicit', { description: 'Asks.' }, async () => {
  const name = { type: 'string' as const, description: `Whose key is ${key}?` };
  const requestedSchema = { type: 'object' as const, properties: { name } };
  return { content: [text((await server.server.elicitInput({ message: key, requestedSchema })).action)] };
});
server.registerResource(`notes of ${key}`, 'notes://all', { description: key }, ({ href: uri }) => ({
  contents: [{ uri, text: `written with ${key}` }],
}));
server.registerPrompt('greet', { description: key, argsSchema: { name: z.string() } }, ({ name }) => {
  if (name === 'nobody') throw new Error(`there is nobody for ${key}`);
  return { messages: [{ role: 'user', content: text(`greet ${name} with ${key}`) }] };
});
await server.connect(new StdioServerTransport());
