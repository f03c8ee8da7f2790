// A server made with the second major of the official SDK, which speaks the revision 2026-07-28 and no older one.
//
//   node mcp-modern-server.ts <token> [http] [log=<file>]
//
// `http`: it serves on loopback and prints its URL, instead of stdio. `log`: a file that gets a line when a call starts and when it is cancelled.
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const manners = process.argv.slice(3);
const log = manners.find((manner) => manner.startsWith('log='))?.slice('log='.length);
const note = (line: string) => (log === undefined ? undefined : appendFileSync(log, `${line}\n`));
const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });

function createServerOfTools(): McpServer {
  const server = new McpServer({ name: 'modern', version: '1' }, { instructions: 'Echo before you wait.' });
  const inputSchema = z.object({ text: z.string() });
  server.registerTool('echo', { description: 'Echoes.', inputSchema }, ({ text: words }) => text(words));
  server.registerTool('wait', { description: 'Waits for ever.' }, async ({ mcpReq: { signal } }) => {
    note('wait started');
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    note('wait cancelled');
    return text('');
  });
  server.registerTool('grow', { description: 'Adds a tool.' }, () => {
    server.registerTool('grown', { description: 'Was added.' }, () => text('grown'));
    return text('');
  });
  server.registerTool('ask', { description: 'Asks for a name.' }, ({ mcpReq }) => {
    const answer = mcpReq.inputResponses?.['name'];
    if (answer !== undefined) return text(`answered ${JSON.stringify(answer)}`);
    const requestedSchema = { type: 'object' as const, properties: { name: { type: 'string' as const } } };
    return inputRequired({ inputRequests: { name: inputRequired.elicit({ message: 'Who?', requestedSchema }) } });
  });
  return server;
}

if (!manners.includes('http')) serveStdio(createServerOfTools, { legacy: 'reject' });
else {
  const handler = createMcpHandler(createServerOfTools, { legacy: 'reject' });
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', `http://${request.headers.host}`);
    const aborting = new AbortController();
    response.on('close', () => aborting.abort());
    const answer = await handler.fetch(
      new Request(url, {
        method: request.method ?? 'GET',
        headers: Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]),
        signal: aborting.signal,
        ...(request.method === 'POST' && { body: Readable.toWeb(request), duplex: 'half' }),
      }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body)
      Readable.fromWeb(answer.body as ReadableStream).pipe(response); // one type of two packages
    else response.end();
  });
  server.listen(0, '127.0.0.1', () => {
    console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  });
}
