// Why a builtin does not do what it was asked, and how that ends its call.
import type { FailureCode } from '../../machines/codes.ts';
import type { ToolEnd } from './tool.ts';

/** Thrown before anything was changed. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
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

/** The end of a call that threw; `about` is what it was asked for. */
export function failedEnd(error: unknown, about: string): ToolEnd {
  if (error instanceof Refusal) {
    return { kind: 'failed', code: error.code, message: error.message, output: error.message, effect: 'none' };
  }
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const message = `${sentences[code] ?? (error instanceof Error ? error.message : String(error))}: ${about}`;
  return { kind: 'failed', code: 'tool_failed', message, output: message };
}

export const stoppedEnd: ToolEnd = { kind: 'stopped', output: '' };
