// Connects the SDK's client, which speaks the protocol, and reads the tools of its server.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  ErrorCode,
  type Tool as ListedTool,
  ListToolsResultSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';
import type { Clock } from '../sources/sources.ts';
import { errorText } from '../text/error-text.ts';
import { tooLongCode } from './incoming-messages.ts';
import { McpFailure } from './mcp-failure.ts';
import { type McpLimits, maxTimerMs } from './mcp-limits.ts';
import type { ServerTransport } from './server-transport.ts';

const clientInfo = { name: 'belay', version: '0.1.0' };
const maxMessageChars = 500;

/** For every request of the SDK: the timeouts are ours, by the injected clock. */
export const withoutTimeout = { timeout: maxTimerMs } as const;

/** Sends `initialize`. Rejects with an `McpFailure` when nothing of the transport is left. */
export async function connectClient(
  transport: ServerTransport,
  { clock, limits }: { readonly clock: Clock; readonly limits: McpLimits },
): Promise<Client> {
  const client = new Client(clientInfo);
  const overdue = { kind: 'lost', message: `did not respond to initialize within ${limits.startMs} ms` } as const;
  const disarm = clock.after(limits.startMs, () => transport.shutDown(overdue, 'now'));
  try {
    await client.connect(transport, withoutTimeout);
    return client;
  } catch (error) {
    const { message } = sdkFailure(error);
    transport.shutDown({ kind: 'lost', message }, 'now');
    const end = await transport.ended;
    // the SDK closes a transport that it could not connect: then its error explains more
    throw new McpFailure(end.kind === 'closed' ? message : end.message, { code: 'mcp_unavailable', cause: error });
  } finally {
    disarm();
  }
}

/** Resolves with at least `maxTools` tools if the server has more. Rejects with what the SDK throws. */
export async function listTools(client: Client, maxTools: number): Promise<readonly ListedTool[]> {
  const tools: ListedTool[] = [];
  if (!client.getServerCapabilities()?.tools) return tools;
  let cursor: string | undefined;
  do {
    const params = cursor === undefined ? {} : { cursor };
    const page = await client.request({ method: 'tools/list', params }, ListToolsResultSchema, withoutTimeout);
    tools.push(...page.tools);
    cursor = page.tools.length === 0 ? undefined : page.nextCursor;
  } while (cursor !== undefined && tools.length <= maxTools);
  return tools;
}

/** The failure behind an error of the SDK, while the transport is open. */
export function sdkFailure(error: unknown): McpFailure {
  if (error instanceof McpFailure) return error;
  const message = errorText(error).slice(0, maxMessageChars);
  if (error instanceof McpError && error.code === tooLongCode)
    return new McpFailure(message.replace(`MCP error ${tooLongCode}: `, ''), { code: 'mcp_failed' });
  if (error instanceof McpError) {
    const code = error.code === ErrorCode.InvalidParams ? 'bad_arguments' : 'mcp_failed';
    return new McpFailure(`responded with an error: ${message}`, { code });
  }
  return new McpFailure(`sent an invalid response: ${message.replaceAll(/\s+/g, ' ')}`, { code: 'mcp_protocol' });
}
