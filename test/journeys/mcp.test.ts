// The tools of an MCP server from the configuration on: called by the model, stopped by a client, gone with the gateway.
import { expect, test } from 'vitest';
import { hostile } from '../mcp/mcp.ts';
import { newWorkspace, serveBelay } from '../support/belay.ts';
import { expectSound, toolMessages, useEndpoint } from '../support/journey.ts';
import { joinRoom, watchRoom } from '../support/room-clients.ts';
import { until } from '../support/until.ts';

const endpoint = useEndpoint();

async function begin(manners: readonly string[] = []) {
  const server = hostile(...manners);
  const workspace = newWorkspace();
  const mcpServers = { good: server.spec, bad: { command: '/nowhere/server' } };
  await endpoint.script([
    {
      reply: {
        text: 'I use them.',
        calls: [
          { name: 'good__echo', arguments: { text: 'heard' } },
          { name: 'good__wait', arguments: {} },
        ],
      },
    },
  ]);
  const belay = await serveBelay(endpoint, { workspace, config: { mcpServers } });
  const witness = await watchRoom(belay);
  const ann = await joinRoom(belay, 'ann');
  const turn = ann.session.say('words');
  const finished = await ann.waitFor('tool_result');
  const call = (await ann.waitFor('tool_call', ({ name }) => name === 'good__wait')).node;
  return { server, workspace, belay, witness, turn, finished, call };
}

test('a call is stopped on its way, its server with it; what had finished stays, and the next turn works [tool.mcp] [cancel.bounded] [cancel.settled]', async () => {
  const { server, belay, witness, turn, finished, call } = await begin(['deaf']);
  expect(belay.child.stdout()).toMatch(/MCP server {3}good: \d+ tools\n/);
  expect(belay.child.stdout()).toMatch(/MCP server {3}bad did not start: .*ENOENT/);
  expect(finished).toMatchObject({ outcome: 'completed', output: 'heard', effect: 'none' });
  await until(() => server.received().some(({ params }) => params?.['name'] === 'wait'));

  const receipt = await turn.cancel({ reason: 'enough' }).settled;
  expect(receipt?.nodes.find(({ node }) => node === call)).toMatchObject({
    outcome: 'cancelled',
    effect: 'unknown',
    forced: true,
  });
  expect(server.pids(), 'the receipt is true').toEqual([]);
  const requests = await expectSound(belay, { witness, before: ['200 finished'] });
  expect(toolMessages(requests.at(-1)).join('\n')).toContain('heard');
});

test('a shutdown leaves no server behind [ops.shutdown] [cancel.clean]', async () => {
  const { server, belay } = await begin(['deaf']);
  expect(server.pids()).toHaveLength(1);
  belay.child.signal('SIGTERM');
  expect(await belay.child.ended()).toBe(0);
  expect(server.pids()).toEqual([]);
});

test('a server that outlives its gateway in the middle of a call is ended by the next one [store.durable] [tool.mcp]', async () => {
  const { server, workspace, belay, call } = await begin(['deaf']);
  await until(() => server.received().some(({ params }) => params?.['name'] === 'wait'));
  belay.child.signal('SIGKILL');
  await belay.child.ended();
  expect(server.pids(), 'it is deaf to the end of its input').toHaveLength(1);

  const next = await serveBelay(endpoint, { workspace });
  expect(server.pids()).toEqual([]);
  const back = await watchRoom(next);
  expect(await back.waitFor('abandoned_ended')).toMatchObject({ node: call });
});
