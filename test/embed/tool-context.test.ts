// The context of a tool, and a tool of which one call runs at a time, as a program sees them through the library.
import { createRuntime, defineTool, type ToolContext } from '@belay/runtime';
import { createScriptedProvider, createVirtualSources, type Step } from '@belay/runtime/testing';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';

const call = (name: string, args: object): Step => ({
  call: { callId: `${name}-1`, name, arguments: JSON.stringify(args) },
});

test('a tool gets the session, the turn, the call, the speaker, the roots and the depth of its call [tool.signal]', async () => {
  const contexts: ToolContext[] = [];
  const note = defineTool({
    name: 'note',
    description: 'Notes its context.',
    input: z.object({}),
    access: 'parallel',
    cancel: 'abortable',
    effect: 'none',
    run: (_, context) => {
      contexts.push(context);
      return Promise.resolve('noted');
    },
  });
  const sources = createVirtualSources();
  const provider = createScriptedProvider({
    clock: sources.clock,
    respond: ({ messages }) => {
      const last = messages.at(-1);
      if (last?.role === 'tool') return { steps: [{ text: 'Done.' }] };
      const below = last?.content === 'below';
      return {
        steps: below ? [call('note', {})] : [call('note', {}), call('spawn_agent', { agent: 'helper', task: 'below' })],
      };
    },
  });
  const runtime = await createRuntime({
    acknowledge: 'off',
    provider,
    sources,
    tools: [note],
    roots: ['/tmp/one', '/tmp/two'],
    agents: { helper: { description: 'Helps.', instructions: 'You help.', tools: ['note'] } },
  });
  onTestFinished(() => runtime.close());
  const session = await runtime.session('desk');
  const turn = session.as('ann').say('note it');
  await sources.clock.advance(0);
  expect((await turn.ended).outcome).toBe('completed');

  expect(contexts).toHaveLength(2);
  const [own, below] = contexts;
  const shared = { session: 'desk', speaker: 'ann', roots: ['/tmp/one', '/tmp/two'] };
  expect(own).toMatchObject({ ...shared, depth: 0, turn: await turn.opened });
  expect(below).toMatchObject({ ...shared, depth: 1 });
  expect(below?.turn).not.toBe(own?.turn);
  expect(own?.call).toMatch(/^call_/);
  expect(below?.call).not.toBe(own?.call);
  for (const context of contexts) expect(context.signal).toBeInstanceOf(AbortSignal);
});

test.each([
  {
    policy: 'anyone',
    title: "with standing cancels the earlier one, as the owner's does",
    outcomes: ['superseded', 'completed'],
  },
  { policy: 'owner', title: 'without standing is denied', outcomes: ['denied', 'completed'] },
] as const)('a new call of another speaker $title [tool.supersede]', async ({ policy, outcomes }) => {
  const sources = createVirtualSources();
  const watch = defineTool({
    name: 'watch',
    description: 'Watches for a second.',
    input: z.object({}),
    access: 'parallel',
    cancel: 'abortable',
    effect: 'none',
    supersedes: () => 'screen',
    run: (_, { clock, signal }) =>
      new Promise((resolve) => {
        clock.after(1_000, () => resolve('watched'));
        signal.addEventListener('abort', () => resolve({ kind: 'stopped', output: '' }));
      }),
  });
  const provider = createScriptedProvider({
    clock: sources.clock,
    respond: ({ messages }) =>
      messages.at(-1)?.role === 'tool' ? { steps: [{ text: 'Seen.' }] } : { steps: [call('watch', {})] },
  });
  const runtime = await createRuntime({
    acknowledge: 'off',
    provider,
    sources,
    tools: [watch],
    session: () => ({ policy }),
  });
  onTestFinished(() => runtime.close());
  const session = await runtime.session('studio');
  const ann = session.as('ann');
  const ended: string[] = [];
  ann.on('tool_result', ({ outcome }) => ended.push(outcome));
  const first = ann.say('watch');
  await sources.clock.advance(100);
  const second = session.as('bob').say('watch');
  await sources.clock.advance(5_000);
  await Promise.all([first.ended, second.ended]);
  expect(ended).toEqual(outcomes);
});
