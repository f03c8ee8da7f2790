// Real MCP servers, each with a call that does not end by itself and one that asks first, and the log that the server itself keeps.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Duplex } from 'node:stream';
import { onTestFinished } from 'vitest';
import type { McpServer, StdioServer } from '../../../src/adapters/mcp/server-config.ts';
import { findChromium } from '../../../src/adapters/tools/browser/chromium.ts';
import { startChild } from '../../support/child.ts';
import { living, programs } from '../processes/processes.ts';
import { published } from './mcp.ts';

interface ServerCall {
  readonly name: string;
  readonly arguments: object;
  /** Belay asks before the call by its configuration. Left out: it asks if the server says that the call may destroy something. */
  readonly needsApproval?: boolean;
}

export interface RealServer {
  readonly spec: McpServer;
  /** Runs until it is stopped. */
  readonly endless: ServerCall;
  /** Asks its speaker: the server itself (`question_asked`), or Belay before the call (`approval_requested`). */
  readonly asking: ServerCall & { readonly asks: 'question_asked' | 'approval_requested' };
  /** What the server says it was sent. */
  log(): string;
  /** Processes of the server, with those that it has started; the program of the test that serves HTTP is none. */
  pids(): number[];
}

export interface RealServerKind {
  readonly name: string;
  /** What stands in the server's log when a call has come to it, and when its cancellation has. */
  readonly started: RegExp;
  readonly cancelled: RegExp;
  readonly isMissing?: boolean;
  start(): Promise<RealServer>;
}

/** A folder of this test, by whose name the processes of a server are found. */
function newFolder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'belay-real-')));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** The server with its input recorded. The folder stands in its command line. */
function recorded(path: string, server: Pick<StdioServer, 'command' | 'args'>) {
  const file = join(path, 'input');
  writeFileSync(file, '');
  const preload = ['--import', join(programs, 'record-mcp-input.ts'), `--title=${path}`];
  return {
    spec: { ...server, args: [...preload, ...(server.args ?? [])], env: { MCP_INPUT_LOG: file, TMPDIR: path } },
    log: () => readFileSync(file, 'utf8'),
    pids: () => living(path),
  };
}

/** A file whose reader waits for ever. */
function newPipe(path: string, name: string): string {
  const pipe = join(path, name);
  execFileSync('mkfifo', [pipe]);
  return pipe;
}

const received = { started: /"tools\/call"/, cancelled: /"notifications\/cancelled".*"enough of it"/ };
const everythingCalls = {
  endless: { name: 'trigger-long-running-operation', arguments: { duration: 600, steps: 6_000 } },
  asking: { name: 'trigger-elicitation-request', arguments: {}, asks: 'question_asked' },
} as const;
const modernCalls = {
  endless: { name: 'wait', arguments: {} },
  asking: { name: 'ask', arguments: {}, asks: 'question_asked' },
} as const;

const playwright = join(dirname(createRequire(import.meta.url).resolve('@playwright/mcp/package.json')), 'cli.js');
const chromium = findChromium();

/** The address of a page that never ends. It is also that of a proxy whose connections never come about. */
async function endlessPage(): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.write('<title>Endless</title>');
  });
  const tunnels = new Set<Duplex>();
  server.on('connect', (_, socket) => void tunnels.add(socket.on('error', () => {})));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
    for (const socket of tunnels) socket.destroy();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
}

export const realServers: readonly RealServerKind[] = [
  {
    name: 'everything over stdio',
    ...received,
    start: async () => ({ ...recorded(newFolder(), published('server-everything', 'stdio')), ...everythingCalls }),
  },
  {
    name: 'everything over HTTP',
    ...received,
    async start() {
      const child = startChild('test/children/mcp-everything-http.ts');
      const [, url = ''] = await child.untilPrinted(/(http:\S+)\n/);
      return { spec: { url }, ...everythingCalls, log: child.stdout, pids: () => [] };
    },
  },
  {
    name: 'filesystem',
    ...received,
    async start() {
      const path = newFolder();
      return {
        ...recorded(path, published('server-filesystem', path)),
        endless: { name: 'read_text_file', arguments: { path: newPipe(path, 'pipe') } },
        asking: {
          name: 'write_file',
          arguments: { path: join(path, 'new'), content: 'new' },
          asks: 'approval_requested',
        },
      };
    },
  },
  {
    name: 'memory',
    ...received,
    async start() {
      const path = newFolder();
      const { spec, ...rest } = recorded(path, published('server-memory'));
      return {
        ...rest,
        spec: { ...spec, env: { ...spec.env, MEMORY_FILE_PATH: newPipe(path, 'memory') } },
        endless: { name: 'read_graph', arguments: {} },
        asking: { name: 'delete_entities', arguments: { entityNames: ['Ann'] }, asks: 'approval_requested' },
      };
    },
  },
  {
    name: "Playwright's",
    ...received,
    isMissing: chromium === null,
    async start() {
      const path = newFolder();
      const flags = ['--headless', '--isolated', '--no-sandbox', '--executable-path', chromium ?? ''];
      const args = [playwright, ...flags, '--output-dir', path];
      const { spec, ...rest } = recorded(path, { command: process.execPath, args });
      return {
        ...rest,
        spec: { ...spec, timeoutMs: 0 },
        endless: { name: 'browser_wait_for', arguments: { time: 600 } },
        asking: { name: 'browser_navigate', arguments: { url: await endlessPage() }, asks: 'approval_requested' },
      };
    },
  },
  {
    name: "map, published with the SDK's second major",
    ...received,
    async start() {
      const { spec, ...rest } = recorded(newFolder(), published('server-map', '--stdio'));
      const call = { name: 'geocode', arguments: { query: 'Kyiv' } }; // it asks a service on the net
      return {
        ...rest,
        spec: {
          ...spec,
          env: { ...spec.env, NODE_USE_ENV_PROXY: '1', https_proxy: await endlessPage(), no_proxy: '' },
        },
        endless: call,
        asking: { ...call, needsApproval: true, asks: 'approval_requested' },
      };
    },
  },
  ...(['stdio', 'http'] as const).map(
    (kind): RealServerKind => ({
      name: `one of the revision 2026-07-28 over ${kind}`,
      started: /wait started/,
      cancelled: /wait cancelled/,
      async start() {
        const path = newFolder();
        const file = join(path, 'log');
        writeFileSync(file, '');
        const args = [path, `log=${file}`];
        const rest = { ...modernCalls, log: () => readFileSync(file, 'utf8') };
        if (kind === 'stdio') {
          const program = join(programs, 'mcp-modern-server.ts');
          return { ...rest, spec: { command: process.execPath, args: [program, ...args] }, pids: () => living(path) };
        }
        const child = startChild('test/children/mcp-modern-server.ts', { args: [...args, 'http'] });
        const [, url = ''] = await child.untilPrinted(/(http:\S+)\n/);
        return { ...rest, spec: { url }, pids: () => [] };
      },
    }),
  ),
];
