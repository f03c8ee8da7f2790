// Checks the messages of a server before they are handled. A violation of MCP costs the server its connection.
//
// 1. Each request has one response. A response to a request that has its own already, or that was forgotten, is dropped.
// 2. A response to a request that was never made is a violation: the request that it was meant for would wait in vain.
// 3. A response that is too long fails its request, and nothing else, if its start or its end names the request.
// 4. Progress of a request that is in flight is dropped above a rate. More of it, or more other messages that no request has caused, is a
//    violation.
import {
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  parseJSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/client';
import { msBetween } from '../../core/sources/monotonic-time.ts';
import type { Clock, MonotonicTime } from '../../core/sources/sources.ts';
import type { LongLine } from '../../core/text/line-reader.ts';
import type { McpLimits } from './mcp-limits.ts';

export interface IncomingMessagesOptions {
  readonly clock: Clock;
  readonly limits: McpLimits;
  onMessage(message: JSONRPCMessage): void;
  /** Called before `onMessage` with the response itself. */
  onResponse(id: RequestId, response: JSONRPCMessage): void;
  onViolation(message: string): void;
}

const maxExcerptChars = 80;
const windowMs = 1_000;
/** Progress may come this many times as often as other messages before it is a violation. */
const maxProgressFactor = 20;

/** The code of the error that stands for a response that was too long; no server sends it. */
export const tooLongCode = -31_999;

const excerpt = (text: string) => (text.length > maxExcerptChars ? `${text.slice(0, maxExcerptChars)}…` : text);

export class IncomingMessages {
  readonly #options: IncomingMessagesOptions;
  readonly #waiting = new Set<RequestId>();
  #newestId = -1;
  /** Ids that are no numbers: those of the few requests that the SDK makes beside the calls. */
  readonly #textIds = new Set<RequestId>();
  #windowStart: MonotonicTime;
  #uncausedCount = 0;
  #progressCount = 0;

  constructor(options: IncomingMessagesOptions) {
    this.#options = options;
    this.#windowStart = options.clock.elapsed();
  }

  /** Notes a message that is being sent. The SDK numbers its requests from 0. */
  noteSent(message: JSONRPCMessage): void {
    if (!('method' in message && 'id' in message)) return;
    const { id } = message;
    if (typeof id === 'number') this.#newestId = Math.max(this.#newestId, id);
    else this.#textIds.add(id);
    this.#waiting.add(id);
  }

  /** Handles one message of the server. */
  receiveText(text: string): void {
    const message = parseMessage(text);
    if (message) this.receive(message);
    else this.#options.onViolation(`sent something that is no message of MCP: ${excerpt(text)}`);
  }

  receive(message: JSONRPCMessage): void {
    const { onMessage, onResponse, onViolation } = this.#options;
    if ('method' in message)
      return this.#isProgress(message) ? this.#receiveProgress(message) : this.#receiveUncaused(message);
    const { id } = message;
    if (id === undefined || !this.#wasSent(id))
      return onViolation(`responded to a request that was never made: ${excerpt(JSON.stringify(message))}`);
    if (!this.#waiting.delete(id)) return this.#receiveUncaused(null);
    onResponse(id, message);
    onMessage(message);
  }

  /** Handles a message that was too long to be read. */
  receiveLong({ bytes, start, end }: LongLine): void {
    const { limits, onResponse, onMessage, onViolation } = this.#options;
    const message = `sent a message of ${bytes} bytes; the limit is ${limits.maxFrameBytes} bytes`;
    const id = idOfResponse(start, end);
    if (id === null) return onViolation(message);
    if (!this.#waiting.delete(id)) return this.#receiveUncaused(null);
    const response = { jsonrpc: '2.0', id, error: { code: tooLongCode, message } } as const;
    onResponse(id, response);
    onMessage(response);
  }

  /** Whether the request has neither its response yet nor is forgotten. */
  isWaiting(id: RequestId): boolean {
    return this.#waiting.has(id);
  }

  forgetRequest(id: RequestId): void {
    this.#waiting.delete(id);
  }

  #wasSent(id: RequestId): boolean {
    return typeof id === 'number' ? id >= 0 && id <= this.#newestId : this.#textIds.has(id);
  }

  #isProgress({ method, params }: JSONRPCRequest | JSONRPCNotification): boolean {
    return method === 'notifications/progress' && this.#waiting.has(Number(params?.['progressToken']));
  }

  #receiveProgress(message: JSONRPCMessage): void {
    const { limits, onMessage, onViolation } = this.#options;
    const { maxFramesPerSecond } = limits;
    this.#moveWindow();
    this.#progressCount++;
    if (this.#progressCount <= maxFramesPerSecond) return onMessage(message);
    const max = maxProgressFactor * maxFramesPerSecond;
    if (this.#progressCount > max) onViolation(`sent more than ${max} messages about progress in a second`);
  }

  /** Counts a message that no request has caused, and passes it on; null: a response that is dropped. */
  #receiveUncaused(message: JSONRPCMessage | null): void {
    const { limits, onMessage, onViolation } = this.#options;
    this.#moveWindow();
    this.#uncausedCount++;
    if (this.#uncausedCount > limits.maxFramesPerSecond)
      onViolation(`sent more than ${limits.maxFramesPerSecond} unrequested messages in a second`);
    else if (message) onMessage(message);
  }

  #moveWindow(): void {
    const now = this.#options.clock.elapsed();
    if (msBetween(this.#windowStart, now) < windowMs) return;
    this.#windowStart = now;
    this.#uncausedCount = 0;
    this.#progressCount = 0;
  }
}

/**
 * The id of the response that starts or ends so; null: neither names it. Only a member of the outermost object counts: what follows its
 * opening brace, or stands before its closing one.
 */
function idOfResponse(start: string, end: string): number | null {
  const id =
    /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+)\s*,/.exec(start) ??
    /,\s*"id"\s*:\s*(\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(end);
  return id === null ? null : Number(id[1]);
}

function parseMessage(text: string): JSONRPCMessage | null {
  try {
    return parseJSONRPCMessage(JSON.parse(text));
  } catch {
    return null; // no JSON, or no message
  }
}
