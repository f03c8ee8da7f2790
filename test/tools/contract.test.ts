// The contract suite itself: an honest tool passes it, and each lie is caught by the check that is there for it.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../src/tools/define.ts';
import type { Tool, ToolContext } from '../../src/tools/tool.ts';
import { type ToolCase, toolChecks, toolContract } from '../contract/tool.ts';

const wait = ({ signal }: ToolContext) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

const honest = defineTool({
  name: 'waits',
  description: 'Waits until it is stopped, if it is asked to.',
  input: z.object({ mode: z.enum(['answer', 'wait']), times: z.int().max(3).default(1) }),
  access: ({ mode }, { session }) => ({ scope: 'session', name: `${session} ${mode}` }),
  cancel: 'abortable',
  effect: 'none',
  async run({ mode, times }, context) {
    if (context.signal.aborted) return { kind: 'stopped', output: '' };
    context.output('working');
    if (mode === 'answer') return 'done '.repeat(times);
    await wait(context);
    return { kind: 'stopped', output: 'waited' };
  },
});

const caseOf = (tool: Tool): ToolCase => ({
  tool,
  good: { mode: 'answer' },
  bad: [
    { input: {}, names: 'mode' },
    { input: { mode: 'answer', times: 9 }, names: '<=3' },
  ],
  endless: { mode: 'wait' },
  endsWithinMs: 300,
});

toolContract('a tool of a few lines', () => caseOf(honest));

const lies: readonly (readonly [string, Partial<Tool>, string])[] = [
  ['has no cancel contract', { cancel: undefined as never }, 'its declaration'],
  [
    'gives another key each time',
    { access: () => ({ scope: 'host', name: String(performance.now()) }) },
    'it takes good',
  ],
  ['does not name the field', { parse: () => ({ ok: false, message: 'wrong' }) }, 'it refuses wrong'],
  [
    'speaks after its end',
    {
      run: async (_, context) => {
        setTimeout(() => context.output('one more thing'), 5);
        return 'done';
      },
    },
    'a call completes',
  ],
  [
    'leaves a listener',
    {
      run: async (_, { signal }) => {
        signal.addEventListener('abort', () => {});
        return 'done';
      },
    },
    'a call completes',
  ],
  [
    'leaves a timer',
    {
      run: async (_, { clock }) => {
        clock.after(60_000, () => {});
        return 'done';
      },
    },
    'a call completes',
  ],
  ['runs behind a signal that has fired', { run: async () => 'done' }, 'a signal that has fired'],
  ['does not hear its signal', { run: () => new Promise(() => {}) }, 'a signal right behind'],
  [
    'says completed though it was stopped',
    { run: (_, context) => wait(context).then(() => 'done') },
    'a call that would',
  ],
];

test.each(lies)('a tool that %s is caught [tool.contract]', async (_, lie, caughtBy) => {
  const theCase = caseOf({ ...honest, ...lie });
  const check = toolChecks.find(({ title }) => title.startsWith(caughtBy));
  await expect((async () => check?.check(theCase))()).rejects.toThrow();
});
