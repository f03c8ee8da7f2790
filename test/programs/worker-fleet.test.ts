// The fleet of workers over processes that the test plays: deaths at bad moments, processes that hang or cannot be started.
import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createVirtualClock, settlePromises } from '../../src/core/sources/virtual.ts';
import { WorkerFleet } from '../../src/programs/worker-fleet.ts';
import type { FromWorker, ToWorker, WorkerMessage, WorkerStart } from '../../src/programs/worker-parts.ts';

const facts = { isScripted: true, modelUrl: '', tools: [], agents: [], roots: [], servers: [] };

/** A process of a worker: records what it is sent. */
class PlayedWorker extends EventEmitter {
  connected = true;
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;
  readonly pid: number;
  readonly received: ToWorker[] = [];
  readonly sockets: Socket[] = [];
  /** Whether it accepts connections; one that hangs does not. */
  accepts = true;

  constructor(pid: number) {
    super();
    this.pid = pid;
  }

  get ops(): readonly string[] {
    return this.received.map(({ op }) => op);
  }

  send({ belayWorker }: WorkerMessage<ToWorker>, ...rest: readonly unknown[]): boolean {
    this.received.push(belayWorker);
    const [socket] = rest;
    if (socket instanceof Socket) this.sockets.push(socket);
    const callback = rest.at(-1) as (error: Error | null) => void; // the fleet always gives one
    if (this.accepts) setImmediate(callback, null);
    return true;
  }

  say(message: FromWorker): void {
    this.emit('message', { belayWorker: message });
  }

  kill(signal: NodeJS.Signals): boolean {
    this.die(signal);
    return true;
  }

  die(signal: NodeJS.Signals = 'SIGKILL'): void {
    this.connected = false;
    this.signalCode = signal;
    this.emit('exit', null, signal);
  }
}

function newFleet(count = 2) {
  const clock = createVirtualClock();
  const workers: PlayedWorker[] = [];
  const warnings: string[] = [];
  const faults: Error[] = [];
  const fleet = new WorkerFleet({
    count,
    start: {} as Omit<WorkerStart, 'place' | 'isFirst'>, // played workers do not read it
    clock,
    closeMs: 10_000,
    fork() {
      const fault = faults.pop();
      if (fault) throw fault;
      const worker = new PlayedWorker(100 + workers.length);
      workers.push(worker);
      return worker as unknown as ChildProcess; // the fleet needs nothing else of it
    },
    connect() {},
    warn: (problem) => void warnings.push(problem),
  });
  const at = (i: number): PlayedWorker => workers[i] ?? expect.fail(`There is no worker ${i}.`);
  return { fleet, clock, workers, warnings, faults, at };
}

async function startedFleet(count = 2) {
  const made = newFleet(count);
  const started = made.fleet.start();
  for (let i = 0; i < count; i++) {
    made.at(i).say({ op: 'ready', facts });
    await settlePromises();
  }
  await started;
  return made;
}

test('one that dies while others still start is started again when all have [workers.death]', async () => {
  const { fleet, clock, workers, at } = newFleet();
  const started = fleet.start();
  at(0).say({ op: 'ready', facts });
  await settlePromises();
  at(0).die();
  await clock.advance(1_000);
  expect(workers).toHaveLength(2);
  at(1).say({ op: 'ready', facts });
  await started;
  await clock.advance(100);
  expect(workers).toHaveLength(3);
});

test('the pause grows with each death in a row, although an earlier one was to be steady by then [workers.death]', async () => {
  const { clock, workers, warnings, at } = await startedFleet();
  at(1).die();
  for (let i = 2; i <= 8; i++) {
    await clock.advance(6_400);
    expect(workers).toHaveLength(i + 1);
    at(i).say({ op: 'ready', facts });
    await settlePromises();
    at(i).die();
    await settlePromises();
  }
  const waits = warnings.map((text) => Number(/starts again in (\d+) ms/.exec(text)?.[1]));
  expect(waits).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000]);
});

test('a process that the system does not give is asked for again after the pause [workers.death]', async () => {
  const { clock, workers, warnings, faults, at } = await startedFleet();
  faults.push(new Error('spawn ENOMEM'));
  at(1).die();
  await clock.advance(100);
  expect(workers).toHaveLength(2);
  expect(warnings.at(-1)).toBe('Worker 2 cannot be started: spawn ENOMEM. Worker 2 starts again in 200 ms.');
  await clock.advance(200);
  expect(workers).toHaveLength(3);
});

test('one that shuts down alone gets no connection, and recovers nothing [workers.death]', async () => {
  const { fleet, at } = await startedFleet(3);
  at(0).say({ op: 'closing' });
  for (let i = 0; i < 6; i++) {
    fleet.assign(new Socket());
    await settlePromises();
  }
  expect([0, 1, 2].map((i) => at(i).sockets.length)).toEqual([0, 3, 3]);
  at(1).die();
  await settlePromises();
  expect(at(0).received.at(-1)).toEqual({ op: 'died', death: { pid: 101, isRecoveredHere: false } });
  expect(at(2).received).toContainEqual({ op: 'died', death: { pid: 101, isRecoveredHere: true } });
});

test('one that does not accept a connection gets no others, while there is one that does [workers.one]', async () => {
  const { fleet, at } = await startedFleet();
  at(0).accepts = false;
  for (let i = 0; i < 10; i++) {
    fleet.assign(new Socket());
    await settlePromises();
  }
  expect(at(0).sockets).toHaveLength(1);
  expect(at(1).sockets).toHaveLength(9);
});

test('one that hangs at a shutdown is killed alone, by name; the others go on after half of the time [workers.shutdown]', async () => {
  const { fleet, clock, warnings, at } = await startedFleet();
  const closed = fleet.close();
  at(1).say({ op: 'closing' });
  at(1).say({ op: 'rests' });
  await clock.advance(4_999);
  expect(at(1).ops).not.toContain('rest');
  await clock.advance(1);
  expect(at(1).ops).toContain('rest');
  at(1).die('SIGTERM');
  await clock.advance(5_000);
  await closed;
  expect(at(0).signalCode).toBe('SIGKILL');
  expect(at(1).signalCode).toBe('SIGTERM');
  expect(warnings).toEqual(['Worker 1 (pid 100) has not shut down within 10000 ms. It is killed.']);
});

test('a forced shutdown waits for the sessions of no other [workers.shutdown]', async () => {
  const { fleet, at } = await startedFleet();
  void fleet.close();
  at(1).say({ op: 'rests' });
  expect(at(1).ops).not.toContain('rest');
  fleet.force();
  expect(at(1).ops.slice(-2)).toEqual(['force', 'rest']);
});

test('a fleet that is closed during its start starts no others [workers.shutdown]', async () => {
  const { fleet, workers, at } = newFleet();
  const started = fleet.start();
  at(0).say({ op: 'ready', facts });
  void fleet.close();
  await expect(started).rejects.toThrow('The workers were closed during their start.');
  expect(workers).toHaveLength(1);
});

test('a scrape that cannot be read is replied to, and reported [workers.metrics]', async () => {
  const { warnings, at } = await startedFleet();
  at(0).say({ op: 'scrape' });
  const broken = [{ name: 'one', help: '', type: 'counter', values: [], aggregator: 'no such one' }];
  await expect.poll(() => at(0).ops).toContain('measure');
  for (const i of [0, 1]) at(i).say({ op: 'measured', snapshot: broken as never });
  await expect.poll(() => at(0).received.at(-1)).toEqual({ op: 'metrics', text: null });
  expect(warnings).toEqual([expect.stringContaining('The metrics of the workers cannot be read: ')]);
});
