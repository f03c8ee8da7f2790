// Many cancelled MCP calls leave no handles, timers, processes or heap behind.
import { expect, test } from 'vitest';
import { playServer } from '../adapters/mcp/http-server.ts';
import { type Connected, connected, hostile } from '../adapters/mcp/mcp.ts';
import { activeResources, heapMB, resourcesBeyond } from '../support/leaks.ts';
import { until } from '../support/until.ts';

const cancels = Math.ceil(Number(process.env['CANCELS'] ?? 3_500) / 5);

async function cancelled({ call }: Connected, name: string): Promise<void> {
  const { cancel, end } = call(name);
  await new Promise((done) => setImmediate(done)); // it is under way by then
  cancel();
  expect(await end).toMatchObject({ kind: 'stopped' });
}

test(`${cancels} cancelled MCP calls leave nothing behind [cancel.clean] [tool.mcp]`, {
  timeout: 600_000,
}, async () => {
  const kept = hostile();
  const closed = hostile();
  let heard = 0;
  const web = await playServer({
    tools: {
      wait({ response }) {
        heard++;
        response.flushHeaders();
      },
    },
  });
  const servers = await connected(
    {
      kept: { ...kept.spec, trusted: true },
      web: { url: web.url, trusted: true },
      closed: closed.spec,
    },
    { cancelGraceMs: 10, restartMinMs: 1 },
  );
  const round = async (i: number) => {
    await cancelled(servers, i % 2 === 0 ? 'kept__obey' : 'web__wait');
    (web.received as unknown[]).length = 0;
    if (i % 50 === 49) await cancelled(servers, 'closed__wait');
  };
  const rounds = async (from: number, to: number) => {
    for (let i = from; i < to; i++) await round(i);
  };
  const tenth = Math.ceil(cancels / 10);

  await rounds(0, tenth); // warm
  await servers.call('closed__echo', { text: 'here' }).end;
  const before = activeResources();
  await rounds(tenth, 5 * tenth);
  const half = await heapMB();
  await rounds(5 * tenth, 10 * tenth);
  const whole = await heapMB();
  await servers.call('closed__echo', { text: 'here' }).end;

  await until(() => resourcesBeyond(before).length === 0, {
    what: `nothing more to be open than ${before}, not ${activeResources()}`,
  });
  expect(heard).toBeGreaterThan(0);
  expect([kept, closed].map(({ pids }) => pids().length)).toEqual([1, 1]);
  console.log(`heap ${half.toFixed(1)} MB at half, ${whole.toFixed(1)} MB at the end`);
  expect(whole, 'the heap does not grow over the second half').toBeLessThan(half * 1.1 + 2);
});
