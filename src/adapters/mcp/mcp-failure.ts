// The failures of a call on a server of tools, each with its code.
import type { FailureCode } from '../../../machines/codes.ts';
import type { CloseReason } from './server-transport.ts';

/** Codes of calls that no server has run. Errors of the protocol prove nothing: servers send -32602 (invalid parameters) also after a tool has run. */
const effectlessCodes: readonly FailureCode[] = ['mcp_unavailable', 'too_large'];

/** The message is the rest of a sentence that starts with the server's name. */
export class McpFailure extends Error {
  override readonly name = 'McpFailure';
  readonly code: FailureCode;
  /** `none`: nothing was run. */
  readonly effect: 'none' | undefined;

  constructor(message: string, { code, cause }: { readonly code: FailureCode; readonly cause?: unknown }) {
    super(message, { cause });
    this.code = code;
    this.effect = effectlessCodes.includes(code) ? 'none' : undefined;
  }
}

/** The session was over before the call was sent: it may be made again in another one. */
export class SessionOver extends McpFailure {
  constructor() {
    super('has ended the session', { code: 'mcp_unavailable' });
  }
}

/** The server did not follow this start of a session: it may follow another one. */
export class StartRefused extends McpFailure {
  constructor(message: string, { cause }: { readonly cause: unknown }) {
    super(message, { code: 'mcp_unavailable', cause });
  }
}

const codes = { closed: 'mcp_lost', lost: 'mcp_lost', protocol: 'mcp_protocol' } as const;

/** The failure of a call whose connection was closed for that reason. */
export const mcpFailureOf = ({ kind, message }: CloseReason): McpFailure =>
  new McpFailure(message, { code: codes[kind] });

/** The failure of a call of which the server has run a part: what its later request has met undoes nothing. */
export const failureAfterRun = (failure: McpFailure): McpFailure =>
  failure.effect === undefined ? failure : new McpFailure(failure.message, { code: 'mcp_lost', cause: failure });
