// The gateway of the real soak: a process of its own with a store on disk, tools that resist, and an MCP server. Its parent asks it to measure itself.
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { connectMcpServers } from '../../../src/adapters/mcp/servers.ts';
import { createScriptedProvider, type Script } from '../../../src/adapters/models/scripted.ts';
import { systemProcesses } from '../../../src/adapters/processes/system-processes.ts';
import { createSqliteLog } from '../../../src/adapters/stores/sqlite.ts';
import { builtinTools } from '../../../src/adapters/tools/builtin/builtin-tools.ts';
import type { Tool, ToolContext } from '../../../src/core/contracts/tool.ts';
import { createLocalRuntime } from '../../../src/core/runtime/runtime.ts';
import { onAbort } from '../../../src/core/sources/abort-signals.ts';
import { systemSources } from '../../../src/core/sources/system.ts';
import { defineTool } from '../../../src/core/tools/define-tool.ts';
import { createGateway } from '../../../src/gateway/gateway.ts';
import { listen } from '../../../src/gateway/http/listen.ts';
import { activeResources, heapMB } from '../../../test/support/leaks.ts';
import { type HostMeasures, type HostRequest, hostileCalls, soakSessions } from './soak-contract.ts';

const store = process.argv[2] ?? '';
const { clock } = systemSources;
const limits = {
  termGraceMs: 150,
  toolCancelMs: 600,
  forceCancelMs: 200,
  idleMs: 500,
  disconnectGraceMs: 200,
  contextTurns: 4,
};
/** How long a tool that resists goes on after its budget. */
const lateMs = 900;

const untilAborted = ({ signal }: ToolContext) => new Promise<void>((resolve) => void onAbort(signal, resolve));
const tool = (name: string, run: (context: ToolContext) => Promise<unknown>): Tool =>
  defineTool({
    name,
    description: name,
    input: { type: 'object' },
    access: 'parallel',
    cancel: 'abortable',
    effect: 'some',
    run: (_, context) => run(context) as Promise<string>, // or whatever a tool in JavaScript returns
  });

const hostileTools: readonly Tool[] = [
  tool('obedient', async (context) => {
    await Promise.race([untilAborted(context), pause(300)]);
    return 'done';
  }),
  tool('late', async (context) => {
    await Promise.race([untilAborted(context), pause(300)]);
    await pause(context.signal.aborted ? lateMs : 0);
    return 'late';
  }),
  tool('rude', (context) => {
    context.signal.addEventListener('abort', () => {
      throw new Error('rude');
    });
    return pause(400).then(() => 'done');
  }),
  tool('flood', async ({ output }) => {
    for (let i = 0; i < 50; i++) output('x'.repeat(10_000));
    return 'flooded';
  }),
  tool('throws', () => Promise.reject(new Error('thrown'))),
  tool('garbage', async () => ({ kind: 'nonsense' })),
];

function respond({ messages }: { readonly messages: readonly { role: string; content: string }[] }, n: number): Script {
  const isWork = messages.at(-1)?.role === 'user' && messages.at(-1)?.content.includes('work');
  const text = { steps: Array.from({ length: 15 }, () => [{ waitMs: 15 }, { text: 'and so on ' }]).flat() };
  if (!isWork) return text;
  const steps = [0, 1, 2].map((i) => {
    const call = hostileCalls[(n * 7 + i * 5) % hostileCalls.length];
    const [name, input] = call ?? ['obedient', {}];
    const text = typeof input === 'string' ? input : JSON.stringify(input);
    return { call: { callId: `c${n}_${i}`, name, arguments: text } };
  });
  return { steps: [{ waitMs: 10 }, ...steps] };
}

const reports: string[] = [];
const report = (what: string) => void (reports.length < 50 && reports.push(what));
const mcp = await connectMcpServers({
  servers: {
    faulty: {
      command: process.execPath,
      args: [join(import.meta.dirname, '..', '..', '..', 'test/children/mcp-faulty-server.ts')],
      trusted: true,
    },
  },
  clock,
  ids: systemSources.ids,
  termGraceMs: limits.termGraceMs,
  warn() {}, // its crashes
});
const log = createSqliteLog({ path: store });
const runtime = await createLocalRuntime({
  log,
  processes: systemProcesses,
  provider: createScriptedProvider({ clock, respond }),
  roots: [dirname(store)],
  tools: [...builtinTools({ allowShell: true, termGraceMs: limits.termGraceMs }), ...hostileTools],
  toolSources: [mcp],
  limits,
  acknowledge: 'off',
  session: () => ({ policy: 'anyone', access: 'open', onDisconnect: 'cancel' }),
  warn: (message) => report(message),
});
const gateway = createGateway({
  runtime,
  sources: systemSources,
  authenticator: {
    kind: 'tokens',
    verify: async (token) => ({ speaker: { id: token ?? '', roles: ['member'] }, sessions: ['*'], expiresAt: null }),
  },
  report: (error) => report(`gateway: ${String(error)}`),
});
const listening = await listen(gateway, { port: 0 });

/** The rows of the store, by table. */
function countRows(): Readonly<Record<string, number>> {
  const database = new DatabaseSync(store, { readOnly: true });
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    const count = (name: string) => Number(database.prepare(`SELECT count(*) AS n FROM "${name}"`).get()?.['n']);
    return Object.fromEntries(tables.map(({ name }) => [String(name), count(String(name))]));
  } finally {
    database.close();
  }
}

async function measure(): Promise<HostMeasures> {
  const sizes = soakSessions.map((session) => runtime.sizes(session));
  const live = sizes.flatMap((parts) => Object.values(parts)).reduce((sum, size) => sum + size, 0);
  const resources = activeResources();
  return {
    heapMB: await heapMB(),
    descriptors: readdirSync('/proc/self/fd').length - 1, // the folder itself
    timers: resources.filter((kind) => kind === 'Timeout').length,
    handles: resources.length,
    live,
    rows: countRows(),
  };
}

async function forgetSessions(): Promise<void> {
  for (const session of soakSessions) await runtime.deleteSession(session, null).catch(() => {}); // there is none, or it is awake
}

async function close(): Promise<void> {
  void listening.close();
  await runtime.close();
  await gateway.close();
  await mcp.close();
  await log.close();
  process.disconnect?.();
}

/** Resolves with the reply to a request. That to `close` is sent first: the connection ends with it. */
async function replyTo(request: HostRequest): Promise<object> {
  if (request === 'forget') await forgetSessions();
  if (request === 'measure') return measure();
  if (request === 'close') setImmediate(() => void close());
  return { reports };
}

process.on('message', (request: HostRequest) => void replyTo(request).then((reply) => process.send?.(reply)));
process.send?.({ url: listening.url });
