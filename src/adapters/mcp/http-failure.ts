// Names the failures of HTTP: of the connection, of a response that is none of success, and of one that is no MCP.
import {
  InsufficientScopeError,
  SdkError,
  SdkHttpError,
  SseError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { errorText } from '../../core/text/error-text.ts';
import { visibleLine } from '../../core/text/visible-line.ts';
import { McpFailure, SessionOver } from './mcp-failure.ts';

const maxReasonChars = 300;

/** The cause of an error that the SDK's transport has thrown. A 404 within a session says that the session is over. */
export function httpFailure(error: unknown, hasSession: boolean): McpFailure {
  if (error instanceof McpFailure) return error;
  if (error instanceof SdkHttpError) return responseFailure(error, hasSession);
  if (error instanceof UnauthorizedError)
    return new McpFailure('wants a sign-in, which has not succeeded', { code: 'mcp_unavailable', cause: error });
  if (error instanceof InsufficientScopeError)
    return new McpFailure(scopeMessage(error.requiredScope), { code: 'mcp_unavailable', cause: error });
  if (error instanceof SseError) {
    const reason = error.code === undefined ? error.message : `responded with HTTP ${error.code}`;
    return new McpFailure(`has lost its stream of events: ${reason}`.slice(0, maxReasonChars), {
      code: 'mcp_lost',
      cause: error,
    });
  }
  if (error instanceof TypeError) return networkFailure(error);
  const message = visibleLine(errorText(error)).slice(0, maxReasonChars);
  if (error instanceof SdkError)
    return new McpFailure(`sent an invalid response: ${message}`, { code: 'mcp_protocol' });
  return new McpFailure(`sent something that is no message of MCP: ${message}`, { code: 'mcp_protocol', cause: error });
}

/** `scope`: those that the server asks for, if it says so. */
export const scopeMessage = (scope: string | undefined): string =>
  scope === undefined
    ? 'does not allow this with the scopes of its token'
    : `does not allow this with the scopes of its token: it wants ${visibleLine(scope).slice(0, maxReasonChars)}`;

function responseFailure(error: SdkHttpError, hasSession: boolean): McpFailure {
  const { data, message } = error;
  const { status } = data;
  if (status === 404 && hasSession) return new SessionOver();
  if (status < 400) {
    const reason = message.replace(/^.*?: /, '').slice(0, maxReasonChars);
    return new McpFailure(`responded with a redirect, which is not followed: ${reason}`, { code: 'mcp_failed' });
  }
  const text = typeof data['text'] === 'string' ? visibleLine(data['text']).slice(0, maxReasonChars) : '';
  const code = status === 401 || status === 403 ? 'mcp_unavailable' : 'mcp_failed';
  const hint = status === 404 || status === 405 ? sseHint : '';
  return new McpFailure(`responded with HTTP ${status}: ${text}`.replace(/: $/, '') + hint, { code, cause: error });
}

/** Servers of the revision 2024-11-05 know no POST at their address. */
const sseHint = ' (if it speaks the older HTTP with server-sent events, configure "transport": "sse")';

/** Codes of connections that never came about: nothing was sent. An established one can fail by some of them, too, in a read or a write. */
const unreachableCodes = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];

function networkFailure(error: TypeError): McpFailure {
  const cause: { readonly code?: string; readonly syscall?: string; readonly message?: string } = error.cause ?? error;
  const reason = cause.code ?? cause.message ?? error.message;
  if (unreachableCodes.includes(reason) && cause.syscall !== 'read' && cause.syscall !== 'write')
    return new McpFailure(`cannot be reached (${reason})`, { code: 'mcp_unavailable', cause: error });
  return new McpFailure(`broke the connection (${reason})`, { code: 'mcp_lost', cause: error });
}
