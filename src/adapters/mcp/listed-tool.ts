// Makes a tool of the runtime from a tool that a server has listed.
import type { Tool as ListedTool } from '@modelcontextprotocol/client';
import type { ParseResult, Tool, ToolContext, ToolEnd } from '../../core/contracts/tool.ts';
import { LiveOutput } from '../../core/text/live-output.ts';
import { runApproval } from '../../core/tools/require-approval.ts';
import { elicitationsOf } from './elicitation.ts';
import { headerProblemOf } from './header-arguments.ts';
import type { McpLimits } from './mcp-limits.ts';
import type { ToolServer } from './restarting-server.ts';
import { outputOf, progressLine, resultContent } from './result-text.ts';
import type { CallRequest, ServerCallEnd } from './server-call.ts';
import { toolName } from './tool-name.ts';

export interface ListedToolOptions {
  /** The server's name in the configuration. */
  readonly serverName: string;
  readonly server: ToolServer;
  readonly timeoutMs?: number | undefined;
  /** Whether a call that may destroy something needs a yes. Default: `ask`. */
  readonly destructive?: 'ask' | 'allow' | undefined;
  /** How long a stopped call may take to end, in milliseconds. */
  readonly stopMs: number;
  readonly limits: McpLimits;
  /** Whether calls repeat marked arguments in headers. */
  readonly hasHeaderArguments: boolean;
}

/** Makes the tool. Throws an Error whose message says why the tool cannot be used. */
export function createListedTool(
  listed: ListedTool,
  { serverName, server, timeoutMs, destructive = 'ask', stopMs, limits, hasHeaderArguments }: ListedToolOptions,
): Tool {
  const schemaChars = JSON.stringify(listed.inputSchema).length;
  if (schemaChars > limits.maxSchemaChars)
    throw new Error(`its input schema has ${schemaChars} characters; the limit is ${limits.maxSchemaChars}`);
  const problem = hasHeaderArguments ? headerProblemOf(listed.inputSchema) : null;
  if (problem !== null) throw new Error(problem);
  const description = listed.description ?? listed.title ?? listed.annotations?.title ?? '';
  const name = toolName(serverName, listed.name);
  return {
    name,
    description: (description.trim() || `${listed.name} of ${serverName}`).slice(0, limits.maxDescriptionChars),
    input: listed.inputSchema,
    parse: parseArguments,
    access: 'parallel',
    cancel: 'abortable',
    effect: listed.annotations?.readOnlyHint === true ? 'none' : 'some',
    timeoutMs: timeoutMs ?? 'default',
    stopMs,
    ...(destructive === 'ask' &&
      isDestructive(listed) && { approval: (input) => runApproval(name, input, destroysRemark) }),
    async run(input, context) {
      const args = input as Record<string, unknown>; // `parse` accepts objects only
      const isTask = listed.execution?.taskSupport === 'required';
      const request = { name: listed.name, arguments: args, inputSchema: listed.inputSchema, isTask };
      return await runCall(request, context, { serverName, server, limits });
    },
  };
}

/** Whether the server itself says that the tool may destroy something. A server that says nothing of a tool is not taken at its worst. */
const isDestructive = ({ annotations }: ListedTool): boolean =>
  annotations?.destructiveHint === true && annotations.readOnlyHint !== true;

const destroysRemark = 'Its server says that it may destroy something.';

/** Accepts any object. The server checks the rest by its own schema: see docs/decisions/32-arguments-are-checked-by-their-server.md. */
function parseArguments(value: unknown): ParseResult<unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { ok: false, message: 'The arguments must be an object.' };
  return { ok: true, input: value };
}

async function runCall(
  request: CallRequest,
  context: ToolContext,
  { serverName, server, limits }: Pick<ListedToolOptions, 'serverName' | 'server' | 'limits'>,
): Promise<ToolEnd> {
  const { signal, skipGrace } = context;
  if (signal.aborted) return { kind: 'stopped', output: '', effect: 'none' };
  const live = new LiveOutput(limits.maxLiveChars, (text) => context.output(text));
  const end = await server.call(request, {
    signal,
    skipGrace,
    onProcess: (process) => context.recordProcess(process),
    elicit: elicitationsOf(serverName, (question) => context.ask(question)),
    onProgress: (progress) => live.push(progressLine(progress)),
  });
  return toolEnd(end, serverName);
}

function toolEnd(end: ServerCallEnd, serverName: string): ToolEnd {
  switch (end.kind) {
    case 'completed': {
      const content = resultContent(end.result);
      return end.result.isError
        ? { kind: 'failed', code: 'tool_failed', ...content }
        : { kind: 'completed', ...content };
    }
    case 'stopped': {
      const message = `The connection to ${serverName} was closed. It is not known whether the server has stopped the work.`;
      return {
        kind: 'stopped',
        output: end.lateResult ? outputOf(end.lateResult) : '',
        forced: end.forced || undefined,
        message: end.isSeen ? undefined : message,
        effect: end.effect,
      };
    }
    case 'failed': {
      const { code, message, effect } = end.failure;
      const sentence = `The MCP server ${serverName} ${message}.`;
      return { kind: 'failed', code, message: sentence, output: sentence, effect };
    }
    case 'unsent': {
      const output = `The MCP server ${serverName} has no session, so the call was not sent. Try it again.`;
      return { kind: 'failed', code: 'mcp_unavailable', output, effect: 'none' };
    }
  }
}
