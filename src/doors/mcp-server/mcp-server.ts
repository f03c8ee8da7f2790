// A server of MCP for one connection: the agents of its speaker as tools, and its sessions as resources.

import { Server, type ServerContext } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { product } from '../../core/text/product.ts';
import { callAgent } from './agent-call.ts';
import { cancelTask, readTask, readTaskResult } from './agent-tasks.ts';
import { toolsFor } from './agent-tools.ts';
import { type McpDoor, type McpEra, type McpRequest, type McpSender, withRpcErrors } from './mcp-request.ts';
import { listResources, listTemplates, readResource } from './session-resources.ts';
import { canElicit } from './turn-questions.ts';

const serverInfo = { ...product, title: 'Belay' };
const instructions =
  'Each tool is an agent that works in a session of its own, with tools of its own. Name the session of an answer to go on in it. Cancelling a call stops all that it has started; what a stop has done is in belay://sessions/{session}/cancels.';

const taskParams = z.looseObject({ taskId: z.string() });

/** Creates a server. `senderOf` says who has sent a request. */
export function createMcpServer(door: McpDoor, era: McpEra, senderOf: (ctx: ServerContext) => McpSender): Server {
  const hasTasks = era === 'legacy';
  const tasks = { cancel: {}, requests: { tools: { call: {} } } };
  const capabilities = { tools: {}, resources: {}, ...(hasTasks && { tasks }) };
  const server = new Server(serverInfo, { capabilities, instructions });
  const requestOf = (ctx: ServerContext): McpRequest => ({ door, era, ctx, sender: senderOf(ctx) });
  const abilitiesIn = (request: McpRequest) => ({ canElicit: canElicit(request, server.getClientCapabilities()) });
  server.setRequestHandler('tools/list', (_, ctx) => ({
    tools: toolsFor(door.settings, senderOf(ctx).caller.speaker.id, hasTasks),
  }));
  server.setRequestHandler('tools/call', ({ params }, ctx) =>
    withRpcErrors(async () => {
      const request = requestOf(ctx);
      const isTask = hasTasks && 'task' in params;
      const asked = { name: params.name, given: params.arguments, isTask };
      try {
        return await callAgent(request, asked, abilitiesIn(request));
      } finally {
        if (ctx.mcpReq.signal.aborted) request.sender.closeStream?.(ctx.mcpReq.id);
      }
    }),
  );
  server.setRequestHandler('resources/list', (_, ctx) => withRpcErrors(() => listResources(requestOf(ctx))));
  server.setRequestHandler('resources/templates/list', () => listTemplates());
  server.setRequestHandler('resources/read', ({ params }, ctx) =>
    withRpcErrors(() => readResource(requestOf(ctx), params.uri)),
  );
  if (!hasTasks) return server;
  const handleTask = (method: string, handle: (request: McpRequest, id: string) => Promise<object>) =>
    server.setRequestHandler(method, { params: taskParams }, ({ taskId }, ctx) =>
      withRpcErrors(async () => ({ ...(await handle(requestOf(ctx), taskId)) })),
    );
  handleTask('tasks/get', readTask);
  handleTask('tasks/cancel', cancelTask);
  handleTask('tasks/result', (request, id) => readTaskResult(request, id, abilitiesIn(request)));
  return server;
}
