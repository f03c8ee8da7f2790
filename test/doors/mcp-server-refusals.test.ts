// A task of MCP whose turn its own speaker may not stop: `tasks/cancel` says why in words, as every other door does.
import { StreamableHTTPClientTransport, specTypeSchemas } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { standingCodes } from '../../machines/codes.ts';
import { namesOf } from '../../src/core/collections/fields.ts';
import { loadDoorRoutes } from '../../src/doors/door-routes.ts';
import { ann, httpOf } from '../gateway/http/open.ts';
import { connectMcp } from './mcp-clients.ts';

test('the cancel of a task that is refused says why [doors.mcp] [owner.guard]', async () => {
  let because: keyof typeof standingCodes = 'not_allowed';
  const profiles = { belay: { onAsk: 'deny' as const } };
  const settings = { door: 'mcp' as const, profiles, onDisconnect: 'cancel' as const, graceMs: 0 };
  const routes = await loadDoorRoutes([settings], {});
  const standing = () => ({ may: false, because }) as const;
  const door = await httpOf({ routes }, { own: { session: () => ({ standing }) } });
  const requestInit = { headers: { authorization: `Bearer ${ann}` } };
  const { client } = await connectMcp(new StreamableHTTPClientTransport(new URL(`${door.base}/mcp`), { requestInit }));
  const params = { name: 'belay', arguments: { prompt: 'hang', session: 'kept' }, task: { ttl: 60_000 } };
  const { task } = await client.request({ method: 'tools/call', params }, specTypeSchemas.CreateTaskResult);
  for (because of namesOf(standingCodes)) {
    const cancel = { method: 'tasks/cancel', params: { taskId: task.taskId } } as const;
    const refused = await client.request(cancel, specTypeSchemas.CancelTaskResult).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: -32_602, data: { code: because } });
    expect((refused as Error).message).toContain(standingCodes[because]);
  }
});
