// Starts a whole gateway for a test: real sockets, a real store, real shells, the openai client with a scripted endpoint.
//
// `openBelay` puts the parts together as src/programs/serve.ts does, in this process, where a test must look inside; `serveBelay` starts
// serve.ts itself. Both have speakers by tokens (ann, bob, a moderator, a bridge) and one session, `room`.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createChatProvider } from '../../src/adapters/models/chat/chat-provider.ts';
import { systemProcesses } from '../../src/adapters/processes/system-processes.ts';
import { createSqliteLog } from '../../src/adapters/stores/sqlite.ts';
import { builtinTools } from '../../src/adapters/tools/builtin/builtin-tools.ts';
import type { Log } from '../../src/core/contracts/log.ts';
import type { RuntimeConfig } from '../../src/core/runtime/config.ts';
import { createLocalRuntime } from '../../src/core/runtime/runtime.ts';
import { systemSources } from '../../src/core/sources/system.ts';
import { createTokenAuthenticator, type TokenEntries } from '../../src/gateway/auth/token-file.ts';
import { createGateway, type Gateway } from '../../src/gateway/gateway.ts';
import { listen } from '../../src/gateway/http/listen.ts';
import { type Child, startChild } from './child.ts';
import type { TestEndpoint } from './endpoint.ts';
import { patientLimits } from './patient-limits.ts';
import { until } from './until.ts';

export const room = 'room';

export type TestSpeaker = 'ann' | 'bob' | 'moderator' | 'bridge' | 'witness' | 'emergency' | 'guest';
export const tokenOf = (speaker: TestSpeaker): string => `token-of-${speaker}-0000`;

/** Every session: they all use the room. */
const sessions = ['*'];

const entries: TokenEntries = {
  [tokenOf('ann')]: { speaker: 'ann', sessions },
  [tokenOf('bob')]: { speaker: 'bob', sessions },
  [tokenOf('moderator')]: { speaker: 'moderator', roles: ['moderator'], sessions },
  [tokenOf('emergency')]: { speaker: 'emergency', roles: ['emergency'] },
  [tokenOf('bridge')]: { speaker: 'bridge', roles: ['bridge'], sessions },
  [tokenOf('witness')]: { speaker: 'witness', sessions },
  [tokenOf('guest')]: { speaker: 'guest' }, // only where they are invited
};

/** Folders that a shell may run in. Each has an exclusive key of its own, so shells in different ones run side by side. */
export const folders = ['a', 'b', 'c', 'd'] as const;

export interface ConfigFile {
  readonly limits?: Readonly<Record<string, number>>;
  readonly [setting: string]: unknown;
}

export interface Belay {
  readonly endpoint: TestEndpoint;
  readonly url: string;
  /** The SQLite file. */
  readonly store: string;
  readonly folder: Readonly<Record<(typeof folders)[number], string>>;
}

export interface OpenBelay extends Belay {
  readonly gateway: Gateway;
  /** The bugs that runtime and gateway have reported. */
  readonly warnings: string[];
  /** A shutdown, as on SIGTERM. */
  close(): Promise<void>;
}

export interface ServedBelay extends Belay {
  readonly child: Child;
}

/** The folders and the store of a gateway, also for the next gateway. */
export interface Workspace {
  readonly path: string;
  readonly store: string;
  readonly folder: Belay['folder'];
}

export function newWorkspace(): Workspace {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'belay-journey-')));
  onTestFinished(() => rmSync(path, { recursive: true, force: true, maxRetries: 3 }));
  const folder = Object.fromEntries(folders.map((name) => [name, join(path, name)])) as Belay['folder'];
  for (const one of Object.values(folder)) mkdirSync(one);
  return { path, store: join(path, 'store', 'belay.sqlite'), folder };
}

export interface OpenOptions extends Partial<Omit<RuntimeConfig, 'log' | 'provider' | 'session'>> {
  readonly workspace?: Workspace;
  readonly policy?: 'anyone' | 'owner';
  readonly termGraceMs?: number;
  /** Wraps the log of the store. */
  readonly wrap?: (log: Log) => Log;
}

