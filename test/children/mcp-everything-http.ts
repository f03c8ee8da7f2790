// The published server `everything` over streamable HTTP, on loopback alone, as the SDK serves it. Prints its URL, then each message that it receives.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

const published = '@modelcontextprotocol/server-everything/dist/server/index.js'; // it has no types
const everything = await import(published);
const sessions = new Map<string, StreamableHTTPServerTransport>();

async function open(): Promise<StreamableHTTPServerTransport> {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, transport),
    onsessionclosed: (id) => void sessions.delete(id),
  });
  await everything.createServer().server.connect(transport);
  const { onmessage } = transport;
  transport.onmessage = (message, extra) => {
    console.log(JSON.stringify(message));
    onmessage?.(message, extra);
  };
  return transport;
}

const server = createServer(async (request, response) => {
  const id = request.headers['mcp-session-id'];
  const transport = typeof id === 'string' ? sessions.get(id) : await open();
  if (transport) await transport.handleRequest(request, response);
  else response.writeHead(404).end();
});
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
});
