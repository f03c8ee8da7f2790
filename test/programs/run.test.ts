// `belay run` as a process: its stdout, its stderr, its exit code.
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createScriptedProvider } from '../../src/adapters/models/scripted.ts';
import { systemSources } from '../../src/core/sources/system.ts';
import { defineTool } from '../../src/core/tools/define-tool.ts';
import { createRuntime } from '../../src/embed/runtime.ts';
import { hostile } from '../adapters/mcp/mcp.ts';
import { living, newToken } from '../adapters/processes/processes.ts';
import { startChild } from '../support/child.ts';
import { startEndpoint, type TestEndpoint } from '../support/endpoint.ts';
import { FakeRuntime } from '../support/fake-runtime.ts';
import { startGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';

let endpoint: TestEndpoint;
beforeAll(async () => {
  endpoint = await startEndpoint();
});
afterAll(() => endpoint.close());

const token = `sleep ${newToken()}`;

async function run(...args: readonly string[]) {
  await endpoint.script([
    {
      when: { user: 'build', round: 0 },
      reply: { text: 'Building.', calls: [{ name: 'shell', arguments: { command: token } }] },
    },
    {
      when: { user: 'count', round: 0 },
      reply: { text: 'I look.', calls: [{ name: 'list_files', arguments: { path: '.' } }] },
    },
    {
      when: { user: 'list', round: 0 },
      reply: { calls: [{ name: 'shell', arguments: { command: 'echo listed' } }] },
    },
    { when: { user: 'break' }, reply: { status: 401 } },
    { reply: { text: 'Three.\u001b[31m' } },
  ]);
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'belay-run-')));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const env = { OPENAI_BASE_URL: endpoint.url }; // without a key: the start would warn that commands can read it
  return startChild('src/programs/belay.ts', { args: ['run', '--root', cwd, '--allow', 'shell', ...args], cwd, env });
}