export async function openBelay(endpoint: TestEndpoint, options: OpenOptions = {}): Promise<OpenBelay> {
  const {
    workspace = newWorkspace(),
    policy = 'anyone',
    termGraceMs = 300,
    tools = [],
    wrap = (log) => log,
    ...config
  } = options;
  const { clock, random } = systemSources;
  const warnings: string[] = [];
  const log = wrap(createSqliteLog({ path: workspace.store }));
  const runtime = await createLocalRuntime({
    roots: Object.values(workspace.folder),
    warn: (message) => warnings.push(message),
    acknowledge: 'off', // as in the harness
    ...config,
    processes: systemProcesses,
    log,
    provider: createChatProvider({ baseUrl: endpoint.url, apiKey: 'test', model: 'scripted', clock, random }),
    tools: [...builtinTools({ allowShell: true, allowWrites: true, termGraceMs }), ...tools],
    limits: { ...patientLimits, termGraceMs, ...config.limits },
    session: () => ({ policy }),
  });
  const gateway = createGateway({
    runtime,
    sources: systemSources,
    authenticator: createTokenAuthenticator(entries),
    report: (error) => warnings.push(String(error)),
    limits: { closeMs: 500 },
  });
  const listening = await listen(gateway, { port: 0 });
  const close = async () => {
    void listening.close();
    await runtime.close();
    await gateway.close();
    await log.close();
  };
  onTestFinished(close);
  return { endpoint, url: listening.url, store: workspace.store, folder: workspace.folder, gateway, warnings, close };
}

export interface ServeOptions {
  readonly workspace?: Workspace;
  /** More of the configuration file: see src/programs/config.ts. */
  readonly config?: ConfigFile;
  /** Its environment, beside the PATH. */
  readonly env?: Readonly<Record<string, string>>;
  /** The program, and its arguments before those of the configuration. Default: src/programs/serve.ts. */
  readonly program?: readonly [string, ...string[]];
}

/** Writes the configuration file of a gateway. Returns its path. src/programs/config.ts has the other fields. */
export function writeConfig(
  endpoint: TestEndpoint,
  workspace: Workspace,
  { limits, ...more }: ConfigFile = {},
): string {
  const { path, store, folder } = workspace;
  const tokens = join(path, 'tokens.json');
  const file = join(path, 'belay.json');
  writeFileSync(tokens, JSON.stringify(entries), { mode: 0o600 });
  const settings = {
    port: 0,
    store,
    tokens: { file: tokens },
    model: { baseUrl: endpoint.url, apiKey: 'test', name: 'scripted' },
    allow: ['shell'],
    roots: Object.values(folder),
    acknowledge: 'off',
    stopPhrases: { languages: ['en'] }, // a gateway compiles those of each language in its first second: 0.3 s of CPU
    ...more,
    limits: { ...patientLimits, ...limits },
  };
  writeFileSync(file, JSON.stringify(settings), { mode: 0o600 });
  return file;
}

/** src/programs/serve.ts as a process of its own. */
export async function serveBelay(endpoint: TestEndpoint, options: ServeOptions = {}): Promise<ServedBelay> {
  const { workspace = newWorkspace(), config = {}, env = {}, program = ['src/programs/serve.ts'] } = options;
  const { path, store, folder } = workspace;
  const [file, ...args] = program;
  const child = startChild(file, {
    args: [...args, '--config', writeConfig(endpoint, workspace, config)],
    cwd: path,
    env,
  });
  const listensAt = () => {
    if (child.process.exitCode !== null) throw new Error(`it did not start: ${child.stderr()}`);
    return /listens at ([^\s"]+)/.exec(child.stdout())?.[1];
  };
  const url = await until(listensAt, { ms: 60_000, what: 'the gateway to listen' });
  return { endpoint, url, store, folder, child };
}
