// Reads the body of an HTTP response.
import type { IncomingMessage } from 'node:http';

/** True where the body is a stream of server-sent events. */
export const isEventStream = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() === 'text/event-stream';

/** Resolves with the text; null where it is longer than `maxBytes`, which closes the connection. Rejects where the connection breaks. */
export async function readBody(response: IncomingMessage, maxBytes: number): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += chunk.length;
    if (size > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
