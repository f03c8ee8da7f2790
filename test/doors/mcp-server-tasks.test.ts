// Calls that run as tasks of MCP: the client asks for their result later, and `tasks/cancel` is a CANCEL.
import { StreamableHTTPClientTransport, specTypeSchemas } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { living, newToken } from '../adapters/processes/processes.ts';
import { serveBelay, tokenOf } from '../support/belay.ts';
import { requestEnds, shellCall, untilAllEnded, untilHanging, untilRunning, useEndpoint } from '../support/journey.ts';
import { until } from '../support/until.ts';
import { cancelsIn, connectMcp, type FormAnswers, type McpTestClient } from './mcp-clients.ts';

const endpoint = useEndpoint();
const doors = [{ door: 'mcp', profiles: { belay: {}, careful: { tools: ['shell'], approve: ['shell'] } } }];

async function start({ client }: McpTestClient, name: string, prompt: string, session: string) {
  const params = { name, arguments: { prompt, session }, task: { ttl: 60_000 } };
  return (await client.request({ method: 'tools/call', params }, specTypeSchemas.CreateTaskResult)).task;
}
const get = ({ client }: McpTestClient, taskId: string) =>
  client.request({ method: 'tasks/get', params: { taskId } }, specTypeSchemas.GetTaskResult);
const resultOf = ({ client }: McpTestClient, taskId: string) =>
  client.request({ method: 'tasks/result', params: { taskId } }, specTypeSchemas.CallToolResult);
const cancel = ({ client }: McpTestClient, taskId: string) =>
  client.request({ method: 'tasks/cancel', params: { taskId } }, specTypeSchemas.CancelTaskResult);

test('a task goes on without a request; its result comes later, and its cancel is a CANCEL that waits for the end [doors.mcp]', async () => {
  const belay = await serveBelay(endpoint, { config: { doors } });
  const url = new URL(belay.url.replace('ws://', 'http://').replace(/\/belay$/, '/mcp'));
  const connect = (speaker: 'ann' | 'bob', person?: FormAnswers) =>
    connectMcp(
      new StreamableHTTPClientTransport(url, {
        requestInit: { headers: { authorization: `Bearer ${tokenOf(speaker)}` } },
      }),
      person && { person },
    );
  const ann = await connect('ann', () => ({ action: 'accept', content: { answer: 'yes' } }));
  const { tools } = await ann.client.listTools();
  expect(tools[0]?.execution).toEqual({ taskSupport: 'optional' });

  await endpoint.script([{ reply: { text: 'It took a while.', end: 'hang' } }]);
  const slow = await start(ann, 'belay', 'go', 'slow');
  expect(slow).toMatchObject({ status: 'working', ttl: null });
  await untilHanging(belay);
  const leaving = new AbortController();
  const left = ann.client.request(
    { method: 'tasks/result', params: { taskId: slow.taskId } },
    specTypeSchemas.CallToolResult,
    { signal: leaving.signal },
  );
  leaving.abort(); // nobody waits for the result: the task goes on
  await expect(left).rejects.toThrow();
  expect(await get(ann, slow.taskId)).toMatchObject({ status: 'working' });
  await endpoint.release();
  const done = await resultOf(ann, slow.taskId);
  expect(done.structuredContent).toMatchObject({ text: 'It took a while.', session: 'slow', outcome: 'completed' });
  expect(done._meta).toMatchObject({ 'io.modelcontextprotocol/related-task': { taskId: slow.taskId } });
  expect(await get(ann, slow.taskId)).toMatchObject({ status: 'completed' });
  expect(await cancelsIn(ann, 'slow')).toEqual([]);

  const token = newToken();
  await endpoint.script([
    { when: { user: 'run it', toolResult: true }, reply: { text: 'It ran.' } },
    { when: { user: 'run it' }, reply: { calls: [shellCall('echo ran', belay.folder.b)] } },
    { reply: { calls: [shellCall(`trap '' TERM; sleep ${token}`, belay.folder.a)] } },
  ]);
  const asking = await start(ann, 'careful', 'run it', 'asking');
  await until(async () => (await get(ann, asking.taskId)).status === 'input_required', { what: 'the question' });
  expect(ann.forms).toEqual([]);
  expect((await resultOf(ann, asking.taskId)).structuredContent).toMatchObject({ text: 'It ran.' });
  expect(ann.forms).toHaveLength(1);

  const working = await start(ann, 'belay', 'build', 'working');
  await untilRunning(token);
  const bob = await connect('bob');
  await expect(get(bob, working.taskId)).rejects.toMatchObject({ code: -32_602, data: { code: 'not_found' } });
  await expect(cancel(bob, working.taskId)).rejects.toMatchObject({ code: -32_602, data: { code: 'not_found' } });
  expect(await cancel(ann, working.taskId)).toMatchObject({ status: 'cancelled' });
  expect(living(token)).toEqual([]);
  expect(await cancelsIn(ann, 'working')).toMatchObject([{ state: 'settled', source: 'client', by: 'ann' }]);
  expect((await resultOf(ann, working.taskId)).structuredContent).toMatchObject({
    outcome: 'cancelled',
    receipt: { cause: { by: 'ann' } },
  });
  await expect(cancel(ann, working.taskId)).rejects.toMatchObject({ code: -32_602, data: { code: 'already_settled' } });
  await expect(get(ann, 'none')).rejects.toMatchObject({ data: { code: 'not_found', field: 'taskId' } });

  const denied = await start(bob, 'careful', 'run it', 'denied'); // this client has no forms: it is denied without a request
  expect((await resultOf(bob, denied.taskId)).structuredContent).toMatchObject({ calls: [{ code: 'cannot_ask' }] });
  await untilAllEnded(belay);
  expect(requestEnds(await endpoint.requests())).not.toContain('200 open');
});
