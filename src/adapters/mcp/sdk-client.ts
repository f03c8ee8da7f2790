// Connects the SDK's client, which speaks the protocol, and reads the tools of its server.
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  Client,
  type Tool as ListedTool,
  ProtocolError,
  ProtocolErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client';
import type { Clock } from '../../core/sources/sources.ts';
import { errorText } from '../../core/text/error-text.ts';
import { tooLongCode } from './incoming-messages.ts';
import { McpFailure, RevisionRefused } from './mcp-failure.ts';
import { type McpLimits, maxTimerMs } from './mcp-limits.ts';
import type { ServerTransport } from './server-transport.ts';

const clientInfo = { name: 'belay', version: '0.1.0' };
const maxMessageChars = 500;

/** The revisions that start with `initialize`, up to 2025-11-25, or those that have no such start. */
export type Era = 'initialized' | 'stateless';
const statelessRevision = '2026-07-28';

/** For every request of the SDK: the timeouts are ours, by the injected clock. */
export const withoutTimeout = { timeout: maxTimerMs } as const;

export interface ClientOptions {
  readonly clock: Clock;
  readonly limits: McpLimits;
  readonly era: Era;
  /** Absolute folders that the server is told to work in. Empty: it is not told that there are any. */
  readonly roots: readonly string[];
  /** Called when the server says that its tools have changed. */
  onToolsChanged(): void;
}

/**
 * Sends `initialize`, or its successor. Rejects with an `McpFailure` when nothing of the transport is left; with `RevisionRefused` if the
 * server knows no `initialize`.
 */
export async function connectClient(transport: ServerTransport, options: ClientOptions): Promise<Client> {
  const { clock, limits, era } = options;
  const client = createClient(options);
  const overdue = { kind: 'lost', message: `did not respond to initialize within ${limits.startMs} ms` } as const;
  const disarm = clock.after(limits.startMs, () => transport.shutDown(overdue, 'now'));
  try {
    await client.connect(transport, withoutTimeout);
    return client;
  } catch (error) {
    const { message } = sdkFailure(error);
    transport.shutDown({ kind: 'lost', message }, 'now');
    const end = await transport.ended;
    if (era === 'initialized' && refusesInitialize(error)) throw new RevisionRefused(message, { cause: error });
    // the SDK closes a transport that it could not connect: then its error explains more
    throw new McpFailure(end.kind === 'closed' ? message : end.message, { code: 'mcp_unavailable', cause: error });
  } finally {
    disarm();
  }
}

function createClient({ era, roots, onToolsChanged }: ClientOptions): Client {
  const client = new Client(clientInfo, {
    versionNegotiation: { mode: era === 'stateless' ? { pin: statelessRevision } : 'legacy' },
    capabilities: { elicitation: { form: {} }, ...(roots.length > 0 && { roots: {} }) },
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => onToolsChanged() } },
  });
  if (roots.length > 0) {
    const listed = roots.map((root) => ({ uri: pathToFileURL(root).href, name: basename(root) }));
    client.setRequestHandler('roots/list', () => ({ roots: listed }));
  }
  return client;
}

/** Whether the server knows no `initialize`, or none of its revisions. Over HTTP it says so in the body of a 400. */
function refusesInitialize(error: unknown): boolean {
  if (error instanceof ProtocolError) return refusalCodes.includes(error.code);
  if (!(error instanceof McpFailure)) return false;
  const { cause } = error;
  return (
    cause instanceof SdkHttpError && refusalCodes.some((code) => String(cause.data['text']).includes(String(code)))
  );
}

const refusalCodes: readonly number[] = [
  ProtocolErrorCode.UnsupportedProtocolVersion,
  ProtocolErrorCode.MethodNotFound,
];

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

/** The failure behind an error of the SDK, while the transport is open. */
export function sdkFailure(error: unknown): McpFailure {
  if (error instanceof McpFailure) return error;
  const message = errorText(error).slice(0, maxMessageChars);
  if (!(error instanceof ProtocolError))
    return new McpFailure(`sent an invalid response: ${message.replaceAll(/\s+/g, ' ')}`, { code: 'mcp_protocol' });
  const sentence = error.code === tooLongCode ? message : `responded with an error: ${message}`;
  return new McpFailure(sentence, { code: 'mcp_failed' });
}
