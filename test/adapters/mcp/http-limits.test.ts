// Servers over streamable HTTP that send too much.
import { expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { type CallPlayer, playServer } from './http-server.ts';
import { connected } from './mcp.ts';

const echo: CallPlayer = ({ answer, response }) => {
  answer('here');
  response.end();
};
const wait: CallPlayer = ({ response }) => response.flushHeaders();

test.each<readonly [string, CallPlayer]>([
  ['a huge event', ({ response }) => void response.write(`data: ${'x'.repeat(200_000)}`)],
  ['many lines of one event', ({ response }) => void response.write('data: xxxxxxxxx\n'.repeat(20_000))],
  [
    'a huge body',
    ({ response }) => {
      response.setHeader('content-type', 'application/json');
      response.end(`{"jsonrpc":"2.0","result":"${'x'.repeat(200_000)}"}`);
    },
  ],
])('%s fails its call alone [tool.mcp] [history.bounded]', async (_, bad) => {
  const server = await playServer({ tools: { bad, wait, echo } });
  const { call } = await connected({ web: { url: server.url } }, { maxFrameBytes: 100_000 });
  const sibling = call('web__wait');
  await until(() => server.open.has('wait'));
  const end = await call('web__bad').end;
  expect(end).toMatchObject({ kind: 'failed', code: 'mcp_failed' });
  expect(end.message).toMatch(/sent a message of more than 100000 bytes/);
  await until(() => !server.open.has('bad'), { what: 'its stream to be closed' });
  expect(server.open.has('wait')).toBe(true);
  expect(await call('web__echo').end).toMatchObject({ output: 'here' });
  expect(server.received.at(-1)?.headers['mcp-session-id']).toBe('session-1');
  sibling.cancel();
  await sibling.end;
});
