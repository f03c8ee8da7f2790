// Resources and prompts that people name: READ lists and reads them, a SAY says them, and a replay needs no server.
import { expect, onTestFinished, test } from 'vitest';
import { listForPeople, readForPeople } from '../../../src/adapters/mcp/people-offers.ts';
import type { ServerReads } from '../../../src/adapters/mcp/server-reads.ts';
import { connectMcpServers } from '../../../src/adapters/mcp/servers.ts';
import { mcpServersOnDemand } from '../../../src/adapters/mcp/servers-on-demand.ts';
import { createScriptedProvider } from '../../../src/adapters/models/scripted.ts';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import { systemSources } from '../../../src/core/sources/system.ts';
import { createVirtualSources } from '../../../src/core/sources/virtual.ts';
import { onlyToolsOf } from '../../../src/core/tools/only-tools.ts';
import { createRuntime, type RuntimeOptions } from '../../../src/embed/runtime.ts';
import { textResponse } from '../../support/harness.ts';
import { published } from './mcp.ts';

const servers = { every: published('server-everything', 'stdio') };

async function start(options: Partial<RuntimeOptions> = {}) {
  const provider = createScriptedProvider({ clock: systemSources.clock, respond: () => textResponse('read') });
  const runtime = await createRuntime({ acknowledge: 'off', provider, ...options });
  onTestFinished(() => runtime.close({ force: true }));
  return { runtime, provider, ann: (await runtime.session('s')).as('ann') };
}

async function startWithServer(options: Partial<RuntimeOptions> = {}) {
  const mcp = await connectMcpServers({ servers, ...systemSources });
  onTestFinished(() => mcp.close());
  return { mcp, ...(await start({ toolSources: [mcp], ...options })) };
}

const refusal = (message: RegExp) => ({
  name: 'CommandRefused',
  code: 'not_readable',
  message: expect.stringMatching(message),
});

test('what a server offers is listed, read, and said; the model and a later life have it without the server [tool.mcp] [store.durable]', async () => {
  const log = createMemoryLog();
  const { mcp, runtime, provider, ann } = await startWithServer({ log });
  const { offers = [] } = await ann.read();
  expect(offers.map(({ server }) => server)).toEqual(['every']);
  expect(offers[0]?.prompts).toContainEqual({
    name: 'args-prompt',
    arguments: [
      { name: 'city', required: true },
      { name: 'state', required: false },
    ],
  });
  const uri = offers[0]?.resources.find(({ uri: one }) => one.endsWith('.md'))?.uri ?? '';
  const { parts = [] } = await ann.read({ server: 'every', resource: uri });
  expect(parts[0]).toEqual({ type: 'text', text: `[resource every:${uri}]` });
  const prompt = await ann.read({ server: 'every', prompt: 'args-prompt', arguments: { city: 'Kyiv' } });
  expect(JSON.stringify(prompt.parts)).toMatch(/prompt every:args-prompt.*Kyiv/s);

  await ann.say('what is this?', { parts: [{ type: 'text', text: 'what is this?' }, ...parts] }).reply();
  const said = String(provider.requests.at(-1)?.messages.at(-1)?.content);
  expect(said).toMatch(/what is this\?\n.*\[resource every:[^\n]+\n[^\n]*# /);
  await runtime.close();
  await mcp.close();

  const later = await start({ log });
  await later.ann.say('and now?').reply();
  expect(JSON.stringify(later.provider.requests.at(-1)?.messages)).toContain(`[resource every:${uri}]`);
});

test('an image of a resource or a prompt is a blob of the session [tool.mcp]', async () => {
  const { ann } = await startWithServer();
  const { offers = [] } = await ann.read({ server: 'every' });
  const names = offers[0]?.prompts.map(({ name }) => name) ?? [];
  expect(names).toContain('resource-prompt');
  const { parts = [] } = await ann.read({
    server: 'every',
    prompt: 'resource-prompt',
    arguments: { resourceType: 'Blob', resourceId: '1' },
  });
  const blob = parts.find((part) => part.type !== 'text');
  expect(blob).toMatchObject({ blob: expect.stringMatching(/^[0-9a-f]{64}$/) });
  const turn = ann.say('look', { parts: [{ type: 'text', text: 'look' }, ...parts] });
  expect(await turn.ended, 'a SAY may name it').toMatchObject({ outcome: 'completed' });
});

test('what is not there is refused by name, and says what there is [tool.mcp]', async () => {
  const { ann } = await startWithServer();
  await expect(ann.read({ server: 'bob', resource: 'hi' })).rejects.toMatchObject(
    refusal(/no MCP server bob with resources or prompts: there are every/),
  );
  await expect(ann.read({ server: 'bob' })).rejects.toMatchObject(refusal(/no MCP server bob/));
  await expect(ann.read({ server: 'every', resource: 'demo://nothing' })).rejects.toMatchObject(
    refusal(/^The MCP server every .*demo:\/\/nothing/),
  );
  await expect(ann.read({ server: 'every', prompt: 'nothing' })).rejects.toMatchObject(refusal(/every .*nothing/));
  const { ann: alone } = await start();
  await expect(alone.read({ server: 'every', prompt: 'x' })).rejects.toMatchObject(refusal(/none offers anything/));
  expect((await alone.read()).offers).toEqual([]);
});

test('servers of a session start for it, and a session reads its own only [tool.mcp] [access.join]', async () => {
  const options = { servers, ...systemSources, readyMs: 20_000 };
  const session = (id: string) => (id === 's' ? { toolSources: [mcpServersOnDemand(options)] } : {});
  const { runtime, ann } = await start({ session });
  expect((await ann.read()).offers?.map(({ server }) => server)).toEqual(['every']);
  const other = (await runtime.session('other')).as('ann');
  await expect(other.read({ server: 'every', prompt: 'simple-prompt' })).rejects.toMatchObject(
    refusal(/no MCP server/),
  );
});

test('a session that is not offered the reads of a server has nothing of it to name [tool.mcp]', async () => {
  const { mcp } = await startWithServer();
  const { ann } = await start({ toolSources: [onlyToolsOf(mcp, ['every__echo', 'every__get_prompt'])] });
  const [offer] = (await ann.read()).offers ?? [];
  expect(offer).toMatchObject({ resources: [], prompts: expect.arrayContaining([expect.anything()]) });
  await expect(ann.read({ server: 'every', resource: 'demo://x' })).rejects.toMatchObject(refusal(/no MCP server/));
});

test('a server that does not respond to a read is waited for up to a limit, and named [tool.mcp]', async () => {
  const { clock } = createVirtualSources();
  const stoppedBy = (signal: AbortSignal) =>
    new Promise<'stopped'>((resolve) => signal.addEventListener('abort', () => resolve('stopped')));
  const server: ServerReads = { listOffers: stoppedBy, read: (_, signal) => stoppedBy(signal) };
  const options = { serverName: 'deaf', server, clock, limits: { startMs: 30_000 }, redact: (text: string) => text };
  const list = listForPeople(options);
  const content = readForPeople({ server: 'deaf', resource: 'x' }, options);
  await clock.advance(30_000);
  expect(await list).toBeNull();
  expect(await content).toEqual({ ok: false, message: 'The MCP server deaf did not respond within 30000 ms.' });
});
