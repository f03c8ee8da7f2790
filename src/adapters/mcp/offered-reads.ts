// Tools by which a model reads what a server offers beside its tools: resources and prompts.
import type { JsonSchema } from '../../../machines/tool-declaration.ts';
import { fieldsOf } from '../../core/collections/fields.ts';
import type { Tool, ToolEnd } from '../../core/contracts/tool.ts';
import { errorText } from '../../core/text/error-text.ts';
import { McpFailure } from './mcp-failure.ts';
import { resultContent } from './result-text.ts';
import type { ServerReadRequest, ServerReads } from './server-reads.ts';
import { toolName } from './tool-name.ts';

export interface OfferedReadsOptions {
  /** The server's name in the configuration. */
  readonly serverName: string;
  readonly server: ServerReads;
  readonly offers: { readonly resources: boolean; readonly prompts: boolean };
}

interface ReadTool {
  readonly name: string;
  readonly description: string;
  readonly input: JsonSchema;
  request(input: Readonly<Record<string, unknown>>): ServerReadRequest | string;
}

const none: JsonSchema = { type: 'object', properties: {} };
const textField = (description: string) => ({ type: 'string', description });

const resourceTools: readonly ReadTool[] = [
  {
    name: 'list_resources',
    description: 'Lists the resources that can be read with read_resource.',
    input: none,
    request: () => ({ kind: 'resources' }),
  },
  {
    name: 'read_resource',
    description: 'Reads a resource.',
    input: { type: 'object', properties: { uri: textField('As list_resources names it.') }, required: ['uri'] },
    request: ({ uri }) => (typeof uri === 'string' ? { kind: 'resource', uri } : 'uri: must be a text'),
  },
];

const promptTools: readonly ReadTool[] = [
  {
    name: 'list_prompts',
    description: 'Lists the prompts, templates for tasks, that can be read with get_prompt.',
    input: none,
    request: () => ({ kind: 'prompts' }),
  },
  {
    name: 'get_prompt',
    description: 'Reads a prompt: a template for a task, filled with arguments.',
    input: {
      type: 'object',
      properties: {
        name: textField('As list_prompts names it.'),
        arguments: { type: 'object', additionalProperties: { type: 'string' } },
      },
      required: ['name'],
    },
    request({ name, arguments: given }) {
      if (typeof name !== 'string') return 'name: must be a text';
      const entries = Object.entries(fieldsOf(given)).map(([key, value]) => [key, String(value)] as const);
      return { kind: 'prompt', name, arguments: Object.fromEntries(entries) };
    },
  },
];

/** Makes the tools. They only read, and a CANCEL ends them at once. */
export function createOfferedReads({ serverName, server, offers }: OfferedReadsOptions): readonly Tool[] {
  return [...(offers.resources ? resourceTools : []), ...(offers.prompts ? promptTools : [])].map(
    ({ name, description, input, request }): Tool => ({
      name: toolName(serverName, name),
      description: `${description} Of the MCP server ${serverName}.`,
      input,
      parse(value) {
        const read = request(fieldsOf(value));
        return typeof read === 'string' ? { ok: false, message: read } : { ok: true, input: read };
      },
      access: 'parallel',
      cancel: 'abortable',
      effect: 'none',
      timeoutMs: 'default',
      async run(read, { signal }) {
        return await runRead(read as ServerReadRequest, { serverName, server, signal }); // `parse` makes nothing else
      },
    }),
  );
}

interface ReadPlace {
  readonly serverName: string;
  readonly server: ServerReads;
  readonly signal: AbortSignal;
}

async function runRead(request: ServerReadRequest, { serverName, server, signal }: ReadPlace): Promise<ToolEnd> {
  try {
    const found = await server.read(request, signal);
    if (found === 'stopped') return { kind: 'stopped', output: '' };
    return { kind: 'completed', ...resultContent({ content: [...found] }) };
  } catch (error) {
    const message = `The MCP server ${serverName} ${errorText(error)}.`;
    const code = error instanceof McpFailure ? error.code : 'mcp_failed';
    return { kind: 'failed', code, message, output: message, effect: 'none' };
  }
}
