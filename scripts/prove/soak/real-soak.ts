// The real soak: a gateway process on a store on disk, 100 connections, 40 turns at once, stops, lost connections, tools that resist, MCP servers that crash.
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type ConnectingClient, createClient } from '../../../src/client/client.ts';
import type { ClientSession } from '../../../src/client/client-session.ts';
import { openSocket } from '../../../src/client/open-socket.ts';
import type { Turn } from '../../../src/client/turn-in-flight.ts';
import { seededRandom } from '../../../src/core/sources/virtual.ts';
import { type HostMeasures, type HostRequest, sessionOf } from './soak-contract.ts';

const connections = 100;
const turnsAtOnce = 40;
const warmUpMs = 15_000;
const soakMs = 120_000;
/** The longest wait for the baseline, and for one receipt, in milliseconds. */
const patienceMs = 60_000;
const maxHeapGrowthMB = 24;
/** Descriptors and handles of a pool of threads or connections that comes and goes. */
const slack = 3;

class Host {
  readonly #process: ChildProcess;

  constructor(store: string) {
    this.#process = fork(join(import.meta.dirname, 'soak-host.ts'), [store], { stdio: 'inherit' });
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** Resolves with the next message. Rejects when the process ends without one. */
  next<T>(): Promise<T> {
    return new Promise((resolve, reject) => {
      const onExit = (code: number | null) => reject(new Error(`The gateway has ended with ${code}.`));
      this.#process.once('exit', onExit);
      this.#process.once('message', (message) => {
        this.#process.off('exit', onExit);
        resolve(message as T); // soak-host.ts sends it
      });
    });
  }

  ask<T>(request: HostRequest): Promise<T> {
    const reply = this.next<T>();
    this.#process.send(request);
    return reply;
  }

  ended(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#process.exitCode !== null) resolve();
      else this.#process.once('exit', () => resolve());
    });
  }

  kill(): void {
    this.#process.kill('SIGKILL');
  }
}

interface SoakCounts {
  turns: number;
  stops: number;
  lost: number;
  /** What took longer than `patienceMs`. */
  readonly late: string[];
}

/** One connection: it listens, or says things and stops them. */
class Visitor {
  readonly #client: ConnectingClient;
  readonly #session: ClientSession;
  readonly #name: string;
  readonly #random: () => number;
  #socket: WebSocket | null = null;
  readonly counts: SoakCounts;

