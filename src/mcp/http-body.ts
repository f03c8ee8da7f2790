// Reads the body of an HTTP response up to a limit, and recognizes a stream of server-sent events.
import type { IncomingMessage } from 'node:http';

/** Returns whether the body is a stream of server-sent events. */
export const isEventStream = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() === 'text/event-stream';

/** Resolves with the text, or with null if it is longer than `maxBytes`: the connection is then closed. Rejects if the connection breaks. */
export async function readBodyUpTo(response: IncomingMessage, maxBytes: number): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += chunk.length;
    if (size > maxBytes) return null; // leaving the loop destroys the response and its socket
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
