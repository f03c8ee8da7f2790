// A server that fails is started again, each time after a longer pause, until a call completes.
import { expect, onTestFinished, test } from 'vitest';
import { connectMcpServers } from '../../../src/adapters/mcp/servers.ts';
import { createVirtualSources } from '../../../src/core/sources/virtual.ts';
import { recordingContext } from '../../../src/testing/recording-context.ts';
import { playServer } from './http-server.ts';

test('the pauses double up to the longest, and start again after a response [tool.mcp]', async () => {
  const { clock, ids } = createVirtualSources();
  let isBroken = false;
  const starts: number[] = [];
  const server = await playServer({
    tools: {
      echo({ answer, response }) {
        answer('here');
        response.end();
      },
    },
    before(request, response) {
      if (!isBroken) return false;
      if (request.method === 'POST') starts.push(clock.now());
      response.writeHead(401).end();
      return true;
    },
  });
  const limits = { restartMinMs: 1_000, restartMaxMs: 4_000 };
  const mcp = await connectMcpServers({ servers: { web: { url: server.url } }, clock, ids, limits });
  onTestFinished(() => mcp.close());
  const [echo] = mcp.tools();
  async function call() {
    let end: unknown;
    void echo?.run({}, recordingContext().context).then((it) => {
      end = it;
    });
    while (end === undefined) await clock.advance(1);
    return end;
  }
  const failed = { kind: 'failed', code: 'mcp_unavailable' };

  isBroken = true;
  expect(await call()).toMatchObject(failed); // the session that there was
  const pauses: number[] = [];
  for (let i = 0; i < 4; i++) {
    const before = clock.now();
    starts.length = 0;
    expect(await call()).toMatchObject(failed);
    pauses.push((starts[0] ?? 0) - before);
  }
  const levels = pauses.map((ms) => [1_000, 2_000, 4_000].findLast((level) => ms > level - 300));
  expect(levels).toEqual([1_000, 2_000, 4_000, 4_000]);

  isBroken = false;
  expect(await call()).toMatchObject({ kind: 'completed', output: 'here' });
  isBroken = true;
  expect(await call()).toMatchObject(failed);
  const before = clock.now();
  starts.length = 0;
  expect(await call()).toMatchObject(failed);
  expect((starts[0] ?? 0) - before).toBeLessThan(1_500);
});
