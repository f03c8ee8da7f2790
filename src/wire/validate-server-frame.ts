// Checks what a server has sent against the schemas of belay.v1: for clients in development, and for tests.
import { describeIssue, issueLine } from '../core/text/schema-issue.ts';
import { serverSchemas } from './server-frames.ts';

/**
 * Validates a frame of a server, parsed from its JSON. Fields and types that this version does not know pass, as docs/protocol.md asks of
 * every client. Returns a sentence that names the first field that is wrong; null when the frame is good.
 */
export function validateServerFrame(frame: unknown): string | null {
  if (typeof frame !== 'object' || frame === null || !('type' in frame) || typeof frame.type !== 'string')
    return 'A frame is one JSON object with a "type".';
  const schema = serverSchemas.get(frame.type);
  const issues = schema?.safeParse(frame).error?.issues.filter(({ code }) => code !== 'unrecognized_keys') ?? [];
  if (schema && issues.length > 0) {
    const line = issueLine(describeIssue(schema, frame, issues));
    return `The server has sent a frame "${frame.type}" that is not of belay.v1: ${line}.`;
  }
  return null;
}
