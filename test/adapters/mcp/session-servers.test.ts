// MCP servers of a session: their processes start with its first request, end with it, and no other session reaches them.
import { expect, onTestFinished, test } from 'vitest';
import { ServerSlots } from '../../../src/adapters/mcp/server-slots.ts';
import { mcpServersOnDemand } from '../../../src/adapters/mcp/servers-on-demand.ts';
import { createScriptedProvider } from '../../../src/adapters/models/scripted.ts';
import { systemSources } from '../../../src/core/sources/system.ts';
import { createRuntime, type RuntimeOptions } from '../../../src/embed/runtime.ts';
import { callsResponse, textResponse } from '../../support/harness.ts';
import { patientLimits } from '../../support/patient-limits.ts';
import { until } from '../../support/until.ts';
import { faulty, type Hostile, hostile } from './mcp.ts';

interface Started {
  readonly runtime: Awaited<ReturnType<typeof createRuntime>>;
  /** What the model was offered, in each request. */
  readonly offered: readonly (readonly string[])[];
}

/** A runtime whose sessions have the server of their id as `own`. Its model calls the tool that the words name, and says the result. */
async function startRuntime(
  servers: Readonly<Record<string, Pick<Hostile, 'spec'>>>,
  { slots, ...more }: Partial<RuntimeOptions> & { readonly slots?: ServerSlots } = {},
): Promise<Started> {
  const offered: string[][] = [];
  const provider = createScriptedProvider({
    clock: systemSources.clock,
    respond({ messages, tools }) {
      offered.push(tools.map(({ name }) => name));
      const last = messages.at(-1);
      const text = String(last?.content);
      return last?.role === 'tool' ? textResponse(text) : callsResponse([text]);
    },
  });
  const session = (id: string) => {
    const server = servers[id];
    if (!server) return {};
    const options = { servers: { own: server.spec }, ...systemSources, termGraceMs: 300, readyMs: 20_000 };
    return { toolSources: [mcpServersOnDemand({ ...options, slots })] };
  };
  const runtime = await createRuntime({
    acknowledge: 'off',
    provider,
    session,
    ...more,
    limits: { ...patientLimits, ...more.limits },
  });
  onTestFinished(() => runtime.close({ force: true }));
  return { runtime, offered };
}

/** Says the name of a tool in the session, and resolves with its result. */
async function use({ runtime }: Started, session: string, tool: string): Promise<string> {
  await using ann = (await runtime.session(session)).as('ann');
  return await ann.say(tool).reply();
}

test('they start with the first request of a model, not with the session; each session has a process of its own [tool.mcp] [access.join]', async () => {
  const servers = { a: faulty('a'), b: hostile() };
  const started = await startRuntime(servers);
  for (const id of ['a', 'b', 'c']) await started.runtime.session(id);
  expect([...servers.a.pids(), ...servers.b.pids()]).toEqual([]);

  expect(await use(started, 'a', 'own__screenshot')).toBe('a screenshot as png');
  expect(servers.a.pids()).toHaveLength(1);
  expect(servers.b.pids()).toEqual([]);
  expect(started.offered.at(-1)).toContain('own__screenshot');

  // b has a server of the same name, without this tool; c has none
  expect(await use(started, 'b', 'own__screenshot')).toContain(
    'no tool named own__screenshot: the MCP server own does not have it',
  );
  expect(await use(started, 'c', 'own__screenshot')).toMatch(/no tool named own__screenshot\./);
  expect(started.offered.at(-1)?.filter((name) => name.startsWith('own__'))).toEqual([]);
});

test('they end when the session falls asleep, and start again when it is used [cancel.clean]', async () => {
  const server = faulty();
  const started = await startRuntime({ a: server }, { limits: { idleMs: 200 } });
  await use(started, 'a', 'own__screenshot');
  const [first] = server.pids();
  await until(() => server.pids().length === 0, { ms: 10_000, what: 'the server to end' });
  expect(await use(started, 'a', 'own__screenshot')).toBe('a screenshot as png');
  expect(server.pids()).not.toContain(first);
});

