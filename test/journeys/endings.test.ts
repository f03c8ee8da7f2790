// The ends of a process that runs tools: signals, a closed terminal, a closed output. Each is a shutdown that leaves no process.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { terminateLeftoversOfDeadHosts } from '../../src/adapters/processes/dead-hosts.ts';
import { newRecordOf, parseHostRecord, recordsFolder } from '../../src/adapters/processes/host-record.ts';
import { systemSources } from '../../src/core/sources/system.ts';
import { hostile } from '../adapters/mcp/mcp.ts';
import { living, newToken, programs } from '../adapters/processes/processes.ts';
import { newWorkspace, room, serveBelay, tokenOf, writeConfig } from '../support/belay.ts';
import { connectChecked } from '../support/checked-client.ts';
import { type Child, startChild } from '../support/child.ts';
import { shellCall, untilRunning, useEndpoint } from '../support/journey.ts';
import { enter, startAtTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';

const endpoint = useEndpoint();
const root = join(import.meta.dirname, '..', '..');

/** `belay run` with a shell that leaves its group; its arguments, and the token of the shell. */
async function task(command = (token: string) => `sh ${join(programs, 'leaves-group.sh')} ${token}`) {
  const token = newToken();
  await endpoint.script([{ reply: { text: 'I run.', calls: [shellCall(command(token))] } }]);
  const place = newWorkspace();
  const config = writeConfig(endpoint, place, { store: 'memory' });
  return { token, place, args: ['run', '--config', config, 'build it'] };
}

/** The records of that host. */
const recordsOf = ({ process: { pid } }: Child) =>
  readdirSync(recordsFolder()).filter((name) => name.startsWith(`${pid}-`));
/** Resolves when the record of the host names so many processes, with their groups, and is not about to be replaced: until then there may be two files. */
const untilRecorded = ({ child, count }: { readonly child: Child; readonly count: number }) =>
  until(
    () => {
      const [name = '', ...others] = recordsOf(child);
      if (name === '' || others.length > 0) return false;
      const marks = parseHostRecord(readFileSync(join(recordsFolder(), name), 'utf8'))?.marks ?? [];
      return marks.length === count && marks.every(({ group }) => group !== null);
    },
    { what: 'the record of what runs' },
  );
const untilGone = (token: string, ms = 10_000) =>
  until(() => living(token).length === 0, { ms, what: 'the end of it' });

async function startTask(...more: readonly string[]): Promise<{ child: Child; token: string }> {
  const { token, args, place } = await task();
  const child = startChild('src/programs/belay.ts', { args: [...args, ...more], cwd: place.path });
  await untilRunning(token);
  await untilRecorded({ child, count: 1 }); // it runs a little before its record is replaced
  return { child, token };
}

test.each(['SIGHUP', 'SIGTERM', 'SIGQUIT', 'SIGABRT', 'SIGUSR2', 'SIGXCPU'] as const)(
  '%s to `belay run` is a shutdown: nothing is left, exit code 130 [ops.shutdown.endings] [cli.chat]',
  async (name) => {
    const { child, token } = await startTask();
    child.signal(name);
    expect(await child.ended()).toBe(130);
    expect(living(token)).toEqual([]);
    expect(child.stderr()).toMatch(/ {2}shell: stopped /);
  },
);

test.each([
  { closed: ['stdout', 'stderr'], flags: [] },
  { closed: ['stdout'], flags: ['--json'] },
] as const)('closed pipes ($closed) end `belay run` $flags, too [ops.shutdown.endings]', async ({ closed, flags }) => {
  const { child, token } = await startTask(...flags);
  for (const name of closed) child.process[name]?.destroy();
  expect(await child.ended()).toBe(130);
  expect(living(token)).toEqual([]);
});

test('a pipe whose reader has ended ends `belay run` at its next line [ops.shutdown.endings]', async () => {
  const { token, args, place } = await task();
  const command = `"$0" "$@" 2>&1 | head -n 1`;
  const belay = [process.execPath, join(root, 'src/programs/belay.ts'), ...args];
  const shell = spawn('sh', ['-c', command, ...belay], { cwd: place.path, stdio: 'ignore' });
  onTestFinished(() => void shell.kill('SIGKILL'));
  await untilRunning(token);
  await until(() => shell.exitCode !== null, { ms: 15_000, what: 'the end of the pipe' }); // the next line says how long it has run
  expect(living(token)).toEqual([]);
});

test('a closed terminal ends `belay run` [ops.shutdown.endings]', async () => {
  const { token, args } = await task();
  const terminal = startAtTerminal('src/programs/belay.ts', args);
  await untilRunning(token);
  terminal.close();
  await untilGone(token);
  await terminal.ended();
});

test('a closed terminal ends a chat: what was said there is stopped, what others run is not [ops.shutdown.endings] [cli.chat]', async () => {
  const belay = await serveBelay(endpoint);
  const [hers, his] = [newToken(), newToken()];
  await endpoint.script([
    { when: { user: 'tests' }, reply: { calls: [shellCall(`sleep ${his}`, belay.folder.b)] } },
    { reply: { calls: [shellCall(`sleep ${hers}`, belay.folder.a)] } },
  ]);
  const bob = await connectChecked({ url: belay.url, token: tokenOf('bob') });
  onTestFinished(() => bob.close());
  bob.session(room).say('tests');
  await untilRunning(his);
  const flags = ['--session', room, '--token', tokenOf('ann')];
  const chat = startAtTerminal('src/programs/chat.ts', [belay.url, ...flags]);
  await chat.shows(`Joined ${room} as ann.`);
  chat.press(`build${enter}`);
  await untilRunning(hers);
  chat.close();
  await untilGone(hers);
  await chat.ended();
  expect(living(his)).not.toEqual([]);
  belay.child.signal('SIGTERM');
  await untilGone(his);
});

test('a gateway survives a closed stdout, and works [ops.shutdown.endings]', async () => {
  const { child, url } = await serveBelay(endpoint);
  child.process.stdout?.destroy();
  child.process.stderr?.destroy();
  await endpoint.script([{ reply: { text: 'Here.' } }]);
  const ann = await connectChecked({ url, token: tokenOf('ann') });
  onTestFinished(() => ann.close());
  expect(await ann.session(room).say('there?').reply()).toBe('Here.');
  expect(child.process.exitCode).toBeNull();
  child.signal('SIGTERM'); // prints a line
  expect(await child.ended()).toBe(0);
});

test('the third Ctrl-C ends `belay run` at once, and kills what is left [ops.shutdown.endings] [tool.process]', async () => {
  const { token, args, place } = await task((it) => `sh ${join(programs, 'ignores-term.sh')} ${it}`);
  const limits = { termGraceMs: 60_000, toolCancelMs: 70_000, shutdownMs: 90_000 };
  const config = writeConfig(endpoint, place, { store: 'memory', limits });
  const child = startChild('src/programs/belay.ts', { args: ['run', '--config', config, 'build it'], cwd: place.path });
  await untilRunning(token);
  expect(args).toContain(config);
  child.signal('SIGINT');
  await until(() => child.stderr().includes('Received interrupt. Cancelling'), { what: 'the first interrupt' });
  await child.signalUntil('SIGINT', () => child.stderr().includes('Received interrupt again. Forcing'));
  await child.signalUntil('SIGINT', () => child.process.exitCode !== null);
  await untilGone(token);
});

describe('a killed host', () => {
  const kill = async (child: Child) => {
    child.signal('SIGKILL');
    await child.ended();
  };

  test('without a store: the next start ends what it has left, whatever it is for, and its record is gone [tool.process] [ops.shutdown.killed]', async () => {
    const { child, token } = await startTask();
    await kill(child);
    expect(living(token), 'it outlives its host').not.toEqual([]);
    // as if it had been killed while it replaced its record
    writeFileSync(newRecordOf(join(recordsFolder(), recordsOf(child)[0] ?? '')), '{"host":');
    await endpoint.script([{ reply: { text: 'Nothing to do.' } }]);
    const { path } = newWorkspace();
    const env = { OPENAI_BASE_URL: endpoint.url, OPENAI_API_KEY: 'test' };
    const next = startChild('src/programs/belay.ts', {
      args: ['run', '--store', 'memory', 'anything'],
      cwd: path,
      env,
    });
    expect(await next.ended()).toBe(0);
    expect(living(token)).toEqual([]);
    expect(recordsOf(child)).toEqual([]);
  });

  /** A gateway with a store on disk, and an MCP server that neither TERM nor the end of its input ends. */
  async function serveWithServer(workspace = newWorkspace()) {
    const server = hostile('deaf');
    const belay = await serveBelay(endpoint, { workspace, config: { mcpServers: { h: server.spec } } });
    await until(() => server.pids().length === 1, { what: 'the server' });
    return { ...belay, server, workspace };
  }

  test.each([
    { where: 'a start on its store', isSameStore: true },
    { where: 'a start on another store', isSameStore: false },
  ])(
    'with a store: an idle MCP server of it is ended by $where, which says so [tool.mcp] [ops.shutdown.killed]',
    async ({ isSameStore }) => {
      const { child, server, workspace } = await serveWithServer();
      await kill(child);
      expect(server.pids(), 'it outlives its host').toHaveLength(1);
      const next = await serveWithServer(isSameStore ? workspace : undefined);
      expect(server.pids()).toEqual([]);
      expect(recordsOf(child)).toEqual([]);
      expect(next.child.stderr()).toMatch(/Processes that a dead host had left were ended: 1\./);
      next.child.signal('SIGTERM');
      expect(await next.child.ended()).toBe(0);
    },
  );

  test('a start on another store ends an idle MCP server of it, and leaves its commands to the next start on their store [tool.process] [ops.shutdown.killed]', async () => {
    const belay = await serveWithServer();
    const command = newToken();
    await endpoint.script([{ reply: { calls: [shellCall(`sleep ${command}`, belay.folder.a)] } }]);
    const ann = await connectChecked({ url: belay.url, token: tokenOf('ann') });
    onTestFinished(() => ann.close());
    ann.session(room).say('build');
    await untilRunning(command);
    await untilRecorded({ child: belay.child, count: 2 });
    await kill(belay.child);
    const ending = { clock: systemSources.clock, termGraceMs: 300, waitMs: 5_000, warn() {} };
    expect(await terminateLeftoversOfDeadHosts(ending)).toBe(1);
    expect(belay.server.pids()).toEqual([]);
    expect(living(command)).not.toEqual([]);
    expect(recordsOf(belay.child)).toHaveLength(1);
    const next = await serveBelay(endpoint, { workspace: belay.workspace });
    expect(living(command)).toEqual([]);
    next.child.signal('SIGTERM');
    expect(await next.child.ended()).toBe(0);
  });

  test('the MCP servers of a living host are left alone by a start on another store [tool.mcp] [ops.shutdown.killed]', async () => {
    const first = await serveWithServer();
    const before = first.server.pids();
    const next = await serveWithServer();
    expect(first.server.pids()).toEqual(before);
    for (const { child } of [next, first]) {
      child.signal('SIGTERM');
      expect(await child.ended()).toBe(0);
    }
  });

  test('what a living host runs is left alone, and its record goes when nothing runs [tool.process] [ops.shutdown.killed]', async () => {
    const { child, token } = await startTask();
    expect(recordsOf(child)).toHaveLength(1);
    const belay = await serveBelay(endpoint, { config: { store: 'memory' } });
    expect(living(token)).not.toEqual([]);
    expect(recordsOf(child)).toHaveLength(1);
    child.signal('SIGINT');
    expect(await child.ended()).toBe(130);
    expect(recordsOf(child)).toEqual([]);
    belay.child.signal('SIGTERM');
    expect(await belay.child.ended()).toBe(0);
  });

  test('a record of another system, and one that is none, are left where they are [tool.process] [ops.shutdown.killed]', async () => {
    const { child, token } = await startTask();
    const [name = ''] = recordsOf(child);
    const record = JSON.parse(readFileSync(join(recordsFolder(), name), 'utf8'));
    await kill(child);
    writeFileSync(join(recordsFolder(), name), JSON.stringify({ ...record, system: 'another' }));
    writeFileSync(join(recordsFolder(), 'notes'), 'no record');
    const ending = { clock: systemSources.clock, termGraceMs: 300, waitMs: 5_000, warn() {} };
    await terminateLeftoversOfDeadHosts(ending);
    expect(living(token)).not.toEqual([]);
    expect(recordsOf(child)).toEqual([name]);
    expect(readdirSync(recordsFolder())).toContain('notes');
    writeFileSync(join(recordsFolder(), name), JSON.stringify(record));
    await terminateLeftoversOfDeadHosts(ending);
    expect(living(token)).toEqual([]);
    expect(recordsOf(child)).toEqual([]);
    expect(readdirSync(recordsFolder())).toContain('notes');
  });
});