  constructor(url: string, i: number, seed: number, counts: SoakCounts) {
    this.#name = `visitor-${i}`;
    this.#random = seededRandom(seed * connections + i);
    this.counts = counts;
    this.#client = createClient({
      url,
      token: this.#name,
      createSocket: (...address) => {
        const socket = openSocket(...address);
        this.#socket = socket as unknown as WebSocket; // the platform's
        return socket;
      },
    });
    this.#session = this.#client.session(sessionOf(i));
  }

  async talk(until: number): Promise<void> {
    while (Date.now() < until) {
      const words = this.#random() < 0.7 ? 'work' : 'talk';
      const turn = this.#session.say(words, { whileDisconnected: 'wait' });
      this.counts.turns++;
      await pause(this.#random() * 600);
      if (this.#random() < 0.6) await this.#stop(turn);
      if (this.#random() < 0.1) this.#lose();
      await withinPatience(
        turn.ended.catch(() => {}),
        () => this.counts.late.push(`${words} of ${this.#name}`),
      );
    }
  }

  async listen(until: number): Promise<void> {
    while (Date.now() < until) {
      await pause(500 + this.#random() * 4_000);
      if (this.#random() < 0.3) this.#lose();
      else if (this.#random() < 0.1) void this.#session.cancel('session').settled.catch(() => {});
    }
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  async #stop(turn: Turn): Promise<void> {
    this.counts.stops++;
    const handle = this.#random() < 0.3 ? this.#session.cancel('mine', { force: true }) : turn.cancel();
    await withinPatience(
      handle.settled.catch(() => {}),
      () => this.counts.late.push(`a stop by ${this.#name}`),
    );
  }

  #lose(): void {
    this.counts.lost++;
    this.#socket?.close();
  }
}

async function withinPatience(work: Promise<unknown>, onLate: () => void): Promise<void> {
  const timer = new AbortController();
  const patience = pause(patienceMs, true, { signal: timer.signal }).catch(() => false); // given up
  if (await Promise.race([work.then(() => false), patience])) onLate();
  timer.abort();
}

/** The processes below another one, by their numbers. */
function descendantsOf(pid: number): readonly number[] {
  const parents = readdirSync('/proc').flatMap((name) => {
    try {
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      return [[Number(name), Number(fields[1])] as const];
    } catch {
      return []; // no process, or one that has just ended
    }
  });
  const below = (id: number): readonly number[] =>
    parents.flatMap(([child, parent]) => (parent === id ? [child, ...below(child)] : []));
  return below(pid);
}

interface Measures extends HostMeasures {
  readonly processes: number;
}

async function measure(host: Host): Promise<Measures> {
  const measures = await host.ask<HostMeasures>('measure');
  return { ...measures, processes: descendantsOf(host.pid).length };
}

/** Returns the measures that are above the baseline, a line for each. */
function beyond(now: Measures, base: Measures): readonly string[] {
  const over = (name: string, value: number, before: number, more: number) =>
    value > before + more ? [`${name}: ${value}, at the baseline ${before}`] : [];
  const rows = Object.entries(now.rows).flatMap(([table, count]) =>
    over(`rows of ${table}`, count, base.rows[table] ?? 0, 0),
  );
  return [
    ...over('heap in MB', Math.round(now.heapMB), Math.round(base.heapMB), maxHeapGrowthMB),
    ...over('descriptors', now.descriptors, base.descriptors, slack),
    ...over('timers', now.timers, base.timers, slack),
    ...over('handles', now.handles, base.handles, slack),
    ...over('processes', now.processes, base.processes, 0),
    ...over('kept by sessions', now.live, base.live, 0),
    ...rows,
  ];
}

async function untilBaseline(host: Host, base: Measures): Promise<{ measures: Measures; wrong: readonly string[] }> {
  const until = Date.now() + patienceMs;
  for (;;) {
    await host.ask('forget');
    const measures = await measure(host);
    const wrong = beyond(measures, base);
    if (wrong.length === 0 || Date.now() > until) return { measures, wrong };
    await pause(500);
  }
}

async function soak(url: string, seed: number, ms: number): Promise<SoakCounts> {
  const counts = { turns: 0, stops: 0, lost: 0, late: [] };
  const until = Date.now() + ms;
  const visitors = Array.from({ length: connections }, (_, i) => new Visitor(url, i, seed, counts));
  await Promise.all(visitors.map((visitor, i) => (i < turnsAtOnce ? visitor.talk(until) : visitor.listen(until))));
  await Promise.all(visitors.map((visitor) => visitor.close()));
  return counts;
}

const shown = ({ rows, heapMB, ...rest }: Measures): string =>
  JSON.stringify({
    heapMB: Math.round(heapMB),
    ...rest,
    rows: Object.values(rows).reduce((sum, count) => sum + count, 0),
  });

/** Resolves with what is wrong, one line each. */
export async function soakForReal(seed: number): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'belay-soak-'));
  const host = new Host(join(folder, 'belay.sqlite'));
  try {
    const { url } = await host.next<{ readonly url: string }>();
    await soak(url, seed, warmUpMs);
    await pause(2_000);
    await host.ask('forget');
    const base = await measure(host);
    console.log(`baseline ${shown(base)}`);
    const counts = await soak(url, seed + 1, soakMs);
    const { measures, wrong } = await untilBaseline(host, base);
    console.log(
      `after ${soakMs / 1_000} s with ${connections} connections: ${JSON.stringify(counts)}\nthen ${shown(measures)}`,
    );
    const { reports } = await host.ask<{ readonly reports: readonly string[] }>('close');
    await host.ended();
    const known = /did not stop in time|abort listener|neither a text nor/; // the tools that resist
    const late = counts.late.map((what) => `${what} took longer than ${patienceMs} ms`);
    return [...wrong, ...late, ...reports.filter((one) => !known.test(one))];
  } finally {
    host.kill();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
