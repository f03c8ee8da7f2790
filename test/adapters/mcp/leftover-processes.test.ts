// Recovery and processes that calls of several sessions share: recovery leaves the processes of a live host alone.

import { expect, onTestFinished, test, vi } from 'vitest';
import type { ProcessStarted } from '../../../machines/facts.ts';
import { createScriptedProvider } from '../../../src/adapters/models/scripted.ts';
import { systemTable } from '../../../src/adapters/processes/process-family.ts';
import { systemProcesses } from '../../../src/adapters/processes/system-processes.ts';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import { terminateLeftoverProcesses } from '../../../src/core/runtime/leftover-processes.ts';
import { createLocalRuntime } from '../../../src/core/runtime/runtime.ts';
import { systemSources } from '../../../src/core/sources/system.ts';
import { bindSession } from '../../../src/embed/bound-session.ts';
import { createRecorder } from '../../../src/testing/recorder.ts';
import { callerOf, callsResponse } from '../../support/harness.ts';
import { until } from '../../support/until.ts';
import { wrapLog } from '../../support/wrap-log.ts';
import { living, newToken, runUnderDyingHost } from '../processes/processes.ts';
import { connected, hostile } from './mcp.ts';

const { clock, ids } = systemSources;
const bounds = { processes: systemProcesses, termGraceMs: 200, waitMs: 5_000, warn() {} };
const untilCalls = (server: ReturnType<typeof hostile>, count: number) =>
  until(() => server.received().filter(({ params }) => params?.['name'] === 'wait').length === count, {
    what: 'the calls',
  });

test('a host that takes over one session leaves the MCP server to the other host and its other sessions [store.durable] [tool.mcp]', async () => {
  const server = hostile();
  const { mcp } = await connected({ h: server.spec });
  const log = createMemoryLog();
  const provider = createScriptedProvider({ clock, respond: () => callsResponse(['h__wait', { ms: 600_000 }]) });
  const first = await createLocalRuntime({
    acknowledge: 'off',
    log,
    provider,
    processes: systemProcesses,
    tools: mcp.tools(),
    warn() {},
  });
  onTestFinished(() => first.close());
  const screens = new Map<string, ReturnType<typeof createRecorder>>();
  for (const id of ['s1', 's2']) {
    const screen = createRecorder(clock.now);
    screens.set(id, screen);
    const session = await bindSession(first, id);
    await session.join(callerOf('alice'), screen.listener, 0);
    await session.say(callerOf('alice'), { text: 'go' });
  }
  await untilCalls(server, 2);
  const before = server.pids();

  for (const { id } of await log.hosts()) await log.endLease(id); // as after a long pause of the first
  const second = await createLocalRuntime({
    acknowledge: 'off',
    log: wrapLog(log, { orphaned: async () => [] }),
    provider,
    processes: systemProcesses,
    warn() {},
  });
  onTestFinished(() => second.close());
  await bindSession(second, 's1');
  expect(server.pids()).toEqual(before);
  expect(screens.get('s2')?.of('tool_result')).toEqual([]);
});

test('an MCP server whose host is dead is terminated, for all calls on it [store.durable] [tool.mcp]', async () => {
  const server = hostile('deaf');
  const { call } = await connected({ h: server.spec });
  const waiting = [call('h__wait'), call('h__wait')];
  await untilCalls(server, 2);
  const started = waiting.map(({ processes, context }): ProcessStarted => {
    const [process] = processes;
    if (!process?.shared) throw new Error('it is shared');
    const host = { ...process.shared.host, startTime: 'another time' };
    return { type: 'process_started', node: context.call, ...process, shared: { ...process.shared, host } };
  });
  const calls = started.map(({ node }) => node);
  expect(calls).toHaveLength(2);
  expect(await terminateLeftoverProcesses({ calls, facts: started, ...bounds })).toEqual(calls);
  expect(server.pids()).toEqual([]);
});

test('a process is not terminated if the state of its host cannot be read, and a warning names both [store.durable] [tool.mcp]', async () => {
  const server = hostile();
  const { call } = await connected({ h: server.spec });
  const { processes, context } = call('h__wait');
  await untilCalls(server, 1);
  const [started] = processes;
  if (!started) throw new Error('it has started');
  const before = server.pids();
  const read = vi.spyOn(systemTable, 'read').mockImplementation(() => {
    throw Object.assign(new Error('no descriptor is free'), { code: 'EMFILE' });
  });
  onTestFinished(() => read.mockRestore());
  const warnings: string[] = [];
  const facts: readonly ProcessStarted[] = [{ type: 'process_started', node: context.call, ...started }];
  const options = { ...bounds, facts, warn: (message: string) => void warnings.push(message) };
  expect(await terminateLeftoverProcesses({ calls: [context.call], ...options })).toEqual([]);
  read.mockRestore();
  expect(server.pids()).toEqual(before);
  const marker = started.shared?.marker;
  expect(warnings).toEqual([
    `The processes marked BELAY_NODE=${marker} are not terminated: the state of their host (pid ${started.shared?.host.pid}) cannot be read.`,
  ]);
});

test.runIf(process.platform === 'linux')(
  'processes of an MCP server whose first process has ended are found by their marker [store.durable] [tool.mcp]',
  async () => {
    const [token, marker, node] = [newToken(), ids('mcp'), ids('call')];
    const { group, startTime } = await runUnderDyingHost('leaves-group.sh', token, marker);
    process.kill(group, 'SIGKILL');
    await until(() => systemTable.read(group)?.state !== 'alive', { what: 'the leader to be dead' });
    expect(living(token)).not.toEqual([]);
    const shared = { marker, host: { pid: process.pid, startTime: 'another time' } };
    const facts: readonly ProcessStarted[] = [{ type: 'process_started', node, group, startTime, shared }];
    expect(await terminateLeftoverProcesses({ calls: [node], facts, ...bounds })).toEqual([node]);
    expect(living(token)).toEqual([]);
  },
);