test('they end with the runtime, also during a call that does not end [cancel.clean] [ops.shutdown]', async () => {
  const server = hostile('deaf');
  const started = await startRuntime({ a: server });
  const ann = (await started.runtime.session('a')).as('ann');
  const turn = ann.say('own__wait');
  turn.ended.catch(() => {});
  await until(() => server.pids().length > 0 && server.received().some(({ params }) => params?.['name'] === 'wait'));
  await started.runtime.close();
  expect(server.pids()).toEqual([]);
});

test('a session that is deleted has left no process [cancel.clean]', async () => {
  const server = faulty();
  const started = await startRuntime({ a: server }, { limits: { idleMs: 100 } });
  await use(started, 'a', 'own__screenshot');
  const remove = () => started.runtime.sessions.delete('a').catch(() => false);
  await until(remove, { ms: 10_000, what: 'the session to be deleted' });
  expect(server.pids()).toEqual([]);
});

test('a CANCEL stops a call on them, and its server [tool.mcp] [cancel.bounded]', async () => {
  const server = hostile('deaf');
  const started = await startRuntime({ a: server });
  const ann = (await started.runtime.session('a')).as('ann');
  const turn = ann.say('own__wait');
  await until(() => server.pids().length > 0 && server.received().some(({ params }) => params?.['name'] === 'wait'));
  const receipt = await turn.cancel({ reason: 'enough' }).settled;
  expect(receipt?.nodes.find(({ kind }) => kind === 'tool-call')).toMatchObject({ outcome: 'cancelled' });
  expect(server.pids()).toEqual([]);
});

test('a CANCEL while they start ends the turn at once, and they end with the session [cancel.bounded] [cancel.clean]', async () => {
  const server = faulty('until=/nowhere/file');
  const started = await startRuntime({ a: server });
  const ann = (await started.runtime.session('a')).as('ann');
  const turn = ann.say('own__screenshot');
  await until(() => server.pids().length === 1, { what: 'the server to start' });
  await turn.cancel().settled;
  expect(await turn.ended).toMatchObject({ outcome: 'cancelled' });
  expect(started.offered).toEqual([]);
  await started.runtime.close();
  expect(server.pids()).toEqual([]);
});

test('over the limit a session has no servers, which its model and standard error report; it has them when there is room [access.share]', async () => {
  const warnings: string[] = [];
  const slots = new ServerSlots({ max: 1, warn: (message) => void warnings.push(message) });
  const servers = { a: faulty('a'), b: faulty('b') };
  const started = await startRuntime(servers, { slots, limits: { idleMs: 200 } });
  const ann = (await started.runtime.session('a')).as('ann'); // keeps it awake
  await ann.say('own__screenshot').reply();
  expect(await use(started, 'b', 'own__screenshot')).toContain('too many MCP servers of sessions run now');
  expect(warnings).toEqual([
    '1 MCP servers of sessions run, and 1 more would be over the limit of 1: a session has none of its own for now',
  ]);
  expect(servers.b.pids()).toEqual([]);
  await ann.leave();
  await until(() => servers.a.pids().length === 0, { ms: 10_000, what: 'the server of a to end' });
  await until(async () => (await use(started, 'b', 'own__screenshot')) === 'a screenshot as png', { ms: 10_000 });
});

test('the model that calls a failed server of its session gets a result in words [tool.mcp]', async () => {
  const started = await startRuntime({ a: { spec: { command: '/nowhere/server' } } as Pick<Hostile, 'spec'> });
  expect(await use(started, 'a', 'own__screenshot')).toMatch(/the MCP server own did not start: .*ENOENT/);
});

test('a wrong configuration is refused by name', () => {
  const wrong = { servers: { own: { url: 'ftp://example.org' } }, ...systemSources };
  expect(() => mcpServersOnDemand(wrong)).toThrow(/^servers\.own/);
});
