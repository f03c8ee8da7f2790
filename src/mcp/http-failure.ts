// Names the failures of HTTP: of the connection, and of a response that is none of success.
import type { IncomingMessage } from 'node:http';
import { readBodyUpTo } from './http-body.ts';
import { McpFailure, SessionOver } from './mcp-failure.ts';

const maxReasonBytes = 2_048;
const maxReasonChars = 300;

/** The failure of a response that is not 2xx. A 404 within a session says that the session is over. */
export async function responseFailure(response: IncomingMessage, hasSession: boolean): Promise<McpFailure> {
  const { statusCode: status = 0, headers } = response;
  const text = (await readBodyUpTo(response, maxReasonBytes).catch(() => null)) ?? '';
  if (status === 404 && hasSession) return new SessionOver();
  if (status < 400) {
    const where = headers.location === undefined ? '' : ` to ${headers.location}`;
    return new McpFailure(`responded with a redirect${where}, which is not followed`, { code: 'mcp_unavailable' });
  }
  const message = `responded with HTTP ${status}: ${text.slice(0, maxReasonChars)}`.replace(/: $/, '');
  return new McpFailure(message, { code: status === 401 || status === 403 ? 'mcp_unavailable' : 'mcp_failed' });
}

/** Codes of connections that never came about: nothing was sent. */
const unreachableCodes = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];

/** The failure of a connection; an `McpFailure` stays as it is. */
export function networkFailure(error: unknown): McpFailure {
  if (error instanceof McpFailure) return error;
  const { code, message } = error as NodeJS.ErrnoException; // node:http emits nothing else
  const reason = code ?? message;
  if (unreachableCodes.includes(reason))
    return new McpFailure(`cannot be reached (${reason})`, { code: 'mcp_unavailable', cause: error });
  return new McpFailure(`broke the connection (${reason})`, { code: 'mcp_lost', cause: error });
}
