// A tool that a server has listed, as a tool of ours.
import { createHash } from 'node:crypto';
import type { Tool as ListedTool } from '@modelcontextprotocol/sdk/types.js';
import { defaultToolTimeoutMs, type Tool, type ToolContext, type ToolEnd } from '../tools/tool.ts';
import { checkBy } from './check-arguments.ts';
import type { McpLimits } from './mcp-limits.ts';
import { outputOf, progressLine } from './result-text.ts';
import type { Server } from './server.ts';
import type { CallEnd } from './server-connection.ts';

/** What model endpoints accept as a function's name. */
const maxNameChars = 64;
const hashChars = 8;

/** A server of such a name could give the tool of another one its own: `a__b` and `c`, `a` and `b__c`. */
const isAmbiguous = (server: string) => `${server}_`.includes('__');

/**
 * `files__read_file`. What the pattern of a name does not take becomes `_`. A hash tells apart what could be the same then; it hangs on
 * these two names alone, so that no other server changes what a tool is called.
 */
export function nameOf(server: string, tool: string): string {
  const whole = `${server}__${tool}`;
  const name = whole.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
  if (name === whole && name.length <= maxNameChars && !isAmbiguous(server)) return name;
  const hash = createHash('sha256').update(`${server}/${tool}`).digest('hex').slice(0, hashChars);
  return `${name.slice(0, maxNameChars - hashChars - 1)}_${hash}`;
}

export interface ServedBy {
  /** The server's name in the configuration. */
  readonly name: string;
  readonly server: Server;
  readonly timeoutMs?: number | undefined;
  /** How long a call that is stopped may take to end. */
  readonly stopMs: number;
  readonly limits: McpLimits;
}

/** Throws an Error with a sentence where the tool cannot be offered. */
export function toolOf(listed: ListedTool, { name, server, timeoutMs, stopMs, limits }: ServedBy): Tool {
  if (listed.execution?.taskSupport === 'required') throw new Error('it can only be run as a task of MCP');
  if (JSON.stringify(listed.inputSchema).length > limits.maxSchemaChars)
    throw new Error(`its input schema is longer than ${limits.maxSchemaChars} characters`);
  const about = listed.description ?? listed.title ?? listed.annotations?.title ?? '';
  return {
    name: nameOf(name, listed.name),
    description: (about.trim() || `${listed.name} of ${name}`).slice(0, limits.maxDescriptionChars),
    input: listed.inputSchema,
    parse: checkBy(listed.inputSchema),
    access: 'parallel',
    cancel: 'abortable',
    effect: listed.annotations?.readOnlyHint === true ? 'none' : 'some',
    timeoutMs: timeoutMs ?? defaultToolTimeoutMs,
    stopMs,
    async run(input, context) {
      if (context.signal.aborted) return { kind: 'stopped', output: '' };
      const { signal, skipGrace } = context;
      const show = liveOutput(context, limits.maxLiveChars);
      const request = { name: listed.name, arguments: input as Record<string, unknown> };
      const end = await server.call(request, {
        signal,
        hurry: skipGrace,
        onProcess: (process) => context.recordProcess(process),
        onProgress: (progress) => show(progressLine(progress)),
      });
      return endOf(end, name);
    },
  };
}

/** A server that reports its progress without end is shown to the bound, and heard no less. */
function liveOutput({ output }: ToolContext, maxChars: number): (text: string) => void {
  let left = maxChars;
  return (text) => {
    const shown = text.slice(0, left);
    left -= shown.length;
    if (shown !== '') output(shown);
  };
}

function endOf(end: CallEnd, server: string): ToolEnd {
  switch (end.kind) {
    case 'answered': {
      const output = outputOf(end.result);
      return end.result.isError ? { kind: 'failed', code: 'tool_failed', output } : { kind: 'completed', output };
    }
    case 'stopped': {
      const unseen = `The connection to ${server} was closed. Whether its work has ended there cannot be seen from here.`;
      return {
        kind: 'stopped',
        output: '',
        ...(end.forced && { forced: true }),
        ...(!end.seen && { message: unseen }),
      };
    }
    case 'failed': {
      const { code, message, effect } = end.failure;
      const sentence = `The MCP server ${server} ${message}.`;
      return { kind: 'failed', code, message: sentence, output: sentence, ...(effect && { effect }) };
    }
    case 'unheard':
      return {
        kind: 'failed',
        code: 'mcp_unavailable',
        output: `The MCP server ${server} has no session.`,
        effect: 'none',
      };
  }
}
