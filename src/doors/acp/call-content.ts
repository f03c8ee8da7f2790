// Makes what a client is shown of a call: its kind, the files that it touches, its diff, and its output.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ToolCallContent, ToolCallLocation, ToolKind } from '@agentclientprotocol/sdk';
import { readArguments } from '../../client/view/call-arguments.ts';
import { contains, realFolder } from '../../core/tools/folders.ts';
import { callKind } from '../../core/words/call-kinds.ts';

/** The largest file of which a diff shows the old text, in bytes. */
const maxDiffBytes = 1_048_576;

/** The protocol has no kind for a sub-agent. */
export function toolKindOf(tool: string): ToolKind {
  const kind = callKind(tool);
  return kind === 'agent' ? 'think' : kind;
}

/** Returns the arguments of a call as values; the text itself where it is no JSON object. */
export const rawInputOf = (text: string): unknown => readArguments(text) ?? text;

/** Returns the file that a call of a tool of Belay touches, as an absolute path; null: it touches none that it names. */
export function pathOfCall(tool: string, text: string, cwd: string): string | null {
  if (!['read', 'edit', 'search'].includes(callKind(tool))) return null;
  const path = readArguments(text)?.['path'];
  return typeof path === 'string' && !path.includes('\0') ? resolve(cwd, path) : null;
}

/** Returns the locations of a call. */
export const locationsOf = (path: string | null): ToolCallLocation[] => (path === null ? [] : [{ path }]);

/**
 * Returns the diff of a call that replaces a file, before it runs; null: it is none, the file is not below the folders, or it is too large.
 * @param roots The folders of the session.
 */
export function diffOfCall(
  tool: string,
  text: string,
  path: string | null,
  roots: readonly string[],
): ToolCallContent | null {
  const content = readArguments(text)?.['content'];
  if (callKind(tool) !== 'edit' || path === null || typeof content !== 'string') return null;
  try {
    const real = realFolder(path);
    if (!roots.some((root) => contains(realFolder(root), real))) return null;
    const oldText = readOldText(real);
    return oldText === undefined ? null : { type: 'diff', path, oldText, newText: content };
  } catch {
    return null; // it cannot be read: the call itself will say why
  }
}

/** Returns the text of a file; null: there is none; undefined: it is too large, or no regular file. */
function readOldText(path: string): string | null | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile() || stat.size > maxDiffBytes) return undefined;
    const bytes = Buffer.alloc(stat.size);
    return bytes.subarray(0, readSync(descriptor, bytes, 0, stat.size, 0)).toString('utf8');
  } finally {
    closeSync(descriptor);
  }
}

/** Returns a text as the content of a call. */
export const textContent = (text: string): ToolCallContent => ({ type: 'content', content: { type: 'text', text } });

/** Returns the output of a call as Markdown: what a program has printed stands in a fence that is longer than any in it. */
export function outputContent(tool: string, output: string): ToolCallContent[] {
  if (output === '') return [];
  if (!['execute', 'read', 'search', 'fetch'].includes(callKind(tool))) return [textContent(output)];
  const longest = Math.max(2, ...[...output.matchAll(/`{3,}/g)].map(([fence]) => fence.length));
  const fence = '`'.repeat(longest + 1);
  return [textContent(`${fence}\n${output.replace(/\n$/, '')}\n${fence}`)];
}
