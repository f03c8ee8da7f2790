// Starts a gateway of this checkout that has whatever a check can ask for: speakers of each role, a session of each kind, a model that is a script,
// and a process and a store that a check may disturb. `npm run conformance -- --self` and the tests of the program check it.
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { SignJWT } from 'jose';
import { systemSources } from '../../src/core/sources/system.ts';
import type { Rule } from '../../src/programs/scripted/reply.ts';
import { type ScriptedEndpoint, startScriptedEndpoint } from '../../src/programs/scripted/start.ts';
import { sessionNames, type TestedGatewayOptions } from './gateway-under-test.ts';

const program = fileURLToPath(new URL('../../src/programs/serve.ts', import.meta.url));
const secret = 'a secret of conformance checks alone, 32 bytes and more';
const startMs = 60_000;
/** A signed token is good for so long after its end. */
const toleranceS = 5;

/** Replies of the model: a call that asks for an approval, and text that streams for some seconds. */
const rules: readonly Rule[] = [
  {
    when: { user: 'ask', round: 0, declares: 'shell' },
    reply: { text: 'A moment.', calls: [{ name: 'shell', arguments: { command: 'true' } }] },
  },
  { when: { toolResult: true }, reply: { text: 'Done.' } },
  { reply: { text: 'So many words. '.repeat(20), pace: { chunkChars: 2, chunksPerSecond: 30 } } },
];

const tokenOf = (speaker: string, claimed: Readonly<Record<string, unknown>>, endsInS = 3_600) =>
  new SignJWT({ ...claimed })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(speaker)
    .setExpirationTime(Math.floor(Date.now() / 1_000) + endsInS - toleranceS)
    .sign(Buffer.from(secret));

/** Claims by speaker. The second member may open sessions of its own names only. */
const claims = {
  ann: {},
  bob: { sessions: ['bob-*'] },
  zoe: { roles: ['member', 'moderator'], sessions: ['*'] },
  bridge: { roles: ['bridge'], sessions: ['*'] },
  guard: { roles: ['emergency'], sessions: ['guard-*'] },
} as const;

type Tokens = Readonly<Record<keyof typeof claims, string>>;

export class OwnGateway {
  readonly #folder: string;
  readonly #endpoint: ScriptedEndpoint;
  readonly #tokens: Tokens;
  #child: ChildProcess | null = null;
  #port = 0;

  private constructor(endpoint: ScriptedEndpoint, tokens: Tokens) {
    this.#endpoint = endpoint;
    this.#tokens = tokens;
    this.#folder = mkdtempSync(join(tmpdir(), 'belay-conformance-'));
  }

  /** Starts it on a free port of loopback. */
  static async start(): Promise<OwnGateway> {
    const endpoint = await startScriptedEndpoint({ clock: systemSources.clock, control: true });
    await fetch(new URL('/__script', endpoint.url), { method: 'POST', body: JSON.stringify({ rules }) });
    const gateway = new OwnGateway(endpoint, {
      ann: await tokenOf('ann', claims.ann),
      bob: await tokenOf('bob', claims.bob),
      zoe: await tokenOf('zoe', claims.zoe),
      bridge: await tokenOf('bridge', claims.bridge),
      guard: await tokenOf('guard', claims.guard),
    });
    await gateway.#start();
    return gateway;
  }

  get options(): TestedGatewayOptions {
    return {
      url: `ws://127.0.0.1:${this.#port}/belay`,
      token: this.#tokens.ann,
      tokens: {
        other: this.#tokens.bob,
        moderator: this.#tokens.zoe,
        bridge: this.#tokens.bridge,
        emergency: this.#tokens.guard,
      },
      endingToken: () => tokenOf('eve', {}, 2),
      words: 'words',
      askingWords: 'ask',
      hasOwnerPolicy: true,
      hasVoice: true,
      crash: () => this.#restart('SIGKILL'),
      restart: () => this.#restart('SIGTERM'),
      holdStore: () => this.#holdStore(),
    };
  }

  async close(): Promise<void> {
    await this.#end('SIGTERM');
    await this.#endpoint.close();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }

  get #store(): string {
    return join(this.#folder, 'belay.sqlite');
  }

  async #start(): Promise<void> {
    const file = join(this.#folder, 'belay.json');
    writeFileSync(file, JSON.stringify(this.#settings), { mode: 0o600 });
    const child = spawn(process.execPath, [program, '--config', file], {
      cwd: this.#folder,
      env: { PATH: process.env['PATH'] ?? '', XDG_STATE_HOME: join(this.#folder, 'state') },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#port = Number(new URL(await printedAddress(child)).port);
  }

  get #settings(): object {
    return {
      port: this.#port,
      store: this.#store,
      tokens: { jwtSecret: secret },
      model: { baseUrl: this.#endpoint.url, apiKey: 'none', name: 'scripted' },
      allow: ['shell'],
      approve: ['shell'],
      roots: [this.#folder],
      sessions: {
        [`${sessionNames.ownerPolicy}*`]: { policy: 'owner' },
        [`${sessionNames.voice}*`]: { kind: 'voice', policy: 'anyone', voice: { minBargeInMs: 100 } },
      },
      gateway: { helloMs: 3_000, heartbeatMs: 4_000 },
    };
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  async #restart(signal: NodeJS.Signals): Promise<void> {
    await this.#end(signal);
    await this.#start();
  }

  /** Keeps every commit of the store waiting. Resolves with what lets them go on. */
  async #holdStore(): Promise<() => void> {
    const database = new DatabaseSync(this.#store, { timeout: startMs });
    database.exec('BEGIN IMMEDIATE');
    return () => {
      database.exec('ROLLBACK');
      database.close();
    };
  }
}

/** Resolves with the address that a gateway prints when it listens. Rejects with what it has printed. */
function printedAddress(child: ChildProcessByStdio<null, Readable, Readable>): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = '';
    const fail = (why: string) => reject(new Error(`The gateway did not start: ${why}. It has printed: ${printed}`));
    const timer = setTimeout(() => fail('it took too long'), startMs);
    child.once('exit', (code) => fail(`exit code ${code}`));
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data) => {
        printed += data;
        const url = /listens at (ws:\/\/[^\s"]+)/.exec(printed)?.[1];
        if (url === undefined) return;
        clearTimeout(timer);
        resolve(url);
      });
  });
}
