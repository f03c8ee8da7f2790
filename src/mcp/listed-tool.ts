// Makes a tool of the runtime from a tool that a server has listed.
import type { Tool as ListedTool } from '@modelcontextprotocol/sdk/types.js';
import { defaultToolTimeoutMs, type Tool, type ToolContext, type ToolEnd } from '../tools/tool.ts';
import { checkBy } from './check-arguments.ts';
import type { McpLimits } from './mcp-limits.ts';
import type { ToolServer } from './restarting-server.ts';
import { outputOf, progressLine } from './result-text.ts';
import type { CallEnd, CallRequest } from './server-call.ts';
import { toolName } from './tool-name.ts';

export interface ListedToolOptions {
  /** The server's name in the configuration. */
  readonly name: string;
  readonly server: ToolServer;
  readonly timeoutMs?: number | undefined;
  /** How long a stopped call may take to end, in milliseconds. */
  readonly stopMs: number;
  readonly limits: McpLimits;
}

/** Throws an Error whose message says why the tool cannot be used. */
export function toolOf(listed: ListedTool, { name, server, timeoutMs, stopMs, limits }: ListedToolOptions): Tool {
  if (listed.execution?.taskSupport === 'required') throw new Error('it can only be run as a task of MCP');
  if (JSON.stringify(listed.inputSchema).length > limits.maxSchemaChars)
    throw new Error(`its input schema is longer than ${limits.maxSchemaChars} characters`);
  const description = listed.description ?? listed.title ?? listed.annotations?.title ?? '';
  return {
    name: toolName(name, listed.name),
    description: (description.trim() || `${listed.name} of ${name}`).slice(0, limits.maxDescriptionChars),
    input: listed.inputSchema,
    parse: checkBy(listed.inputSchema),
    access: 'parallel',
    cancel: 'abortable',
    effect: listed.annotations?.readOnlyHint === true ? 'none' : 'some',
    timeoutMs: timeoutMs ?? defaultToolTimeoutMs,
    stopMs,
    async run(input, context) {
      // `parse` accepts objects only
      const request = { name: listed.name, arguments: input as Record<string, unknown> };
      return await runCall(request, context, { name, server, limits });
    },
  };
}

async function runCall(
  request: CallRequest,
  context: ToolContext,
  { name, server, limits }: Pick<ListedToolOptions, 'name' | 'server' | 'limits'>,
): Promise<ToolEnd> {
  const { signal, skipGrace } = context;
  if (signal.aborted) return { kind: 'stopped', output: '' };
  let liveCharsLeft = limits.maxLiveChars;
  const end = await server.call(request, {
    signal,
    skipGrace,
    onProcess: (process) => context.recordProcess(process),
    onProgress(progress) {
      const shown = progressLine(progress).slice(0, liveCharsLeft);
      liveCharsLeft -= shown.length;
      if (shown !== '') context.output(shown);
    },
  });
  return toolEnd(end, name);
}

function toolEnd(end: CallEnd, server: string): ToolEnd {
  switch (end.kind) {
    case 'completed': {
      const output = outputOf(end.result);
      return end.result.isError ? { kind: 'failed', code: 'tool_failed', output } : { kind: 'completed', output };
    }
    case 'stopped': {
      const message = `The connection to ${server} was closed. Whether its work has ended there cannot be seen from here.`;
      return {
        kind: 'stopped',
        output: '',
        forced: end.forced || undefined,
        message: end.isSeen ? undefined : message,
      };
    }
    case 'failed': {
      const { code, message, effect } = end.failure;
      const sentence = `The MCP server ${server} ${message}.`;
      return { kind: 'failed', code, message: sentence, output: sentence, effect };
    }
    case 'unsent': {
      const output = `The MCP server ${server} has no session.`;
      return { kind: 'failed', code: 'mcp_unavailable', output, effect: 'none' };
    }
  }
}
