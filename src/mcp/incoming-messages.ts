// Checks the messages of a server before they are handled. A violation of MCP costs the server its connection.
//
// 1. Each request has one response. A response to a request that has its own already, or that was forgotten, is dropped.
// 2. A response to a request that was never made is a violation: the request that it was meant for would wait in vain.
// 3. Messages that no request has caused are limited in their rate.
import { type JSONRPCMessage, JSONRPCMessageSchema, type RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { Clock } from '../sources/sources.ts';
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

const excerpt = (text: string) => (text.length > maxExcerptChars ? `${text.slice(0, maxExcerptChars)}…` : text);

export class IncomingMessages {
  readonly #options: IncomingMessagesOptions;
  readonly #waiting = new Set<number>();
  #newestId = -1;
  #windowStart: number;
  #uncausedCount = 0;

  constructor(options: IncomingMessagesOptions) {
    this.#options = options;
    this.#windowStart = options.clock.now();
  }

  /** The id of the newest request; -1: none. */
  get newestId(): number {
    return this.#newestId;
  }

  /** Notes a message that is being sent. The SDK numbers its requests from 0. */
  noteSent(message: JSONRPCMessage): void {
    if (!('method' in message && 'id' in message)) return;
    this.#newestId = Number(message.id);
    this.#waiting.add(this.#newestId);
  }

  /** Handles one message of the server. */
  receive(text: string): void {
    const { onMessage, onResponse, onViolation } = this.#options;
    const message = parseMessage(text);
    if (!message) return onViolation(`sent something that is no message of MCP: ${excerpt(text)}`);
    if ('method' in message) return this.#receiveUncaused(message);
    const { id } = message;
    if (typeof id !== 'number' || id < 0 || id > this.#newestId)
      return onViolation(`responded to a request that was never made: ${excerpt(text)}`);
    if (!this.#waiting.delete(id)) return this.#receiveUncaused(null);
    onResponse(id, message);
    onMessage(message);
  }

  /** True until the request has its response or is forgotten. */
  isWaiting(id: number): boolean {
    return this.#waiting.has(id);
  }

  forgetRequest(id: number): void {
    this.#waiting.delete(id);
  }

  /** Null: a response that is dropped, and counts. */
  #receiveUncaused(message: JSONRPCMessage | null): void {
    const { clock, limits, onMessage, onViolation } = this.#options;
    const now = clock.now();
    if (now - this.#windowStart >= windowMs) {
      this.#windowStart = now;
      this.#uncausedCount = 0;
    }
    this.#uncausedCount++;
    if (this.#uncausedCount > limits.maxFramesPerSecond)
      onViolation(`sent more than ${limits.maxFramesPerSecond} unrequested messages in a second`);
    else if (message) onMessage(message);
  }
}

function parseMessage(text: string): JSONRPCMessage | null {
  try {
    return JSONRPCMessageSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null; // no JSON
  }
}
