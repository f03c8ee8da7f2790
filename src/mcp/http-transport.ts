// A server at an address: streamable HTTP. In place of the SDK's transport, which does not tell when a stream has ended without its
// answer, cannot close the stream of one request, and has no bounds.
//
// 1. `send` of a request ends with its answer, or with the reason why none will come.
// 2. A stream that breaks is resumed where the server has numbered its events, until the call is cancelled.
// 3. By the revisions that the SDK negotiates (up to 2025-11-25) closing a stream cancels nothing: `notifications/cancelled` does, so it
//    is sent first. The stream is closed when nobody waits for it any more.
import type { IncomingMessage } from 'node:http';
import { isInitializedNotification, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { pause } from '../sources/pause.ts';
import type { Clock } from '../sources/sources.ts';
import { createEndpoint, isEventStream, networkFailure, readBody } from './http-requests.ts';
import { createIntake } from './incoming-messages.ts';
import type { McpLimits } from './mcp-limits.ts';
import type { HttpServer } from './server-config.ts';
import { createServerEvents, type ServerEvents } from './sse.ts';
import { failureOf, McpFailure, type Reason, Unheard, type Wire, type WireEnd } from './transport.ts';

/** How often a stream that breaks is resumed before something comes on it again. */
const maxResumes = 3;
/** Before that, where the server asks for nothing else. */
const resumeMs = 1_000;
const maxResumeMs = 30_000;

/** Reads a stream to its end, or until nobody wants more of it, which closes it. */
async function read(stream: IncomingMessage, events: ServerEvents, isWanted: () => boolean): Promise<void> {
  try {
    for await (const chunk of stream) {
      events.push(chunk);
      if (!isWanted()) return;
    }
  } catch {
    // it broke, which is an end of it too
  }
}

/** Throws a TypeError for a URL that is none. */
export function openHttp(server: HttpServer, { clock, limits }: { readonly clock: Clock; readonly limits: McpLimits }) {
  const endpoint = createEndpoint(server);
  /** What is under way: requests by their id. */
  const open = new Map<number | object, AbortController>();
  const cancelled = new Set<number>();
  const hurry = new AbortController();
  const over = Promise.withResolvers<WireEnd>();
  let reason: Reason | null = null;

  const onViolation = (message: string) => end({ kind: 'protocol', message });
  const intake = createIntake({
    clock,
    limits,
    onMessage: (message) => wire.onmessage?.(message),
    onAnswer: (id) => wire.onanswer?.(id),
    onViolation,
  });
  const eventsOf = (onSomething: () => void) =>
    createServerEvents({
      maxFrameBytes: limits.maxFrameBytes,
      onViolation,
      onData(data) {
        onSomething();
        intake.take(data);
      },
    });

  /** The server has the call by now, whatever is said of its stream. */
  const resumed = (after: string | null, signal: AbortSignal) =>
    endpoint.get(after, signal).catch((error: McpFailure) => {
      throw new McpFailure(error.message, { code: 'mcp_lost', cause: error });
    });

  /** The events of one request, over as many streams as it takes. */
  async function follow(id: number, first: IncomingMessage, signal: AbortSignal): Promise<void> {
    const isWanted = () => intake.isWaiting(id) && !signal.aborted;
    const isOver = () => !isWanted() || cancelled.has(id);
    let tries = 0;
    const events = eventsOf(() => {
      tries = 0;
    });
    for (let stream = first; ; stream = await resumed(events.lastEventId, signal)) {
      await read(stream, events, isWanted);
      // no end of a stream is an answer: a server may close one at any time, and be asked for the rest later
      if (isOver()) return;
      if (events.lastEventId === null || tries === maxResumes)
        throw new McpFailure('ended the stream of the call without an answer', { code: 'mcp_lost' });
      tries++;
      await pause(clock, Math.min(events.retryMs ?? resumeMs, maxResumeMs), signal);
      if (isOver()) return;
    }
  }

  async function ask(message: JSONRPCMessage, id: number, signal: AbortSignal): Promise<void> {
    const response = await endpoint.post(message, signal);
    if (isEventStream(response)) return follow(id, response, signal);
    const body = await readBody(response, limits.maxFrameBytes);
    if (body === null) return onViolation(`sent a message of more than ${limits.maxFrameBytes} bytes`);
    intake.take(body);
    if (intake.isWaiting(id)) throw new McpFailure('did not answer what it was asked', { code: 'mcp_protocol' });
  }

  /**
   * What the server says on its own account. It need not have such a stream, and nothing depends on it: that a session is lost, the
   * next request finds out.
   */
  async function listen(signal: AbortSignal): Promise<void> {
    let tries = 0;
    const events = eventsOf(() => {
      tries = 0;
    });
    for (; tries < maxResumes && !signal.aborted; tries++) {
      const stream = await endpoint.get(events.lastEventId, signal).catch(() => null);
      if (!stream || !isEventStream(stream)) return void stream?.destroy();
      await read(stream, events, () => !signal.aborted);
      await pause(clock, Math.min(events.retryMs ?? resumeMs * 2 ** tries, maxResumeMs), signal);
    }
  }

  async function tell(message: JSONRPCMessage, signal: AbortSignal): Promise<void> {
    (await endpoint.post(message, signal)).destroy();
    if (isInitializedNotification(message)) during({}, listen).catch(() => {});
  }

  /** Rejects with an `McpFailure`, unless nobody waits any more. */
  async function during(key: number | object, work: (signal: AbortSignal) => Promise<void>, maxMs = 0): Promise<void> {
    const leaving = new AbortController();
    open.set(key, leaving);
    const disarm = maxMs > 0 ? clock.after(maxMs, () => leaving.abort()) : () => {};
    try {
      await work(leaving.signal);
    } catch (error) {
      if (leaving.signal.aborted) return;
      const failure = networkFailure(error);
      const isGone = failure instanceof Unheard || failure.code === 'mcp_unavailable';
      if (isGone) end({ kind: 'lost', message: failure.message }); // a session with it is over
      throw failure;
    } finally {
      disarm();
      open.delete(key);
    }
  }

  function end(why: Reason): void {
    if (reason) return;
    reason = why;
    for (const leaving of open.values()) leaving.abort();
    void leave(why);
  }

  async function leave(why: Reason): Promise<void> {
    const disarm = clock.after(limits.closeMs, () => hurry.abort());
    await endpoint.end(hurry.signal).catch(() => {}); // many have no way to end one
    disarm();
    wire.onclose?.();
    over.resolve({ ...why, forced: false });
  }

  const wire: Wire = {
    get newestId() {
      return intake.newestId;
    },
    get reason() {
      return reason;
    },
    unreadBytes: 0,
    process: null,
    ended: over.promise,
    end,
    kill: () => hurry.abort(),
    leave(id) {
      intake.forget(Number(id));
      cancelled.delete(Number(id));
      open.get(Number(id))?.abort();
    },
    onanswer: undefined,
    start: async () => {},
    async send(message) {
      if (reason) throw failureOf(reason);
      intake.sent(message);
      if ('method' in message && 'id' in message) {
        const id = Number(message.id);
        return during(id, (signal) => ask(message, id, signal));
      }
      if ('method' in message && message.method === 'notifications/cancelled')
        cancelled.add(Number(message.params?.['requestId']));
      return during({}, (signal) => tell(message, signal), limits.startMs);
    },
    close: async () => end({ kind: 'closed', message: 'was closed' }),
    setProtocolVersion: (revision) => endpoint.setRevision(revision),
  };
  return wire;
}
