// Isolated code of tools that return, wait, spin, crash, flood, fill memory, send nonsense, or leave children.
import { spawn, spawnSync } from 'node:child_process';
import { writeSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import type { IsolatedContext, IsolatedRun } from '../../src/adapters/tools/isolate/isolate-messages.ts';

const stop = ({ signal }: IsolatedContext) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
/** Reports to the host that the code runs. */
const reportStart = ({ output }: IsolatedContext) => output('entered\n');

type Does = IsolatedRun<{ readonly token: string }>;

export const run: Does = ({ token }, context) => {
  reportStart(context);
  return `${token} in ${context.session} of ${context.speaker}, marked ${process.env['BELAY_NODE'] === context.call}`;
};

/** Shows a view of a larger buffer, and a text; then an image above the limit. */
export const shows: Does = () => ({
  kind: 'completed',
  output: 'see',
  parts: [
    { type: 'image', data: Buffer.alloc(1_000_000, 7).subarray(10, 500_010), mediaType: 'image/png', name: 'a.png' },
    { type: 'text', text: 'and' },
    { type: 'file', data: new Uint8Array(16_777_216), mediaType: 'application/pdf' },
  ],
});

/** Shows what is no image. */
export const showsText: Does = () =>
  ({ kind: 'completed', output: '', parts: [{ type: 'image', data: 'text', mediaType: 'image/png' }] }) as never;

export const waits: Does = async (_, context) => {
  reportStart(context);
  await stop(context);
  return { kind: 'stopped', output: `stopped by ${(context.signal.reason as { by?: string }).by}` };
};

export const titled: Does = ({ token }, context) => {
  process.title = `isolate-${token}`;
  return waits({ token }, context);
};

export const obeys: Does = (input, context) => (input.token === 'wait' ? waits : run)(input, context);

export const throws: Does = async (_, context) => {
  reportStart(context);
  await stop(context);
  throw new Error('as most code obeys');
};

export const completes: Does = async (_, context) => {
  reportStart(context);
  await stop(context);
  return 'done all the same';
};

export const spins: Does = (_, context) => {
  reportStart(context);
  for (;;);
};

export const obeysOrSpins: Does = (input, context) => (input.token === 'spin' ? spins : run)(input, context);

export const sleeps: Does = (_, context) => {
  reportStart(context);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  return 'woken';
};

export const microtasks: Does = async (_, context) => {
  reportStart(context);
  for (;;) await null;
};

export const blocks: Does = ({ token }, context) => {
  reportStart(context);
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
      throw new Error('out of nowhere');
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

export const sendsMuch: Does = (_, context) => {
  for (let i = 0; i < 300; i++) context.output(`${'much '.repeat(200)}\n`);
  return 'sent';
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

/** Prints one line after the other, each when the one before has been written. */
export const waitsForItsLog: Does = () =>
  new Promise((resolve) => {
    let lines = 50_000;
    const next = () => {
      lines -= 1;
      if (lines === 0) resolve('all written');
      else process.stdout.write(`${lines} lines to go\n`, next);
    };
    next();
  });

/** Native code that allocates: V8 cannot interrupt it where the heap is full. */
export const parsesTooMuch: Does = () => {
  const items = JSON.parse(`[${'{"a":1},'.repeat(2_000_000)}1]`) as unknown[];
  return String(items.length);
};

export const prints: Does = async () => {
  console.log('to stdout');
  console.error('to stderr');
  await new Promise((resolve) => setTimeout(resolve, 20));
  return { kind: 'failed', output: 'failed', code: 'command_failed', message: 'as it reports', effect: 'none' };
};

export const lies: Does = async () => ({ kind: 'perhaps', output: 7 }) as never;

export const sendsNonsense: Does = async () => {
  if (parentPort) parentPort.postMessage({ nonsense: true });
  else writeSync(3, 'nonsense\n');
  return new Promise(() => {});
};

/** Goes past `output`, which counts. */
export const sendsForEver: Does = () => {
  const message = { output: 'z'.repeat(100_000) };
  for (;;) {
    if (parentPort) parentPort.postMessage(message);
    else writeSync(3, `${JSON.stringify(message)}\n`);
  }
};

export const sendsEmptyForEver: Does = () => {
  for (;;) {
    if (parentPort) parentPort.postMessage({ output: '' });
    else writeSync(3, '{"output":""}\n');
  }
};

export const returnsTooMuch: Does = async () => 'x'.repeat(1_000_000);

export const returnsFunction: Does = async () => ({ kind: 'completed', output: 'ok', more: () => {} }) as never;

export const notAFunction = 7;
