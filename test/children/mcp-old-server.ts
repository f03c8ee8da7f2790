// A server of the revision 2024-11-05, made with the official SDK: HTTP with one stream of server-sent events for all responses. Prints its URL.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';

const transports = new Map<string, SSEServerTransport>();

function createServerOfTools(): McpServer {
  const server = new McpServer({ name: 'old', version: '1' });
  server.registerTool('echo', { description: 'Answers.' }, () => ({ content: [{ type: 'text', text: 'here' }] }));
  server.registerTool('wait', { description: 'Waits for ever.' }, async ({ signal }) => {
    console.log('wait started');
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    console.log('wait cancelled');
    return { content: [] };
  });
  return server;
}

const server = createServer(async (request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost');
  if (request.method === 'GET' && url.pathname === '/sse') {
    const transport = new SSEServerTransport('/messages', response);
    transports.set(transport.sessionId, transport);
    response.on('close', () => console.log('stream closed'));
    return createServerOfTools().connect(transport);
  }
  const transport = transports.get(url.searchParams.get('sessionId') ?? '');
  if (request.method === 'POST' && transport) return transport.handlePostMessage(request, response);
  response.writeHead(404).end();
});
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/sse`);
});
