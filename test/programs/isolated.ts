// Isolated code of tools that return, wait, spin, crash, flood, fill memory, send nonsense, or leave children.
import { spawn, spawnSync } from 'node:child_process';
import { writeSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import type { IsolatedContext, IsolatedRun } from '../../src/tools/isolate/isolate-messages.ts';

const stop = ({ signal }: IsolatedContext) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
/** Tells the host that the code has been entered. */
const enter = ({ output }: IsolatedContext) => output('entered\n');

type Does = IsolatedRun<{ readonly token: string }>;

export const run: Does = ({ token }, context) => {
  enter(context);
  return `${token} in ${context.session} of ${context.speaker}, marked ${process.env['BELAY_NODE'] === context.call}`;
};

export const waits: Does = async (_, context) => {
  enter(context);
  await stop(context);
  return { kind: 'stopped', output: `stopped by ${(context.signal.reason as { by?: string }).by}` };
};

export const titled: Does = ({ token }, context) => {
  process.title = `isolate-${token}`;
  return waits({ token }, context);
};

export const obeys: Does = (input, context) => (input.token === 'wait' ? waits : run)(input, context);

export const throws: Does = async (_, context) => {
  enter(context);
  await stop(context);
  throw new Error('as most code obeys');
};

export const completes: Does = async (_, context) => {
  enter(context);
  await stop(context);
  return 'done all the same';
};

export const spins: Does = (_, context) => {
  enter(context);
  for (;;);
};

export const obeysOrSpins: Does = (input, context) => (input.token === 'spin' ? spins : run)(input, context);

export const sleeps: Does = (_, context) => {
  enter(context);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  return 'woken';
};

export const microtasks: Does = async (_, context) => {
  enter(context);
  for (;;) await null;
};

export const blocks: Does = ({ token }, context) => {
  enter(context);
  spawnSync('sleep', [token]);
  return 'awake';
};

export const leaves: Does = async ({ token }) => {
  spawn('sleep', [token], { stdio: 'ignore', detached: true });
  setInterval(() => {}, 1);
  return 'left';
};

export const crashes: Does = () =>
  new Promise(() => {
    setImmediate(() => {
      throw new Error('out of the blue');
    });
  });

export const exits: Does = () => process.exit(3);

export const fails: Does = async () => {
  throw new Error('no such luck');
};

export const eats: Does = () => {
  const eaten: number[][] = [];
  for (;;) eaten.push(Array.from({ length: 100_000 }, (_, i) => i + Math.random()));
};

export const floods: Does = (_, context) => {
  for (;;) context.output('flood '.repeat(1_000));
};

export const logs: Does = () => {
  for (let i = 0; i < 100_000; i++) console.log('a line of a log that is long enough to fill a pipe');
  return 'logged';
};

export const logsForEver: Does = () => {
  for (;;) console.log('y'.repeat(10_000));
};

export const printsForEver: Does = () => {
  for (;;) process.stderr.write(new Uint8Array(10_000).fill(0x79));
};

/** One line behind the other, each when the one before has been taken. */
export const waitsForItsLog: Does = () =>
  new Promise((resolve) => {
    let lines = 50_000;
    const next = () => {
      lines -= 1;
      if (lines === 0) resolve('all taken');
      else process.stdout.write(`${lines} lines to go\n`, next);
    };
    next();
  });

/** Native code that allocates: V8 cannot interrupt it where the heap is full. */
export const parsesTooMuch: Does = () => {
  const items = JSON.parse(`[${'{"a":1},'.repeat(2_000_000)}1]`) as unknown[];
  return String(items.length);
};

export const talks: Does = async () => {
  console.log('to stdout');
  console.error('to stderr');
  await new Promise((resolve) => setTimeout(resolve, 20));
  return { kind: 'failed', output: 'said', code: 'command_failed', message: 'as it says', effect: 'none' };
};

export const lies: Does = async () => ({ kind: 'perhaps', output: 7 }) as never;

export const speaksNonsense: Does = async () => {
  if (parentPort) parentPort.postMessage({ nonsense: true });
  else writeSync(3, 'nonsense\n');
  return new Promise(() => {});
};

/** Goes round `output`, which counts. */
export const tellsForEver: Does = () => {
  const said = { output: 'z'.repeat(100_000) };
  for (;;) {
    if (parentPort) parentPort.postMessage(said);
    else writeSync(3, `${JSON.stringify(said)}\n`);
  }
};

export const tellsNothingForEver: Does = () => {
  for (;;) {
    if (parentPort) parentPort.postMessage({ output: '' });
    else writeSync(3, '{"output":""}\n');
  }
};

export const saysTooMuch: Does = async () => 'x'.repeat(1_000_000);

export const givesWhatCannotBeSent: Does = async () => ({ kind: 'completed', output: 'ok', more: () => {} }) as never;

export const notAFunction = 7;
