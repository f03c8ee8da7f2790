// MCP servers that resist a stop, or send nonsense, each through the whole runtime.
import { describe, expect, onTestFinished, test } from 'vitest';
import type { McpServer } from '../../src/adapters/mcp/server-config.ts';
import { connectMcpServers } from '../../src/adapters/mcp/servers.ts';
import { systemSources } from '../../src/core/sources/system.ts';
import type { Limits } from '../../src/core/workers/session-limits.ts';
import { hostile, published } from '../adapters/mcp/mcp.ts';
import { startHostile } from '../support/hostile.ts';
import { scaled } from '../support/time-scale.ts';
import { until } from '../support/until.ts';

const short = {
  termGraceMs: scaled(300),
  toolCancelMs: scaled(900),
  forceCancelMs: scaled(100),
  shutdownMs: scaled(10_000),
};
const { clock, ids } = systemSources;

async function withServer(spec: McpServer, limits: Partial<Limits> & { readonly termGraceMs: number } = short) {
  const mcp = await connectMcpServers({ servers: { h: spec }, clock, ids, termGraceMs: limits.termGraceMs });
  onTestFinished(() => mcp.close());
  const runtime = await startHostile(mcp.tools(), { limits });
  onTestFinished(() => runtime.close());
  return { mcp, runtime };
}

const hears = (server: ReturnType<typeof hostile>, name: string, count = 1) =>
  until(() => server.received().filter(({ params }) => params?.['name'] === name).length >= count, {
    what: `the server to hear ${name}`,
  });

describe('a server that', () => {
  test.each([
    ['ignores its cancellation', 'wait', [], {}],
    ['is deaf to TERM, too', 'wait', ['deaf'], { forced: true }],
    ['blocks its event loop', 'spin', ['deaf'], { forced: true }],
    ['has forked into another session', 'fork', [], {}],
    ['reports its progress for ever', 'progress', [], {}],
    ['answers when it is cancelled', 'answer_when_cancelled', [], {}],
  ] as const)(
    '%s: the receipt is true, and nothing of it is left [tool.mcp] [cancel.bounded] [cancel.settled] [cancel.tool]',
    async (_, tool, manners, more) => {
      const server = hostile(...manners);
      const { runtime } = await withServer(server.spec);
      const before = server.pids();
      const turn = await runtime.start([`h__${tool}`]);
      const node = turn.nodeOf(`h__${tool}`);
      await hears(server, tool);

      const [answer, meanwhile] = await Promise.all([turn.cancel(), runtime.smallTalk()]);
      expect(meanwhile, 'other sessions are answered meanwhile').toBe('completed');
      const { nodes } = await turn.settled(answer);
      expect(nodes.find((settled) => settled.node === node)).toMatchObject({
        outcome: 'cancelled',
        effect: 'unknown',
        ...more,
      });
      expect(server.pids()).toEqual(tool === 'answer_when_cancelled' ? before : []);
      expect(turn.resultOf('done'), 'a finished result stays').toMatchObject({ outcome: 'completed' });
      expect(await turn.sayAgain(), 'the next turn works').toBe('completed');
      const again = await runtime.start(['h__echo', { text: 'again' }]);
      await until(() => again.resultOf('h__echo'), { what: 'the server to be back' });
      expect(again.resultOf('h__echo')).toMatchObject({ outcome: 'completed', output: 'again', effect: 'none' });
      await again.cancel();
    },
  );

  test.each([
    ['dies in the middle of a call', 'die', 'mcp_lost'],
    ['sends half a frame', 'half_a_frame', 'mcp_lost'],
    ['speaks nonsense', 'nonsense', 'mcp_protocol'],
    ['answers under a wrong id', 'wrong_id', 'mcp_protocol'],
    ['floods', 'flood', 'mcp_protocol'],
    ['sends a frame without end', 'huge_frame', 'mcp_protocol'],
  ])(
    '%s loses its own calls with a name, and its siblings run on [tool.mcp] [history.effect]',
    async (_, tool, code) => {
      const server = hostile();
      const { runtime } = await withServer(server.spec);
      const turn = await runtime.start([`h__${tool}`]);
      const result = await until(() => turn.resultOf(`h__${tool}`), { what: 'its failure' });
      expect(result).toMatchObject({ outcome: 'failed', code, effect: 'unknown' });
      expect(turn.resultOf('obedient'), 'a sibling runs on').toBeUndefined();
      expect(server.pids()).toEqual([]);
      await turn.cancel();
      expect(await turn.sayAgain()).toBe('completed');
    },
  );

  test('answers twice gives one result [cancel.boundaries] [tool.mcp]', async () => {
    const { runtime } = await withServer(hostile().spec);
    const turn = await runtime.start(['h__twice']);
    await until(() => turn.resultOf('h__twice'), { what: 'its result' });
    await turn.cancel();
    expect(await turn.sayAgain()).toBe('completed');
    const node = turn.nodeOf('h__twice');
    const results = turn.facts.filter((fact) => fact.type === 'tool_result' && fact.node === node);
    expect(results).toMatchObject([{ outcome: 'completed', output: 'the first answer' }]);
  });
});

