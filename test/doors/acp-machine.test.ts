// The files and terminals of the client: tools use them where it offers them, and a terminal's end is the client's word.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClientApp, methods } from '@agentclientprotocol/sdk';
import { expect, onTestFinished, test } from 'vitest';
import { living, newToken } from '../adapters/processes/processes.ts';
import { startAcp } from '../support/acp-client.ts';
import { newWorkspace, writeConfig } from '../support/belay.ts';
import { shellCall, toolMessages, untilRunning, useEndpoint } from '../support/journey.ts';
import { until } from '../support/until.ts';

const endpoint = useEndpoint();
const { fs, terminal } = methods.client;

/** The terminals of a client: real processes. */
class Terminals {
  readonly #running = new Map<string, { readonly child: ChildProcess; readonly output: () => string }>();
  readonly commands: string[] = [];
  readonly released: string[] = [];
  /** Whether `terminal/kill` kills. */
  killsWhenAsked = true;
  kills = 0;

  serve(app: ClientApp): ClientApp {
    return app
      .onRequest(terminal.create, ({ params: { command, args = [], cwd } }) => {
        const id = `t${this.#running.size}`;
        const child = spawn(command, args, { cwd: cwd ?? undefined });
        onTestFinished(() => void child.kill('SIGKILL'));
        let out = '';
        child.stdout?.on('data', (data) => {
          out += data;
        });
        this.commands.push(args.join(' '));
        this.#running.set(id, { child, output: () => out });
        return { terminalId: id };
      })
      .onRequest(terminal.waitForExit, async ({ params }) => {
        const { child } = this.#of(params);
        await until(() => child.exitCode !== null || child.signalCode !== null, { ms: 600_000 });
        return { exitCode: child.exitCode, signal: child.signalCode };
      })
      .onRequest(terminal.output, ({ params }) => ({ output: this.#of(params).output(), truncated: false }))
      .onRequest(terminal.kill, ({ params }) => {
        this.kills += 1;
        if (this.killsWhenAsked) this.#of(params).child.kill('SIGKILL');
        return {};
      })
      .onRequest(terminal.release, ({ params }) => {
        this.released.push(params.terminalId);
        return {};
      });
  }

  #of({ terminalId }: { readonly terminalId: string }) {
    const one = this.#running.get(terminalId);
    if (!one) throw new Error(`there is no terminal ${terminalId}`);
    return one;
  }
}

async function start(terminals: Terminals, limits: Readonly<Record<string, number>> = {}) {
  const workspace = newWorkspace();
  const { path, folder } = workspace;
  const config = { roots: [path], allow: ['shell', 'write_file'], limits };
  const acp = await startAcp({
    cwd: path,
    args: ['--config', writeConfig(endpoint, workspace, config)],
    capabilities: { terminal: true, fs: { readTextFile: true, writeTextFile: true } },
    extend: (app) => terminals.serve(app),
  });
  return { ...acp, folder };
}

test('commands run in terminals of the client, which their calls show; a stop kills them there [doors.acp-machine]', async () => {
  const terminals = new Terminals();
  const acp = await start(terminals);
  const token = newToken();
  await endpoint.script([
    { when: { toolResult: true }, reply: { text: 'Done.' } },
    { when: { user: 'long' }, reply: { calls: [shellCall(`echo first; exec sleep ${token}`, '.')] } },
    { reply: { calls: [shellCall('echo hello; exit 3', '.')] } },
  ]);
  const id = await acp.open(acp.folder.a);
  await acp.prompt(id, 'short');
  expect(terminals.commands).toEqual(['-c echo hello; exit 3']);
  expect(acp.calls()[0]).toMatchObject({ status: 'failed', content: [{ type: 'terminal', terminalId: 't0' }, {}] });
  expect(toolMessages((await endpoint.requests()).at(-1)).join()).toContain('hello\\n[exit code 3]');
  const prompted = acp.prompt(id, 'long');
  await untilRunning(token);
  await acp.cancel(id);
  expect(await prompted).toMatchObject({
    stopReason: 'cancelled',
    _meta: {
      belay: {
        receipt: {
          nodes: expect.arrayContaining([expect.objectContaining({ kind: 'tool-call', outcome: 'cancelled' })]),
        },
      },
    },
  });
  expect(living(token)).toEqual([]);
  expect(terminals).toMatchObject({ kills: 1, released: ['t0', 't1'] });
});

test('a terminal whose client says no end within the budget: the call is abandoned, and its end is reported when it comes [doors.acp-machine]', async () => {
  const terminals = new Terminals();
  terminals.killsWhenAsked = false;
  const acp = await start(terminals, { termGraceMs: 100, toolCancelMs: 400 });
  const token = newToken();
  await endpoint.script([{ reply: { calls: [shellCall(`exec sleep ${token}`, '.')] } }]);
  const id = await acp.open(acp.folder.a);
  const prompted = acp.prompt(id, 'long');
  await untilRunning(token);
  await acp.cancel(id);
  expect(await prompted).toMatchObject({
    stopReason: 'cancelled',
    _meta: {
      belay: {
        receipt: {
          nodes: expect.arrayContaining([expect.objectContaining({ kind: 'tool-call', outcome: 'abandoned' })]),
        },
      },
    },
  });
  expect(acp.calls()[0]).toMatchObject({ status: 'failed', rawOutput: { outcome: 'abandoned' } });
  for (const pid of living(token)) process.kill(pid, 'SIGKILL');
  await until(() => JSON.stringify(acp.calls()[0]).includes('It has ended after all.'), { what: 'the late end' });
});

test('files are read with what is not saved, and written by the client; folders outside, and what it refuses, are refused [doors.acp-machine]', async () => {
  const unsaved = new Map<string, string>();
  const read: string[] = [];
  const terminals = new Terminals();
  const serve = terminals.serve.bind(terminals);
  terminals.serve = (app) =>
    serve(app)
      .onRequest(fs.readTextFile, ({ params: { path } }) => {
        read.push(path);
        const content = unsaved.get(path);
        if (content === undefined) throw new Error('it is not open');
        return { content };
      })
      .onRequest(fs.writeTextFile, ({ params: { path, content } }) => {
        if (path.endsWith('locked.txt')) throw new Error('it is locked');
        unsaved.set(path, content);
        return {};
      });
  const acp = await start(terminals);
  const { a: folder } = acp.folder;
  const [open, closed] = [join(folder, 'open.txt'), join(folder, 'closed.txt')];
  writeFileSync(open, 'on the disk');
  writeFileSync(closed, 'closed, on the disk');
  unsaved.set(open, 'not saved');
  const readCall = (path: string) => ({ name: 'read_file', arguments: { path } });
  const writeCall = (path: string) => ({ name: 'write_file', arguments: { path, content: 'new' } });
  await endpoint.script([
    { when: { toolResult: true }, reply: { text: 'Done.' } },
    {
      when: { user: 'write' },
      reply: { calls: [writeCall('deep/new.txt'), writeCall('locked.txt'), writeCall('../x.txt')] },
    },
    { reply: { calls: [readCall('open.txt'), readCall('closed.txt'), readCall('/etc/hosts')] } },
  ]);
  const id = await acp.open(folder);
  await acp.prompt(id, 'read');
  const results = toolMessages((await endpoint.requests()).at(-1));
  expect(results.join()).toContain('not saved');
  expect(results.join()).toContain('closed, on the disk');
  expect(results.join()).toContain('outside the allowed folders');
  expect(read.toSorted()).toEqual([closed, open]); // side by side
  await acp.prompt(id, 'write');
  expect(unsaved.get(join(folder, 'deep', 'new.txt'))).toBe('new');
  expect(
    acp
      .calls()
      .slice(-3)
      .map(({ status }) => status),
  ).toEqual(['completed', 'failed', 'failed']);
  expect(toolMessages((await endpoint.requests()).at(-1)).join()).toContain('it is locked');
  expect(() => readFileSync(join(folder, 'locked.txt'))).toThrow('ENOENT');
});
