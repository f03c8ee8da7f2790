// Refusal of a tool to do what its arguments ask for, and the end of such a call.
import type { FailureCode } from '../../../machines/codes.ts';
import type { ToolEnd } from '../contracts/tool.ts';
import { errorText } from '../text/error-text.ts';

/** Thrown before anything was changed. */
export class ToolRefusal extends Error {
  override readonly name = 'ToolRefusal';
  readonly code: FailureCode;

  constructor(code: FailureCode, message: string) {
    super(message);
    this.code = code;
  }
}

const sentences: Readonly<Record<string, string>> = {
  ENOENT: 'There is no such file or folder',
  EEXIST: 'It exists already',
  EACCES: 'The host does not permit it',
  EPERM: 'The host does not permit it',
  EROFS: 'The file system is read-only',
  EISDIR: 'It is a folder',
  ENOTDIR: 'A part of the path is no folder',
  ELOOP: 'It is a symbolic link that leads nowhere',
  ENAMETOOLONG: 'The name is too long',
  ENOSPC: 'The disk is full',
  EDQUOT: 'The disk quota is used up',
  ENOTFOUND: 'There is no host of that name',
  ECONNREFUSED: 'The server refused the connection',
  ECONNRESET: 'The server closed the connection',
};

/** Returns the end of a call that threw. `subject`: the path or URL that it was called with. */
export function failedEnd(error: unknown, subject: string): ToolEnd {
  if (error instanceof ToolRefusal) {
    return { kind: 'failed', code: error.code, message: error.message, output: error.message, effect: 'none' };
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const message = `${sentences[code] ?? errorText(error)}: ${subject}`;
  return { kind: 'failed', code: 'tool_failed', message, output: message };
}

/** The end of a call that was stopped before it had an output. */
export const stoppedEnd: ToolEnd = { kind: 'stopped', output: '' };
