// `npm start` as a process: its output, its sessions, its exit code.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { addressWithKnownKey } from '../../src/client/known-key.ts';
import { addressWithoutKey } from '../../src/wire/gateway-key.ts';
import { hostile } from '../adapters/mcp/mcp.ts';
import { living, newToken } from '../adapters/processes/processes.ts';
import { connectChecked } from '../support/checked-client.ts';
import { type Child, type ChildOptions, startChild } from '../support/child.ts';
import { startEndpoint } from '../support/endpoint.ts';
import { untilRunning } from '../support/journey.ts';
import { connectRaw, refusedUpgrade } from '../support/raw-client.ts';
import { until } from '../support/until.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'belay-serve-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function start({ args = [], ...options }: ChildOptions = {}): Promise<{ serve: Child; url: string }> {
  const serve = startChild('src/programs/serve.ts', { args: ['--port', '0', ...args], ...options });
  const [, url = ''] = await serve.untilPrinted(/listens at (\S+)/, 30_000);
  return { serve, url };
}

describe('npm start', () => {
  test('without a key it prints that the model is scripted, its address and the next command; and it replies', async () => {
    const cwd = folder();
    const { serve, url } = await start({ cwd });
    expect(serve.stdout()).toMatch(/SCRIPTED/);
    expect(serve.stdout()).toMatch(/ {2}tools +read_file, .*cancel_call, spawn_agent\n {2}agents +researcher\n/);
    expect(serve.stdout()).toContain(`npm run chat -- ${addressWithoutKey(url)}\n`);
    expect(serve.stdout()).toContain(join('.belay', 'belay.sqlite'));
    expect(existsSync(join(cwd, '.belay', 'tour', 'project', 'notes.md'))).toBe(true);

    const client = await connectChecked({ url });
    const turn = client.session('demo').say('hello');
    let text = '';
    for await (const event of turn) if (event.type === 'text_delta') text += event.text;
    expect(text).toContain('(scripted model)');
    expect(await turn.ended).toMatchObject({ outcome: 'completed' });
    expect(existsSync(join(cwd, '.belay', 'belay.sqlite'))).toBe(true);
    await client.close();
    serve.signal('SIGTERM');
    expect(await serve.ended(20_000)).toBe(0);
  });

  test('its metrics count what it does, and can be read without the key [ops.metrics.door]', async () => {
    const { serve, url } = await start({ args: ['--store', 'memory'], cwd: folder() });
    const scrape = async () => (await fetch(new URL('/metrics', url.replace('ws:', 'http:')))).text();
    expect(await scrape()).toContain('belay_active_sessions 0');
    const client = await connectChecked({ url });
    await client.session('demo').say('hello').ended;
    const text = await scrape();
    expect(text).toContain('belay_turns_total{kind="say",outcome="completed"} 1');
    expect(text).toContain('belay_active_sessions 1');
    expect(text).toContain('belay_connections 1');
    expect(text).toContain('nodejs_eventloop_lag_p99_seconds');
    await client.close();
    serve.signal('SIGTERM');
    expect(await serve.ended(20_000)).toBe(0);
  });

  test('it needs the key of its start, which clients of its user find until it ends [access.secrets] [ws.auth]', async () => {
    const { serve, url } = await start({ args: ['--store', 'memory'], cwd: folder() });
    const bare = addressWithoutKey(url);
    expect(url).toMatch(/\?key=[\w-]{32}$/);
    expect(await refusedUpgrade(bare)).toBe(401);
    expect(await refusedUpgrade(`${bare}?key=${'x'.repeat(32)}`)).toBe(401);
    const client = await connectChecked({ url: bare, reconnect: false });
    expect(client.speaker).toBe('local');
    expect(addressWithKnownKey(bare)).toBe(url);
    serve.signal('SIGTERM');
    expect(await serve.ended(20_000)).toBe(0);
    expect(addressWithKnownKey(bare)).toBe(bare);
  });

  test('with --no-key it needs none, and says what that means', async () => {
    const { serve, url } = await start({ args: ['--store', 'memory', '--no-key'], cwd: folder() });
    expect(url).not.toContain('key=');
    expect(serve.stdout()).toContain('every process on this machine is "local" (--no-key)');
    await connectRaw(url);
    serve.signal('SIGTERM');
    expect(await serve.ended(20_000)).toBe(0);
  });

  test('a signal while an MCP server starts ends it at once, with the server [ops.shutdown.endings] [tool.mcp]', async () => {
    const cwd = folder();
    const token = newToken();
    const program = `/* ${token} */ process.stdin.resume()`; // it says nothing
    const mcpServers = { silent: { command: process.execPath, args: ['-e', program] } };
    writeFileSync(join(cwd, 'belay.json'), JSON.stringify({ store: 'memory', mcpReadyMs: 600_000, mcpServers }));
    const args = ['--port', '0', '--config', 'belay.json'];
    const serve = startChild('src/programs/serve.ts', { args, cwd });
    await untilRunning(token);
    serve.signal('SIGTERM');
    await serve.ended(60_000);
    expect(serve.stderr(), 'it has not waited for the server').not.toContain('did not respond');
    expect(living(token)).toEqual([]);
    expect(serve.stdout()).not.toContain('listens at');
  });

  test('what an MCP server prints before it fails moves no cursor of the terminal [access.names]', async () => {
    const cwd = folder();
    const program = 'console.error("Error: \\u001b[2J\\u202eno access"); process.exit(1)';
    const config = { store: 'memory', mcpServers: { bad: { command: process.execPath, args: ['-e', program] } } };
    writeFileSync(join(cwd, 'belay.json'), JSON.stringify(config));
    const { serve } = await start({ args: ['--config', 'belay.json'], cwd });
    await serve.untilPrinted('no access');
    expect(serve.stdout() + serve.stderr()).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
    serve.signal('SIGTERM');
    expect(await serve.ended(20_000)).toBe(0);
  });

  test('the script runs three tools and a sub-agent at once', async () => {
    const { url } = await start({ args: ['--store', 'memory'], cwd: folder() });
    const client = await connectChecked({ url });
    const session = client.session('demo');
    const names = new Map<string, string>();
    const running = new Set<string>();
    session.on('tool_call', ({ node, name }) => names.set(node, name));
    session.on('tool_started', ({ node }) => running.add(node));
    session.on('tool_result', ({ node }) => running.delete(node));
    const turn = session.say('research this and run the build');
    const wanted = ['run_code', 'shell', 'shell', 'spawn_agent'];
    const atWork = () => [...running].map((node) => names.get(node) ?? '').filter((name) => wanted.includes(name));
    await until(() => atWork().sort().join() === wanted.join(), { ms: 30_000 });
    const receipt = await turn.cancel().settled;
    expect(receipt?.nodes.filter(({ kind, effect }) => kind === 'tool-call' && effect === 'unknown')).toHaveLength(3);
    expect(receipt?.nodes.filter(({ kind }) => kind === 'sub-agent')).toHaveLength(1);
    await client.close();
  });

  test('a signal stops running turns, closes the clients by name, and exits with 0 [ops.shutdown]', async () => {
    const { serve, url } = await start({ args: ['--store', 'memory'], cwd: folder() });
    const client = await connectChecked({ url, reconnect: false });
    const session = client.session('demo');
    const heard: string[] = [];
    session.on('*', (frame) => heard.push(frame.type));
    session.on('cancel_accepted', (frame) => heard.push(frame.source));
    session.say('research this and run the build');
    await until(() => heard.includes('tool_started'), { ms: 20_000 });
    serve.signal('SIGINT');
    expect(await client.closed).toMatchObject({ reason: 'shutdown' });
    expect(heard).toEqual(expect.arrayContaining(['shutdown', 'turn_ended', 'cancel_settled', 'left']));
    expect(heard.indexOf('turn_ended')).toBeLessThan(heard.indexOf('cancel_settled'));
    expect(await serve.ended(20_000)).toBe(0);
    expect(serve.stderr()).toBe('');
  });

  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s during the start ends everything that was started, and exits with 0 [ops.shutdown] [cancel.clean]',
    async (name) => {
      const cwd = folder();
      const mute = hostile('mute', 'started');
      const file = join(cwd, 'belay.json');
      writeFileSync(file, JSON.stringify({ mcpServers: { mute: mute.spec }, limits: { termGraceMs: 100 } }));
      const serve = startChild('src/programs/serve.ts', { args: ['--port', '0', '--config', file], cwd });
      await until(() => mute.pids().length > 0, { ms: 30_000, what: 'the MCP server to be started' });
      serve.signal(name);
      expect(await serve.ended(20_000)).toBe(0);
      expect(mute.pids()).toEqual([]);
      expect(serve.stderr()).toBe('');
      expect(serve.stdout()).not.toContain('listens');
    },
  );

  test('a second signal kills processes that ignore TERM, and leaves none [ops.shutdown] [tool.process]', async () => {
    const endpoint = await startEndpoint();
    onTestFinished(() => endpoint.close());
    const token = `sleep ${newToken()}`;
    const command = `trap '' TERM INT; echo started; ${token}; ${token}`;
    await endpoint.script([{ reply: { calls: [{ name: 'shell', arguments: { command } }] } }]);
    const cwd = folder();
    const limits = { termGraceMs: 8_000, toolCancelMs: 9_000, shutdownMs: 20_000 };
    writeFileSync(join(cwd, 'belay.json'), JSON.stringify({ store: 'memory', roots: [cwd], allow: ['shell'], limits }));
    const env = { OPENAI_BASE_URL: endpoint.url, OPENAI_API_KEY: 'test' };
    const { serve, url } = await start({ args: ['--config', 'belay.json'], cwd, env });
    const client = await connectChecked({ url, reconnect: false });
    const session = client.session('demo');
    let shown = '';
    session.on('tool_output', ({ text }) => {
      shown += text;
    });
    session.say('run it');
    await until(() => shown.includes('started'), { ms: 20_000 });
    serve.signal('SIGINT');
    await serve.untilPrinted('Shutting down');
    await serve.signalUntil('SIGINT', () => serve.stdout().includes('Forcing'));
    expect(await serve.ended(6_000)).toBe(130);
    expect(living(token)).toEqual([]);
  });

  test('a port in use is an error of one sentence, and the sessions of the other gateway run on', async () => {
    const cwd = folder();
    const { url } = await start({ cwd });
    const client = await connectChecked({ url });
    const session = client.session('demo');
    await session.joined;
    const serve = startChild('src/programs/serve.ts', { args: ['--port', new URL(url).port], cwd });
    expect(await serve.ended(30_000)).toBe(1);
    expect(serve.stderr()).toMatch(/^The port \d+ of 127\.0\.0\.1 is taken\..*\n$/);
    expect(await session.say('hello').ended).toMatchObject({ outcome: 'completed' });
    await client.close();
  });

  test('a store in use is an error of one sentence, and its sessions run on [store.durable]', async () => {
    const cwd = folder();
    const { serve: first, url } = await start({ cwd });
    const client = await connectChecked({ url });
    const session = client.session('demo');
    await session.joined;
    const second = startChild('src/programs/serve.ts', { args: ['--port', '0'], cwd });
    expect(await second.ended(30_000)).toBe(1);
    expect(second.stderr()).toMatch(
      /^The store .*belay\.sqlite cannot be used: a gateway that is running has it\..*\n$/,
    );
    expect(await session.say('hello').ended).toMatchObject({ outcome: 'completed' });
    await client.close();
    first.signal('SIGKILL'); // the lock of a dead gateway does not count
    await first.ended(20_000);
    await start({ cwd });
  });

  test('the error of a file that is not a store names its path [store.durable]', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'notes.txt'), 'words, and no database at all\n'.repeat(100));
    const serve = startChild('src/programs/serve.ts', { args: ['--port', '0', '--store', 'notes.txt'], cwd });
    expect(await serve.ended(30_000)).toBe(1);
    expect(serve.stderr()).toMatch(/^The store .*notes\.txt cannot be used: .*not a database.*\n$/);
  });

  test('with the scripted model the configured tools and folders stay the only ones [tool.contract]', async () => {
    const cwd = folder();
    const { serve } = await start({ args: ['--store', 'memory', '--root', cwd, '--allow', 'run_code'], cwd });
    expect(serve.stdout()).toMatch(/tools +.*run_code/);
    expect(serve.stdout()).not.toMatch(/tools +.*(shell|write_file)/);
  });

  test('with tokens a connection has the speaker of its token', async () => {
    const path = folder();
    const file = join(path, 'tokens.json');
    writeFileSync(file, JSON.stringify({ 'token-of-ann-000001': { speaker: 'ann', roles: ['moderator'] } }));
    const { serve, url } = await start({ args: ['--store', 'memory'], cwd: path, env: { BELAY_TOKEN_FILE: file } });
    expect(serve.stdout()).toContain('by their tokens');
    await expect(connectChecked({ url })).rejects.toMatchObject({ reason: 'unauthorized' });
    const client = await connectChecked({ url, token: 'token-of-ann-000001' });
    expect(client).toMatchObject({ speaker: 'ann', roles: ['moderator'] });
    await client.close();
  });

  test.each([
    [['--port', 'x'], /The setting port is invalid/],
    [['--host', '0.0.0.0'], /Without tokens the gateway listens on loopback only, and 0\.0\.0\.0 is not/],
  ])('an error of %j is a sentence, without a stack [ws.auth]', async (args, says) => {
    const serve = startChild('src/programs/serve.ts', { args: ['--store', 'memory', ...args], cwd: folder() });
    expect(await serve.ended(30_000)).toBe(1);
    expect(serve.stderr()).toMatch(says);
    expect(serve.stderr().trim().split('\n')).toHaveLength(1);
  });
});
