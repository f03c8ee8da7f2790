// A server of MCP tools over streamable HTTP, played by the test: each tool writes to the stream of its request.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

interface ReceivedRequest {
  readonly method: string;
  readonly message: {
    readonly id?: number;
    readonly method?: string;
    readonly params?: Record<string, unknown>;
  } | null;
  readonly headers: IncomingMessage['headers'];
}

export interface PlayedCall {
  readonly id: number;
  readonly response: ServerResponse;
  /** One event with a message. */
  event(message: object, id?: string): void;
  answer(text: string, id?: string): void;
}

export interface PlayedServer {
  readonly url: string;
  readonly received: readonly ReceivedRequest[];
  /** Requests whose connection is open. */
  readonly open: ReadonlySet<string>;
  /** Ends the session: by the protocol it is not found any more. */
  forget(): void;
  close(): void;
}

export type CallPlayer = (exchange: PlayedCall, request: IncomingMessage) => void;

interface Parts {
  /** By the name of the tool. */
  readonly tools: Readonly<Record<string, CallPlayer>>;
  /** What a GET gets; none by default. */
  readonly onGet?: (request: IncomingMessage, response: ServerResponse) => void;
  /** Before anything else; true: that was the answer. */
  readonly before?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

export const eventText = (message: object, id?: string) =>
  `${id === undefined ? '' : `id: ${id}\n`}event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
export const resultOf = (text: string) => ({ result: { content: [{ type: 'text', text }] } });

async function bodyOf(request: IncomingMessage): Promise<ReceivedRequest['message']> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text === '' ? null : JSON.parse(text);
}

export async function playServer({ tools, onGet, before }: Parts): Promise<PlayedServer> {
  const received: ReceivedRequest[] = [];
  const open = new Set<string>();
  let sessions = 0;
  let session: string | null = null;

  const responses: Readonly<Record<string, (id: number, response: ServerResponse) => void>> = {
    initialize(id, response) {
      sessions++;
      session = `session-${sessions}`;
      const serverInfo = { name: 'played', version: '1' };
      const result = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo };
      response.setHeader('mcp-session-id', session);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    },
    'tools/list'(id, response) {
      const listed = Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' } }));
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { tools: listed } }));
    },
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const message = await bodyOf(request);
    const { method = '', headers } = request;
    received.push({ method, message, headers });
    if (before?.(request, response)) return;
    if (message?.method !== 'initialize' && headers['mcp-session-id'] !== session)
      return void response.writeHead(404).end();
    if (method === 'GET') return onGet ? onGet(request, response) : void response.writeHead(405).end();
    if (method === 'DELETE') {
      session = null;
      return void response.writeHead(200).end();
    }
    const { id = -1, method: mcpMethod = '', params } = message ?? {};
    if (message?.id === undefined) return void response.writeHead(202).end();
    if (mcpMethod !== 'tools/call') return responses[mcpMethod]?.(id, response);
    const name = String(params?.['name']);
    open.add(name);
    response.on('close', () => open.delete(name));
    const event = (what: object, eventId?: string) => void response.write(eventText(what, eventId));
    response.setHeader('content-type', 'text/event-stream');
    tools[name]?.(
      { id, response, event, answer: (text, eventId) => event({ id, ...resultOf(text) }, eventId) },
      request,
    );
  }

  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  onTestFinished(close);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    received,
    open,
    forget: () => {
      session = null;
    },
    close,
  };
}
