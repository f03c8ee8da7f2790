// One session with a server, and what becomes of its calls. The SDK speaks the protocol.
//
// 1. A call that is stopped is told to the server (`notifications/cancelled`, by its request's id). No answer is owed to it then, so that
//    silence proves nothing: it has ended when an answer came after all, or when nothing of the session is left. A server that is
//    trusted is believed at once.
// 2. While a stopped call is in its grace nothing new begins here. Past it nothing ever does: the session ends with its last live call,
//    at once where there is none, and its stopped calls with it. Until then they are pending, which their stop budget calls abandoned.
// 3. A session that ends takes its live calls along, and nothing else.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  type CallToolResult,
  CallToolResultSchema,
  type Tool as ListedTool,
  ListToolsResultSchema,
  McpError,
  type Progress,
} from '@modelcontextprotocol/sdk/types.js';
import type { Clock } from '../sources/sources.ts';
import { type McpLimits, maxTimerMs } from './mcp-limits.ts';
import { failureOf, McpFailure, Unheard, type Wire } from './transport.ts';

export interface CallRequest {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

export interface CallWatch {
  readonly signal: AbortSignal;
  /** Skips every grace. */
  readonly hurry: AbortSignal;
  /** Not after the signal. */
  onProgress(progress: Progress): void;
}

export type CallEnd =
  | { readonly kind: 'answered'; readonly result: CallToolResult }
  /** Nothing of it is left here. `seen`: nor on the side of the server, for all that can be known. */
  | { readonly kind: 'stopped'; readonly forced: boolean; readonly seen: boolean }
  | { readonly kind: 'failed'; readonly failure: McpFailure }
  /** No session had it: it may be made again. */
  | { readonly kind: 'unheard' };

export interface Connection {
  readonly wire: Wire;
  list(): Promise<readonly ListedTool[]>;
  /** False: nothing begins here any more. Waits where that is being decided. */
  isUsable(): Promise<boolean>;
  call(request: CallRequest, watch: CallWatch): Promise<CallEnd>;
  close(): void;
}

export interface ConnectionOptions {
  readonly clock: Clock;
  readonly limits: McpLimits;
  readonly isTrusted: boolean;
}

const clientInfo = { name: 'belay', version: '0.1.0' };
const maxMessageChars = 500;
/** Our own clock bounds what the SDK would bound by the real one. */
const timeout = maxTimerMs;

/** Introduces itself. Throws an `McpFailure`, when nothing of the wire is left. */
export async function openConnection(wire: Wire, options: ConnectionOptions): Promise<Connection> {
  const { clock, limits } = options;
  const client = new Client(clientInfo);
  const overdue = { kind: 'lost', message: `did not introduce itself within ${limits.startMs} ms` } as const;
  const disarm = clock.after(limits.startMs, () => wire.end(overdue, 'now'));
  try {
    await client.connect(wire, { timeout });
    return createConnection(client, wire, options);
  } catch (error) {
    const { message } = failureIn(error);
    wire.end({ kind: 'lost', message }, 'now');
    const end = await wire.ended;
    const why = end.kind === 'closed' ? message : end.message; // the SDK closes what it could not connect
    throw new McpFailure(why, { code: 'mcp_unavailable', cause: error });
  } finally {
    disarm();
  }
}

/** What an error of the SDK says. */
function failureIn(error: unknown): McpFailure {
  if (error instanceof McpFailure) return error;
  const message = (error instanceof Error ? error.message : String(error)).slice(0, maxMessageChars);
  if (error instanceof McpError) return new McpFailure(`answered with an error: ${message}`, { code: 'mcp_failed' });
  return new McpFailure(`sent an answer that is none: ${message.replaceAll(/\s+/g, ' ')}`, { code: 'mcp_protocol' });
}

function createConnection(client: Client, wire: Wire, { clock, limits, isTrusted }: ConnectionOptions): Connection {
  let state: 'open' | 'draining' | 'ending' = 'open';
  const live = new Set<number>();
  /** By the id of the request: its answer, and whether it is to be stopped without grace. */
  const stopped = new Map<number, { readonly answered: () => void; readonly hurry: AbortSignal }>();
  let decided = Promise.withResolvers<void>();

  wire.onanswer = (id) => {
    live.delete(Number(id)); // from here on there is nothing to cancel
    stopped.get(Number(id))?.answered();
  };
  void wire.ended.then(() => change('ending'));

  const isOpen = () => state === 'open' && !wire.reason;
  function change(to: typeof state = state): void {
    state = to;
    decided.resolve();
    decided = Promise.withResolvers();
  }
  /** Ends the session if there is nothing against it. */
  function press(): void {
    if (state === 'open' || live.size > 0) return;
    if (state === 'draining') {
      change('ending');
      wire.end({ kind: 'closed', message: 'was closed, because a call on it had not stopped' }, 'now');
    }
    if ([...stopped.values()].some(({ hurry }) => hurry.aborted)) wire.kill();
  }

  async function failed(error: unknown): Promise<CallEnd> {
    if (error instanceof Unheard) return { kind: 'unheard' };
    if (error instanceof McpFailure) return { kind: 'failed', failure: error };
    if (!wire.reason) return { kind: 'failed', failure: failureIn(error) };
    return { kind: 'failed', failure: failureOf(await wire.ended) };
  }

  /** Why a call is not sent at all: nobody else's is to suffer from a large one. */
  function unsendable(request: CallRequest): McpFailure | null {
    const { maxFrameBytes } = limits;
    if (Buffer.byteLength(JSON.stringify(request.arguments)) > maxFrameBytes)
      return new McpFailure(`is not sent arguments of more than ${maxFrameBytes} bytes`, { code: 'too_large' });
    if (wire.unreadBytes > maxFrameBytes)
      return new McpFailure('has not read yet what it was sent before', { code: 'mcp_unavailable' });
    return null;
  }

  /** In the tick of the signal the server is told, and nothing more begins here. */
  async function stop(id: number, stopper: AbortController, hurry: AbortSignal): Promise<CallEnd> {
    stopper.abort('the call was stopped');
    if (isTrusted) {
      wire.leave(id);
      press();
      return { kind: 'stopped', forced: false, seen: true };
    }
    const answer = Promise.withResolvers<null>();
    stopped.set(id, { answered: () => answer.resolve(null), hurry });
    const overdue = () => {
      if (state === 'open') change('draining');
      press();
    };
    const disarm = clock.after(limits.cancelGraceMs, overdue);
    hurry.addEventListener('abort', overdue);
    if (hurry.aborted) overdue();
    press();
    const end = await Promise.race([answer.promise, wire.ended]);
    disarm();
    hurry.removeEventListener('abort', overdue);
    stopped.delete(id);
    wire.leave(id);
    change();
    return { kind: 'stopped', forced: end?.forced ?? false, seen: end === null || wire.process !== null };
  }

  return {
    wire,

    async list() {
      const tools: ListedTool[] = [];
      const overdue = { kind: 'lost', message: `did not list its tools within ${limits.startMs} ms` } as const;
      const disarm = clock.after(limits.startMs, () => wire.end(overdue, 'now'));
      try {
        if (!client.getServerCapabilities()?.tools) return [];
        for (let cursor: string | undefined; ; ) {
          const params = cursor === undefined ? {} : { cursor };
          const page = await client.request({ method: 'tools/list', params }, ListToolsResultSchema, { timeout });
          tools.push(...page.tools);
          cursor = page.nextCursor;
          if (cursor === undefined || page.tools.length === 0 || tools.length > limits.maxTools) return tools;
        }
      } catch (error) {
        const end = await failed(error);
        throw end.kind === 'failed' ? end.failure : new Unheard();
      } finally {
        disarm();
      }
    },

    async isUsable() {
      while (isOpen() && stopped.size > 0) await decided.promise;
      if (state === 'ending' || wire.reason) await wire.ended;
      return isOpen();
    },

    async call(request, { signal, hurry, onProgress }) {
      if (signal.aborted) return { kind: 'stopped', forced: false, seen: true };
      if (!isOpen() || stopped.size > 0) return { kind: 'unheard' };
      const failure = unsendable(request);
      if (failure) return { kind: 'failed', failure };
      const before = wire.newestId;
      const stopper = new AbortController();
      const asked = client.request({ method: 'tools/call', params: { ...request } }, CallToolResultSchema, {
        // not the call's own: the SDK never takes its listener from it, and would cancel by it what has long been answered
        signal: stopper.signal,
        onprogress: (progress) => (signal.aborted ? undefined : onProgress(progress)),
        timeout,
      });
      const id = wire.newestId;
      if (id !== before) live.add(id); // else it could not be sent
      let onAbort = () => {};
      const ended = new Promise<CallEnd>((resolve) => {
        onAbort = () => {
          if (live.delete(id)) resolve(stop(id, stopper, hurry));
        };
        asked.then(
          (result) => resolve({ kind: 'answered', result }),
          (error) => resolve(failed(error)),
        );
      });
      signal.addEventListener('abort', onAbort);
      try {
        return await ended;
      } finally {
        signal.removeEventListener('abort', onAbort);
        live.delete(id);
        press();
      }
    },

    close() {
      change('ending');
      wire.end({ kind: 'closed', message: 'was closed' }, 'kindly');
    },
  };
}
