// Servers made with both majors of the official SDK, whose tools have run and then return what is no valid result.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Fact, ToolResult } from '../../../machines/facts.ts';
import { connectMcpServers } from '../../../src/adapters/mcp/servers.ts';
import { createScriptedProvider } from '../../../src/adapters/models/scripted.ts';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import { systemSources } from '../../../src/core/sources/system.ts';
import { createRuntime } from '../../../src/embed/runtime.ts';
import { textResponse } from '../../support/harness.ts';
import { programs } from '../processes/processes.ts';

interface Used {
  /** The stored results of the calls. */
  readonly stored: readonly ToolResult[];
  /** What the model's next request says of them. */
  readonly read: readonly { readonly effect: string; readonly message: string }[];
  /** The tools that have run. */
  readonly ran: readonly string[];
}

/** Has a model call tools of a server with these arguments, all in one response. */
async function use(major: string, names: readonly string[], input: unknown): Promise<Used> {
  const folder = mkdtempSync(join(tmpdir(), 'belay-mcp-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'ran');
  const server = { command: process.execPath, args: [join(programs, 'mcp-invalid-result-server.ts'), file, major] };
  const mcp = await connectMcpServers({ servers: { s: server }, ...systemSources });
  onTestFinished(() => mcp.close());
  const calls = names.map((name) => ({ callId: name, name: `s__${name}`, arguments: JSON.stringify(input) }));
  const provider = createScriptedProvider({
    clock: systemSources.clock,
    respond: (_, n) => (n === 0 ? { steps: calls.map((call) => ({ call })) } : textResponse('done')),
  });
  const log = createMemoryLog();
  const runtime = await createRuntime({ acknowledge: 'off', provider, toolSources: [mcp], log });
  onTestFinished(() => runtime.close({ force: true }));
  await using ann = (await runtime.session('s')).as('ann');
  await ann.say('go').reply();
  const facts = (await log.read('s', 0)).map(({ body }) => body as Fact);
  const messages = provider.requests.at(-1)?.messages ?? [];
  const lines = readFileSync(file, { encoding: 'utf8', flag: 'a+' }).split('\n');
  return {
    stored: facts.filter((fact) => fact.type === 'tool_result'),
    read: messages.filter(({ role }) => role === 'tool').map(({ content }) => JSON.parse(String(content))),
    ran: lines.filter((line) => line !== '').toSorted(),
  };
}

const tools = [
  'content_no_list',
  'structured_missing',
  'structured_no_object',
  'structured_other',
  'unknown_block',
  'untyped_block',
  'untyped_no_list',
];
const majors = ['first', 'second', 'second-stateless'];

test.each(majors)(
  'a tool that has run may have had effects, although its result is invalid: SDK %s [history.effect] [tool.mcp]',
  async (major) => {
    const { stored, read, ran } = await use(major, tools, { city: 'Kyiv' });
    expect(ran).toEqual(tools);
    expect(stored.map(({ outcome, effect }) => `${outcome}, ${effect}`)).toEqual(tools.map(() => 'failed, unknown'));
    expect(read.map(({ effect }) => effect)).toEqual(tools.map(() => 'unknown'));
    for (const { message } of read)
      expect(message).toMatch(/It may have had effects: find out before anything is repeated\.$/);
  },
);

test('arguments that Belay itself refuses are not sent, and the call did not run [history.effect] [tool.mcp]', async () => {
  const { stored, read, ran } = await use('first', tools.slice(0, 1), ['Kyiv']);
  expect(ran).toEqual([]);
  expect(stored).toMatchObject([{ outcome: 'failed', code: 'bad_arguments', effect: 'not_started' }]);
  expect(read).toMatchObject([{ effect: 'not_started', message: expect.stringMatching(/It did not run\.$/) }]);
});

test('what a server refuses is read by the model, and may have had effects: its word proves nothing [history.effect] [tool.mcp]', async () => {
  const { stored, read, ran } = await use('second', tools.slice(0, 1), { city: 7 });
  expect(ran).toEqual([]);
  expect(stored).toMatchObject([{ outcome: 'failed', effect: 'unknown', output: expect.stringMatching(/city/) }]);
  expect(read).toMatchObject([{ effect: 'unknown' }]);
});
