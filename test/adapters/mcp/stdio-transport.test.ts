// The start of a server on stdio: without a known owner its process does not run.
import { expect, onTestFinished, test, vi } from 'vitest';
import { McpFailure } from '../../../src/adapters/mcp/mcp-failure.ts';
import { defaultMcpLimits } from '../../../src/adapters/mcp/mcp-limits.ts';
import { openStdioTransport } from '../../../src/adapters/mcp/stdio-transport.ts';
import { systemTable } from '../../../src/adapters/processes/process-family.ts';
import { systemSources } from '../../../src/core/sources/system.ts';
import { hostile, termGraceMs } from './mcp.ts';

test('a process that cannot read its own entry in the process table fails the start by name, and starts nothing [tool.mcp] [tool.process]', async () => {
  const server = hostile();
  const { read } = systemTable;
  const spy = vi.spyOn(systemTable, 'read').mockImplementation((pid) => {
    if (pid !== process.pid) return read(pid);
    throw Object.assign(new Error('no descriptor is free'), { code: 'EMFILE' });
  });
  onTestFinished(() => spy.mockRestore());
  const failure = await openStdioTransport(server.spec, {
    ...systemSources,
    limits: defaultMcpLimits,
    termGraceMs,
  }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(McpFailure);
  expect(failure).toMatchObject({ code: 'mcp_unavailable' });
  expect(server.pids()).toEqual([]);
});
