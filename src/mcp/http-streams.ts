// Reads the event streams of a server at an address, and resumes those that break.
import type { IncomingMessage } from 'node:http';
import { pause } from '../sources/pause.ts';
import type { Clock } from '../sources/sources.ts';
import { isEventStream } from './http-body.ts';
import type { HttpEndpoint } from './http-endpoint.ts';
import { McpFailure } from './mcp-failure.ts';
import { ServerSentEvents } from './server-sent-events.ts';

/** How often a stream is resumed before another event comes on it. */
const maxResumes = 3;
/** The pause before a resumption, if the server asks for none. */
const resumeMs = 1_000;
const maxResumeMs = 30_000;

export interface HttpStreamsOptions {
  readonly endpoint: HttpEndpoint;
  readonly clock: Clock;
  readonly maxFrameBytes: number;
  onData(data: string): void;
  onViolation(message: string): void;
}

/** The response to one request, as far as its streams matter. */
export interface StreamedResponse {
  /** Closes the streams. */
  readonly signal: AbortSignal;
  /** False: the response has come, or nobody waits for it. */
  isWanted(): boolean;
  /** False: a stream that breaks is not resumed. */
  isResumable(): boolean;
}

export class HttpStreams {
  readonly #options: HttpStreamsOptions;

  constructor(options: HttpStreamsOptions) {
    this.#options = options;
  }

  /** Reads `first` and the streams that resume it until the response has come. Rejects with an `McpFailure` if it will not come. */
  async readResponse(first: IncomingMessage, response: StreamedResponse): Promise<void> {
    const { endpoint, clock } = this.#options;
    const { signal } = response;
    const attempts = { left: maxResumes };
    const events = this.#openEvents(attempts);
    for (let stream = first; ; stream = await endpoint.get(events.lastEventId, signal).catch(throwLost)) {
      await readStream(stream, events, () => response.isWanted());
      // the end of a stream is no response: a server may close one at any time, and send the rest on the next
      if (!response.isResumable()) return;
      if (events.lastEventId === null || attempts.left === 0)
        throw new McpFailure('ended the stream of the call without its response', { code: 'mcp_lost' });
      attempts.left--;
      await pause(clock, Math.min(events.retryMs ?? resumeMs, maxResumeMs), signal);
      if (!response.isResumable()) return;
    }
  }

  /**
   * Reads the stream of messages that no request has caused, until it is gone. A server may have none, and nothing depends on it: that a
   * session is lost, the next request finds out.
   */
  async readNotifications(signal: AbortSignal): Promise<void> {
    const { endpoint, clock } = this.#options;
    const attempts = { left: maxResumes };
    const events = this.#openEvents(attempts);
    for (; attempts.left > 0 && !signal.aborted; attempts.left--) {
      const stream = await endpoint.get(events.lastEventId, signal).catch(() => null);
      if (!stream || !isEventStream(stream)) return void stream?.destroy();
      await readStream(stream, events, () => !signal.aborted);
      const backoffMs = resumeMs * 2 ** (maxResumes - attempts.left);
      await pause(clock, Math.min(events.retryMs ?? backoffMs, maxResumeMs), signal);
    }
  }

  /** Each event restores the attempts. */
  #openEvents(attempts: { left: number }): ServerSentEvents {
    const { maxFrameBytes, onData, onViolation } = this.#options;
    return new ServerSentEvents({
      maxFrameBytes,
      onViolation,
      onData(data) {
        attempts.left = maxResumes;
        onData(data);
      },
    });
  }
}

/** The server has received the call by now, whatever becomes of its streams. */
function throwLost(error: McpFailure): never {
  throw new McpFailure(error.message, { code: 'mcp_lost', cause: error });
}

/** Reads a stream until it ends or breaks; closes it if no more of it is wanted. */
async function readStream(stream: IncomingMessage, events: ServerSentEvents, isWanted: () => boolean): Promise<void> {
  try {
    for await (const chunk of stream) {
      events.push(chunk);
      if (!isWanted()) return;
    }
  } catch {
    // it broke: the same as an end
  }
}
