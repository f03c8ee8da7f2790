// Tests a tool with `@belay/runtime/testing` as its how-to shows, without waiting.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createRuntime, defineTool } from '../../src/index.ts';
import { createRecorder, createScriptedProvider, createVirtualSources } from '../../src/testing/index.ts';

const brew = defineTool({
  name: 'brew',
  description: 'Brews tea.',
  input: z.object({ minutes: z.number() }),
  access: 'parallel',
  cancel: 'abortable',
  effect: 'some',
  run: ({ minutes }, { clock, signal }) =>
    new Promise((resolve) => {
      const disarm = clock.after(minutes * 60_000, () => resolve('ready'));
      signal.addEventListener('abort', () => {
        disarm();
        resolve({ kind: 'stopped', output: 'taken off' });
      });
    }),
});

async function kitchen() {
  const sources = createVirtualSources();
  const provider = createScriptedProvider({
    clock: sources.clock,
    respond: (_, n) => ({
      steps: n === 0 ? [{ call: { callId: 'p1', name: 'brew', arguments: '{"minutes":1}' } }] : [{ text: 'Tea!' }],
    }),
  });
  const recorder = createRecorder();
  const runtime = await createRuntime({
    acknowledge: 'off',
    provider,
    tools: [brew],
    sources,
    observers: [recorder.observer],
  });
  const session = await runtime.session('kitchen');
  return { ann: session.as('ann'), session, clock: sources.clock, recorder, provider };
}

test('a minute passes at once', async () => {
  const { ann, clock, recorder, provider } = await kitchen();
  ann.say('tea, please');
  await clock.advance(59_999);
  expect(recorder.of('tool_result')).toEqual([]);
  await clock.advance(1);
  expect(recorder.of('tool_result')).toMatchObject([{ outcome: 'completed', output: 'ready', ms: 60_000 }]);
  expect(recorder.ends.map(({ outcome }) => outcome)).toEqual(['completed', 'completed']);
  expect(provider.requests).toHaveLength(2);
});

test('a listener receives text and output as they come; a cancel leaves no timer', async () => {
  const { ann, session, clock } = await kitchen();
  const member = { speaker: { id: 'bob', roles: ['member'] as const }, connection: 'c1' };
  const recorder = createRecorder(clock.now);
  await session.join(member, recorder.listener, 0);
  const turn = ann.say('tea, please');
  await clock.advance(30_000);
  turn.cancel();
  await clock.advance(0);
  expect(recorder.joins).toMatchObject([{ session: 'kitchen', seq: 1 }]);
  expect(recorder.of('cancel_settled')).toMatchObject([{ cause: { by: 'ann' } }]);
  expect(recorder.progress.length).toBeGreaterThan(0);
  const next = ann.say('never mind');
  await clock.advance(10);
  expect((await next.ended).outcome).toBe('completed');
  expect(recorder.texts).toEqual([{ at: 30_000, turn: next.id, text: 'Tea!' }]);
});
