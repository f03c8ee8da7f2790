// Changes of the tools of a server: they count for the next request to a model, and no server delays that for long.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { connectMcpServers } from '../../../src/adapters/mcp/servers.ts';
import { mcpServersOnDemand } from '../../../src/adapters/mcp/servers-on-demand.ts';
import { createScriptedProvider } from '../../../src/adapters/models/scripted.ts';
import type { ToolSource } from '../../../src/core/contracts/tool-source.ts';
import { systemSources } from '../../../src/core/sources/system.ts';
import { createVirtualClock } from '../../../src/core/sources/virtual.ts';
import { createRuntime } from '../../../src/embed/runtime.ts';
import { callsResponse, textResponse } from '../../support/harness.ts';
import { patientLimits } from '../../support/patient-limits.ts';
import { until } from '../../support/until.ts';
import { connected, type Faulty, faulty } from './mcp.ts';

const readyMs = 20_000;

/** The sources of tools that have one server: of a runtime, and of a session. */
const sources: Readonly<Record<string, (server: Faulty) => Promise<ToolSource>>> = {
  async 'of a runtime'({ spec }) {
    const mcp = await connectMcpServers({ servers: { f: spec }, ...systemSources, readyMs });
    onTestFinished(() => mcp.close());
    return mcp;
  },
  'of a session': async ({ spec }) => mcpServersOnDemand({ servers: { f: spec }, ...systemSources, readyMs }),
};

test.for(Object.entries(sources))(
  'a tool that a call on a server %s has added is there with the next model request [tool.mcp]',
  async ([, connect]) => {
    const source = await connect(faulty());
    const offered: (readonly string[])[] = [];
    const provider = createScriptedProvider({
      clock: systemSources.clock,
      respond({ tools }) {
        offered.push(tools.map(({ name }) => name));
        return offered.length === 1 ? callsResponse(['f__add_tool']) : textResponse('done');
      },
    });
    const session = () => ({ toolSources: [source] });
    const runtime = await createRuntime({ acknowledge: 'off', provider, session, limits: patientLimits });
    onTestFinished(() => runtime.close({ force: true }));
    await using ann = (await runtime.session('s')).as('ann');
    await ann.say('add a tool').reply();
    expect(offered.map((names) => names.includes('f__added'))).toEqual([false, true]);
  },
);

test('a server that is slow to list its changed tools is waited for within the limit, once for each change [tool.mcp]', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'belay-mcp-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const relist = join(folder, 'relist');
  const clock = createVirtualClock();
  const { mcp, call } = await connected({ f: faulty(`relist=${relist}`).spec }, {}, { clock, readyMs: 3_000 });
  const before = mcp.tools();
  await clock.advance(1_000);
  await call('f__add_tool').end;
  let isReady = false;
  const waiting = mcp.ready().then(() => {
    isReady = true;
  });
  await clock.advance(2_999);
  expect(isReady).toBe(false);
  await clock.advance(1);
  await waiting;
  await mcp.ready();
  expect(mcp.tools(), 'as they were').toBe(before);
  writeFileSync(relist, '');
  await until(() => mcp.tools().some(({ name }) => name === 'f__added'), { what: 'the new tool' });
});

test('a server that says with each list that its tools have changed is not asked without a pause [tool.mcp] [access.share]', async () => {
  const clock = createVirtualClock();
  const { call } = await connected({ f: faulty('restless').spec }, {}, { clock });
  const listings = async () => (await call('f__listings').end).output;
  expect(await listings()).toBe('1');
  for (const expected of ['2', '3']) {
    await clock.advance(250);
    await until(async () => (await listings()) === expected, { what: `listing ${expected}` });
    expect([await listings(), await listings()]).toEqual([expected, expected]);
  }
});