describe('belay run', () => {
  test('only the result is written to stdout; progress goes to stderr [cli.chat]', async () => {
    const child = await run('count the files');
    expect(await child.ended(20_000)).toBe(0);
    expect(child.stdout()).toBe('Three.[31m\n');
    expect(child.stderr()).toMatch(/^ {2}> list_files \{"path":"\."\}\n {2}< list_files completed after [\d.]+ m?s\n$/);
  });

  test('the task may come from stdin', async () => {
    const child = await run();
    child.process.stdin?.end('count the files\n');
    expect(await child.ended(20_000)).toBe(0);
    expect(child.stdout()).toBe('Three.[31m\n');
  });

  test('--json: every event is a line, the last one has the outcome [cli.chat]', async () => {
    const child = await run('--json', 'count the files');
    expect(await child.ended(20_000)).toBe(0);
    const events = child
      .stdout()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const types = events.map(({ type }) => type);
    expect(types[0]).toBe('turn_opened');
    expect(types).toEqual(expect.arrayContaining(['text_delta', 'tool_call', 'tool_result', 'model_ended']));
    expect(events.at(-1)).toMatchObject({ type: 'turn_ended', outcome: 'completed' });
    expect(child.stderr()).toBe('');
  });

  test.each([[], ['--json']])(
    'Ctrl-C cancels: the receipt on stderr, exit code 130, no process left %j [cli.chat]',
    async (...flags) => {
      const child = await run('build it', ...flags);
      await until(() => living(token).length > 0, { ms: 20_000, what: `the command; ${child.stderr()}` });
      child.signal('SIGINT');
      expect(await child.ended(20_000)).toBe(130);
      expect(child.stderr()).toContain('Received interrupt. Cancelling all running tools...');
      expect(child.stderr()).toMatch(
        / {2}your turn: stopped in [\d.]+ m?s \(ran [\d.]+ m?s\); it may have had effects\n/,
      );
      expect(child.stderr()).toMatch(/ {2}shell: stopped /);
      expect(living(token)).toEqual([]);
      if (flags.length === 0) expect(child.stdout()).toBe('');
      else expect(JSON.parse(child.stdout().trim().split('\n').at(-1) ?? '')).toMatchObject({ type: 'cancel_settled' });
    },
  );

  test.each([
    {
      toolTimeouts: { shell: 400, browse: 5_000, files__read: 5_000 },
      mcpServers: { files: { command: 'no-such-one' } },
    },
    { builtin: { commandMs: 400 } },
  ])('a call ends at the configured timeout: %j [tool.timeout]', async (settings) => {
    const folder = mkdtempSync(join(tmpdir(), 'belay-run-config-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const config = join(folder, 'belay.json');
    writeFileSync(config, JSON.stringify(settings));
    const child = await run('--config', config, 'build it');
    expect(await child.ended(20_000)).toBe(0);
    expect(child.stderr()).toContain('. shell has not ended within 400 ms');
    expect(child.stderr()).toMatch(/< shell timed out after [\d.]+ m?s/);
    expect(living(token)).toEqual([]);
  });

  test('Ctrl-C during the start ends everything that was started: exit code 130, no process left [cli.chat] [cancel.clean]', async () => {
    const mute = hostile('mute', 'deaf');
    const file = join(realpathSync(mkdtempSync(join(tmpdir(), 'belay-run-'))), 'belay.json');
    onTestFinished(() => rmSync(dirname(file), { recursive: true, force: true }));
    writeFileSync(file, JSON.stringify({ mcpServers: { mute: mute.spec }, limits: { termGraceMs: 100 } }));
    const child = await run('--config', file, 'build it');
    await until(() => mute.pids().length > 0, { ms: 20_000, what: 'the MCP server to be started' });
    child.signal('SIGINT');
    expect(await child.ended(20_000)).toBe(130);
    expect(mute.pids()).toEqual([]);
    expect(child.stdout() + child.stderr()).toBe('');
  });

  test('a turn that does not complete exits with 1, and prints why', async () => {
    const child = await run('break it');
    expect(await child.ended(20_000)).toBe(1);
    expect(child.stdout()).toBe('');
    expect(child.stderr()).toMatch(/^\[failed: .*\(model_unauthorized\)\]\n$/);
  });

  test.each([
    [['--what'], /There is no flag --what/],
    [['--url', 'ws://127.0.0.1:9/belay', 'x'], /No connection to ws:\/\/127\.0\.0\.1:9\/belay\./],
    [['--allow', 'everything', 'x'], /The setting allow\[\d\] is invalid: it must be shell, /],
  ])('an error of %j is a sentence', async (args, says) => {
    const child = await run(...args);
    child.process.stdin?.end();
    expect(await child.ended(20_000)).toBe(1);
    expect(child.stderr()).toMatch(says);
    expect(child.stderr().trim().split('\n').length).toBeLessThan(3);
  });
});

describe('belay run at a gateway', () => {
  const remove = defineTool({
    name: 'remove',
    description: 'Asks first.',
    input: z.object({}),
    access: 'parallel',
    cancel: 'abortable',
    effect: 'some',
    approval: () => ({ text: 'remove it?' }),
    run: async () => 'removed',
  });
  const inquire = defineTool({
    name: 'inquire',
    description: 'Asks a speaker.',
    input: z.object({}),
    access: 'parallel',
    cancel: 'abortable',
    effect: 'none',
    run: (_, { ask }) => ask({ text: 'well?' }),
  });

  async function gateway(tool: string) {
    const provider = createScriptedProvider({
      clock: systemSources.clock,
      respond: ({ messages }) => {
        const last = messages.at(-1);
        if (last?.role === 'tool') return { steps: [{ text: `it said: ${last.content}` }] };
        return { steps: [{ call: { callId: 'p1', name: tool, arguments: '{}' } }] };
      },
    });
    const runtime = await createRuntime({ acknowledge: 'off', provider, tools: [remove, inquire] });
    onTestFinished(() => runtime.close());
    return (await startGateway({ runtime })).url;
  }
  const at = async (url: string, ...args: readonly string[]) => {
    const child = startChild('src/programs/belay.ts', { args: ['run', '--url', url, ...args] });
    expect(await child.ended(20_000)).toBe(0);
    return child;
  };

  test.each([
    { yes: ['--yes'], told: /< shell completed/ },
    { yes: [], told: /< shell denied/ },
  ])(
    'a built-in tool needs an approval where the configuration says so: $yes [ladder.call.approving]',
    async ({ yes, told }) => {
      const child = await run('--approve', 'shell', ...yes, 'list it');
      expect(await child.ended(20_000)).toBe(0);
      expect(child.stderr()).toContain('? shell asks local: Run shell with {"command":"echo listed"}?');
      expect(child.stderr()).toMatch(told);
    },
  );

  test('without --yes an approval is denied at once', async () => {
    const url = await gateway('remove');
    const no = await at(url, 'remove it');
    expect(no.stderr()).toContain('. remove: denied by');
    expect(no.stdout()).toMatch(/denied/);
    const yes = await at(url, '--yes', 'remove it');
    expect(yes.stdout()).toBe('it said: removed\n');
  });

  test('a call that asks a question is stopped, and the turn goes on', async () => {
    const child = await at(await gateway('inquire'), 'ask me');
    expect(child.stderr()).toContain('  inquire: stopped ');
    expect(child.stdout()).toMatch(/"cancelled":true/);
  });

  test('a closed terminal ends it, even if the gateway does not reply to the CANCEL [ops.shutdown.endings]', async () => {
    const runtime = new FakeRuntime();
    runtime.onSay = async () => ({ type: 'turn_opened', turn: 'turn_1' });
    runtime.onCancel = () => new Promise(() => {});
    const { url } = await startGateway({ runtime });
    const child = startChild('src/programs/belay.ts', { args: ['run', '--url', url, 'anything'] });
    await until(() => runtime.calls.some(({ command }) => command === 'say'), { ms: 10_000, what: 'the task' });
    child.signal('SIGHUP');
    expect(await child.ended(15_000)).toBe(130);
    await until(() => runtime.calls.at(-1)?.command === 'leave', { what: 'the end of its connection' });
  });
});

test('belay prints its commands', async () => {
  const help = startChild('src/programs/belay.ts');
  expect(await help.ended()).toBe(0);
  expect(help.stdout()).toContain('belay run "task"');
  const wrong = startChild('src/programs/belay.ts', { args: ['walk'] });
  expect(await wrong.ended()).toBe(1);
  expect(wrong.stderr()).toBe(
    'There is no command walk. There are serve, chat, run, acp, replay-decisions, stop, cancels, hosts, drain, sessions, show, export, delete, backup, copy, migrate, mcp-server, mcp, check-model.\n',
  );
});
