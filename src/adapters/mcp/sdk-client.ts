// Connects the SDK's client, which speaks the protocol, and reads the tools of its server.

import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  Client,
  type Tool as ListedTool,
  ProtocolError,
  SdkError,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import type { Clock } from '../../core/sources/sources.ts';
import { errorText } from '../../core/text/error-text.ts';
import { product } from '../../core/text/product.ts';
import { tooLongCode } from './incoming-messages.ts';
import { McpFailure, StartRefused } from './mcp-failure.ts';
import { type McpLimits, maxTimerMs } from './mcp-limits.ts';
import type { ServerTransport } from './server-transport.ts';

const maxMessageChars = 500;

/** `initialize`: as revisions up to 2025-11-25 start. `discover`: asks for the server's revisions first, and sends `initialize` if none is newer. */
export type Start = 'initialize' | 'discover';

const modes: Readonly<Record<Start, VersionNegotiationMode>> = { initialize: 'legacy', discover: 'auto' };

/** For every request of the SDK: the timeouts are ours, by the injected clock. */
export const withoutTimeout = { timeout: maxTimerMs } as const;

export interface ClientOptions {
  readonly clock: Clock;
  readonly limits: McpLimits;
  readonly start: Start;
  /** Absolute folders that the server receives as its roots. Empty: it receives none. */
  readonly roots: readonly string[];
  /** Called when the server says that its tools have changed. */
  onToolsChanged(): void;
}

/**
 * Starts a session. Rejects with an `McpFailure` when nothing of the transport is left; with `StartRefused` if the server was there, and did
 * not follow this start.
 */
export async function connectClient(transport: ServerTransport, options: ClientOptions): Promise<Client> {
  const { clock, limits, start } = options;
  const client = createClient(options);
  const overdue = { kind: 'lost', message: `did not respond to ${start} within ${limits.startMs} ms` } as const;
  const disarm = clock.after(limits.startMs, () => transport.shutDown(overdue, 'now'));
  try {
    await client.connect(transport, withoutTimeout);
    return client;
  } catch (error) {
    const { message } = sdkFailure(error);
    const { state } = transport;
    transport.shutDown({ kind: 'lost', message }, 'now');
    const end = await transport.ended;
    // the SDK closes a transport that it could not connect: then its error explains more
    if (state.phase === 'open' || state.reason.kind === 'closed') throw new StartRefused(message, { cause: error });
    const isIgnored = state.reason === overdue && start === 'discover';
    if (state.reason.kind === 'protocol' || isIgnored) throw new StartRefused(end.message, { cause: error });
    throw new McpFailure(end.message, { code: 'mcp_unavailable', cause: error });
  } finally {
    disarm();
  }
}

function createClient({ start, roots, onToolsChanged }: ClientOptions): Client {
  const client = new Client(product, {
    versionNegotiation: { mode: modes[start] },
    capabilities: { elicitation: { form: {} }, ...(roots.length > 0 && { roots: {} }) },
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => onToolsChanged() } },
  });
  if (roots.length > 0) {
    const listed = roots.map((root) => ({ uri: pathToFileURL(root).href, name: basename(root) }));
    client.setRequestHandler('roots/list', () => ({ roots: listed }));
  }
  return client;
}

/** Resolves with at least `maxTools` tools if the server has more. Rejects with what the SDK throws. */
export async function listTools(client: Client, maxTools: number): Promise<readonly ListedTool[]> {
  const tools: ListedTool[] = [];
  if (!client.getServerCapabilities()?.tools) return tools;
  let cursor: string | undefined;
  do {
    const params = cursor === undefined ? {} : { cursor };
    const page = await client.request({ method: 'tools/list', params }, withoutTimeout);
    tools.push(...page.tools);
    cursor = page.tools.length === 0 ? undefined : page.nextCursor;
  } while (cursor !== undefined && tools.length <= maxTools);
  return tools;
}

/** The cause of an error of the SDK, while the transport is open. */
export function sdkFailure(error: unknown): McpFailure {
  if (error instanceof McpFailure) return error;
  if (error instanceof SdkError && error.cause instanceof McpFailure) return error.cause;
  const message = errorText(error).slice(0, maxMessageChars);
  if (!(error instanceof ProtocolError))
    return new McpFailure(`sent an invalid response: ${message.replaceAll(/\s+/g, ' ')}`, { code: 'mcp_protocol' });
  const sentence = error.code === tooLongCode ? message : `responded with an error: ${message}`;
  return new McpFailure(sentence, { code: 'mcp_failed' });
}