test('a call that shares its server with a live one is abandoned, and its end is reported when the server has gone quiet [cancel.bounded] [tool.mcp]', async () => {
  const server = hostile();
  const { runtime } = await withServer(server.spec);
  const other = await runtime.start(['h__wait', { ms: scaled(2_500) }]);
  const turn = await runtime.start(['h__obey']);
  const node = turn.nodeOf('h__obey');
  await hears(server, 'obey');
  const answer = await turn.cancel();
  const { nodes } = await turn.settled(answer);
  expect(nodes.find((settled) => settled.node === node)).toMatchObject({ outcome: 'abandoned' });
  expect(other.resultOf('h__wait'), 'the live call was not ended for it').toBeUndefined();
  expect(await turn.sayAgain()).toBe('completed');

  await until(() => turn.facts.some((fact) => fact.type === 'abandoned_ended' && fact.node === node), {
    what: 'its late end',
  });
  expect(other.resultOf('h__wait')).toMatchObject({ outcome: 'completed', output: 'waited' });
  expect(server.pids()).toEqual([]);
  await other.cancel();
});

test('force skips the grace of a server that ignores TERM, though its tools are not killable [tool.mcp] [cancel.idempotent]', async () => {
  const server = hostile('deaf');
  const patient = { termGraceMs: 20_000, toolCancelMs: 25_000, forceCancelMs: 4_000, shutdownMs: 40_000 };
  const { runtime } = await withServer(server.spec, patient);
  const turn = await runtime.start(['h__wait']);
  await hears(server, 'wait');
  const answer = await turn.cancel({ force: true });
  const { nodes } = await turn.settled(answer);
  expect(nodes.find(({ node }) => node === turn.nodeOf('h__wait'))).toMatchObject({
    outcome: 'cancelled',
    forced: true,
  });
  expect(server.pids()).toEqual([]);
});

test('progress never delays a timeout [tool.mcp] [tool.timeout]', async () => {
  const patient = { termGraceMs: 1_000, toolCancelMs: 8_000, forceCancelMs: 4_000, shutdownMs: 20_000 };
  const { runtime } = await withServer({ ...hostile().spec, timeoutMs: 400 }, patient);
  const turn = await runtime.start(['h__progress']);
  const result = await until(() => turn.resultOf('h__progress'), { what: 'its timeout', ms: 12_000 });
  expect(result).toMatchObject({ outcome: 'timed_out' });
  expect(turn.outputs.length, 'it was at work all the while').toBeGreaterThan(5);
  await turn.cancel();
});

test('the published server that ignores cancellation settles within the budget [tool.mcp] [cancel.bounded]', async () => {
  const { runtime } = await withServer(published('server-everything', 'stdio'));
  const name = 'h__trigger-long-running-operation';
  const turn = await runtime.start([name, { duration: 60, steps: 600 }]);
  await until(() => turn.outputs.length > 0, { what: 'progress' });
  const answer = await turn.cancel();
  const { nodes } = await turn.settled(answer);
  expect(nodes.find(({ node }) => node === turn.nodeOf(name))).toMatchObject({ outcome: 'cancelled', effect: 'none' });
  expect(await turn.sayAgain()).toBe('completed');
});
