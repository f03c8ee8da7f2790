// What a server says, judged before anybody hears it. What MCP does not allow is a violation, which costs the server its connection.
//
// 1. Each request has one answer. What comes for a request that has its answer, or that nobody waits for, is left out.
// 2. An answer to a request that was never made is a violation: the one that it was meant for would wait in vain.
// 3. What nobody has asked for may come only so often.
import { type JSONRPCMessage, JSONRPCMessageSchema, type RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { Clock } from '../sources/sources.ts';
import type { McpLimits } from './mcp-limits.ts';

export interface IntakeOptions {
  readonly clock: Clock;
  readonly limits: McpLimits;
  onMessage(message: JSONRPCMessage): void;
  /** Before the message itself. */
  onAnswer(id: RequestId): void;
  onViolation(message: string): void;
}

const maxExcerptChars = 80;
const excerpt = (text: string) => (text.length > maxExcerptChars ? `${text.slice(0, maxExcerptChars)}…` : text);

function read(text: string): JSONRPCMessage | null {
  try {
    return JSONRPCMessageSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null; // no JSON
  }
}

export function createIntake({ clock, limits, onMessage, onAnswer, onViolation }: IntakeOptions) {
  const waiting = new Set<number>();
  let newestId = -1;
  let second = clock.now();
  let unasked = 0;

  const isFlood = () => {
    const now = clock.now();
    if (now - second >= 1_000) {
      second = now;
      unasked = 0;
    }
    unasked++;
    return unasked > limits.maxFramesPerSecond;
  };
  const takeUnasked = (message: JSONRPCMessage | null) => {
    if (isFlood())
      onViolation(`sent more than ${limits.maxFramesPerSecond} messages in a second that nobody asked for`);
    else if (message) onMessage(message);
  };

  return {
    /** To be told of each message that is sent. The SDK numbers its requests from 0. */
    sent(message: JSONRPCMessage): void {
      if (!('method' in message && 'id' in message)) return;
      newestId = Number(message.id);
      waiting.add(newestId);
    },
    /** One message, as text. */
    take(text: string): void {
      const message = read(text);
      if (!message) return onViolation(`sent something that is no message of MCP: ${excerpt(text)}`);
      if ('method' in message) return takeUnasked(message);
      const { id } = message;
      if (typeof id !== 'number' || id < 0 || id > newestId) {
        return onViolation(`answered a request that was never made: ${excerpt(text)}`);
      }
      if (!waiting.delete(id)) return takeUnasked(null);
      onAnswer(id);
      onMessage(message);
    },
    isWaiting: (id: number): boolean => waiting.has(id),
    forget: (id: number): boolean => waiting.delete(id),
    get newestId() {
      return newestId;
    },
  };
}
