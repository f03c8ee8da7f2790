// The servers that are compared, each a process of its own that answers questions over its channel.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEndpoint, type TestEndpoint } from '../../test/support/endpoint.ts';
import type { ControlAnswer, ControlQuestion, ServerInput } from './control.ts';
import { describeMachine } from './machine.ts';
import type { Options } from './options.ts';

/** The two that store nothing show the cost of the code. The two that store on disk show what a user pays. */
export const contestantNames = ['floor', 'belay memory', 'floor fsync', 'belay sqlite'] as const;
/** The floor with Belay's transport to the model, where streams are measured: it is reported, and no ratio is taken of it. */
export const leanFloor = 'floor lean';
export type ContestantName = (typeof contestantNames)[number] | typeof leanFloor;

/** Pairs that are printed as ratios. */
export const comparisons = [
  ['belay memory', 'floor'],
  ['belay sqlite', 'floor fsync'],
] as const satisfies readonly (readonly [ContestantName, ContestantName])[];

export interface Contestant {
  readonly name: ContestantName;
  readonly url: string;
  /** Resolves with the times at which signals have fired in tools since the last call of `marks`. */
  marks(): Promise<readonly number[]>;
  /** Resolves with the processor time of the process so far, in microseconds. */
  cpu(): Promise<number>;
  /** Resolves with the bytes of memory that are in use after a garbage collection. */
  memory(): Promise<number>;
  close(): Promise<void>;
}

export interface Stand extends AsyncDisposable {
  readonly endpoint: TestEndpoint;
  /** Where commands run. */
  readonly roots: readonly string[];
  start(name: ContestantName): Promise<Contestant>;
  startAll(): Promise<readonly Contestant[]>;
}

/** Commands of one turn that run at the same time: each needs a folder of its own, since a folder is an exclusive key in Belay. */
export const commandCount = 4;

/** On the disk of the checkout, where the store of `npm start` lies too: /tmp is memory on some machines. */
const parent = fileURLToPath(new URL('../../.belay/', import.meta.url));

export async function openStand(
  { profile }: Pick<Options, 'profile'>,
  { idleMs }: Pick<ServerInput, 'idleMs'> = {},
): Promise<Stand> {
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, 'bench-'));
  const roots = Array.from({ length: commandCount }, (_, i) => join(folder, `root-${i}`));
  for (const root of roots) mkdirSync(root);
  console.log(describeMachine(folder));
  const endpoint = await startEndpoint();
  const started: Contestant[] = [];
  let count = 0;

  const start = async (name: ContestantName): Promise<Contestant> => {
    const own = join(folder, `server-${count++}`);
    mkdirSync(own);
    const store = name === 'floor fsync' || name === 'belay sqlite' ? 'disk' : 'memory';
    const transport = name === leanFloor ? 'lean' : 'client';
    const input: ServerInput = { store, folder: own, baseURL: endpoint.url, roots, idleMs, transport };
    const contestant = await startServer(name, input, profile);
    started.push(contestant);
    return contestant;
  };
  return {
    endpoint,
    roots,
    start,
    async startAll() {
      const all: Contestant[] = [];
      for (const name of contestantNames) all.push(await start(name));
      return all;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(started.map((contestant) => contestant.close()));
      await endpoint.close();
      rmSync(folder, { recursive: true });
    },
  };
}

async function startServer(name: ContestantName, input: ServerInput, profile: string | null): Promise<Contestant> {
  const file = name.startsWith('belay') ? './serve-belay.ts' : './serve-floor.ts';
  const profiling = ['--cpu-prof', `--cpu-prof-dir=${profile}`, `--cpu-prof-name=${name.replace(' ', '-')}.cpuprofile`];
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), [JSON.stringify(input)], {
    execArgv: ['--disable-warning=ExperimentalWarning', ...(profile === null ? [] : profiling)],
  });
  const gone = once(child, 'exit');
  const { url } = await nextMessage<{ url: string }>(name, child);
  const ask = async <A extends ControlAnswer>(question: ControlQuestion): Promise<A> => {
    const next = nextMessage<{ answer: A }>(name, child);
    child.send(question);
    return (await next).answer;
  };
  return {
    name,
    url,
    marks: () => ask<readonly number[]>('marks'),
    cpu: () => ask<number>('cpu'),
    memory: () => ask<number>('memory'),
    async close() {
      if (child.connected) child.disconnect();
      await gone;
    },
  };
}

/** One question at a time, so the next message is its answer. */
function nextMessage<T>(name: string, child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error(`the server "${name}" exited before it answered`));
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message as T);
    });
  });
}
