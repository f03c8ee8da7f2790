// Tools that resist a stop, and the outcome of a cancel for each.
import { join } from 'node:path';
import { defaultBuiltinLimits } from '../../src/adapters/tools/builtin/builtin-limits.ts';
import { runCodeTool } from '../../src/adapters/tools/builtin/run-code.ts';
import { shellTool } from '../../src/adapters/tools/builtin/shell.ts';
import { type IsolationKind, isolatedTool } from '../../src/adapters/tools/isolate/isolated-tool.ts';
import type { Tool } from '../../src/core/contracts/tool.ts';
import { toolOf } from '../support/harness.ts';
import { scaled } from '../support/time-scale.ts';

/** The budgets that go with it: long enough for a slow machine, short enough for a test. */
export const budgets = { termGraceMs: scaled(100), toolCancelMs: scaled(400), forceCancelMs: scaled(50) };
const program = (name: string) => `/bin/sh ${join(import.meta.dirname, '..', 'children', name)} 600`;

export interface HostileCase {
  readonly name: string;
  readonly tool: Tool;
  readonly input?: object;
  /** How it settles under a cancel. */
  readonly outcome: 'cancelled' | 'abandoned' | 'completed';
  readonly forced?: boolean;
  /** Whether an abandoned one really ends some time later, by itself. */
  readonly ends?: 'late' | 'never';
}

const commands = { limits: defaultBuiltinLimits, termGraceMs: budgets.termGraceMs, passEnvironment: [] };
const shell = shellTool(commands);
const runCode = runCodeTool(commands);
const isolated = (kind: IsolationKind, name: string) =>
  isolatedTool({
    name: `${name}_${kind}`,
    description: 'Does what its module does.',
    input: { type: 'object' },
    access: 'parallel',
    effect: 'some',
    isolate: {
      kind,
      module: new URL('../children/isolated.ts', import.meta.url),
      export: name,
      termGraceMs: budgets.termGraceMs,
    },
  });
const pauses = (ms: number) => new Promise<void>((done) => void setTimeout(done, ms).unref());

export const corpus: readonly HostileCase[] = [
  { name: 'never settles', tool: toolOf('never', () => new Promise(() => {})), outcome: 'abandoned', ends: 'never' },
  {
    name: 'ignores its signal',
    tool: toolOf('ignores', async () => pauses(scaled(700)).then(() => 'done all the same')),
    outcome: 'abandoned',
    ends: 'late',
  },
  {
    name: 'settles late with a success',
    tool: toolOf('late', async (_, { signal }) => {
      await new Promise((done) => signal.addEventListener('abort', done));
      await pauses(scaled(600));
      return 'a success';
    }),
    outcome: 'abandoned',
    ends: 'late',
  },
  {
    name: 'completes in spite of its signal, in time',
    tool: toolOf('stubborn', async (_, { signal }) => {
      await new Promise((done) => signal.addEventListener('abort', done));
      return 'finished what it had begun';
    }),
    outcome: 'completed',
  },
  {
    name: 'throws in its abort handler',
    tool: toolOf('rude', (_, { signal }) => {
      signal.addEventListener('abort', () => {
        throw new Error('rude');
      });
      return new Promise(() => {});
    }),
    outcome: 'abandoned',
    ends: 'never',
  },
  {
    name: 'rejects with nothing',
    tool: toolOf(
      'nothing',
      (_, { signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(undefined))),
    ),
    outcome: 'cancelled',
  },
  {
    name: 'holds a thousand timers',
    tool: toolOf('timers', (_, { signal }) => {
      const timers = Array.from({ length: 1_000 }, () => setInterval(() => {}, 5));
      return new Promise((resolve) =>
        signal.addEventListener('abort', () => {
          for (const timer of timers) clearInterval(timer);
          resolve({ kind: 'stopped', output: '' });
        }),
      );
    }),
    outcome: 'cancelled',
  },
  {
    name: 'floods its output in the process',
    tool: toolOf('gush', async (_, { output, signal }) => {
      while (!signal.aborted) {
        output('x'.repeat(10_000));
        await new Promise((done) => setImmediate(done));
      }
      return { kind: 'stopped', output: 'y'.repeat(1_000_000) };
    }),
    outcome: 'cancelled',
  },
  { name: 'is a process that obeys', tool: shell, input: { command: program('polite.sh') }, outcome: 'cancelled' },
  {
    name: 'traps TERM',
    tool: shell,
    input: { command: program('ignores-term.sh') },
    outcome: 'cancelled',
    forced: true,
  },
  { name: 'forks', tool: shell, input: { command: program('forks.sh') }, outcome: 'cancelled' },
  {
    name: 'leaves its group and session, deaf',
    tool: shell,
    input: { command: program('leaves-group.sh') },
    outcome: 'cancelled',
    forced: true,
  },
  {
    name: 'forks twice with setsid',
    tool: shell,
    input: { command: `${program('double-fork.sh')}; sleep 600` },
    outcome: 'cancelled',
  },
  {
    name: 'forks into a session of its own and leaves, for ever',
    tool: shell,
    input: { command: program('forking-chain.sh') },
    outcome: 'cancelled',
    forced: true,
  },
  { name: 'floods stdout at full speed', tool: shell, input: { command: program('flood.sh') }, outcome: 'cancelled' },
  {
    name: 'fills stderr and never reads',
    tool: shell,
    input: { command: 'yes stderr >&2 & cat >/dev/null; sleep 600' },
    outcome: 'cancelled',
  },
  {
    name: 'traps TERM at a terminal',
    tool: shell,
    input: { command: `exec ${program('ignores-term.sh')}`, pty: true },
    outcome: 'cancelled',
    forced: true,
  },
  {
    name: 'is a script that traps TERM and spins',
    tool: runCode,
    input: { language: 'node', code: "process.on('SIGTERM', () => {}); console.log('deaf'); for (;;);" },
    outcome: 'cancelled',
    forced: true,
  },
  ...(['thread', 'process'] as const).flatMap((kind): HostileCase[] => [
    { name: `spins in a ${kind}`, tool: isolated(kind, 'spins'), outcome: 'cancelled', forced: true },
    { name: `waits for a lock in a ${kind}`, tool: isolated(kind, 'sleeps'), outcome: 'cancelled', forced: true },
    {
      name: `never leaves its microtasks in a ${kind}`,
      tool: isolated(kind, 'microtasks'),
      outcome: 'cancelled',
      forced: true,
    },
    { name: `floods its host from a ${kind}`, tool: isolated(kind, 'floods'), outcome: 'cancelled', forced: true },
    { name: `obeys in a ${kind}`, tool: isolated(kind, 'throws'), outcome: 'cancelled' },
  ]),
];
