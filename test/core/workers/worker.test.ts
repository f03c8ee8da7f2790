// The wrapper of every worker.
import { expect, test } from 'vitest';
import { createActor, toPromise } from 'xstate';
import { LiveTree } from '../../../src/core/live/tree.ts';
import { createVirtualSources } from '../../../src/core/sources/virtual.ts';
import type { Services, SessionActions } from '../../../src/core/workers/services.ts';
import { bindSessionSystem } from '../../../src/core/workers/session-bindings.ts';
import { worker } from '../../../src/core/workers/worker.ts';
import { callsOnce, startHarness, toolOf } from '../../support/harness.ts';
import { nodeToAdd } from '../../support/node-to-add.ts';

test('a worker whose node is cut before its first step starts nothing [cancel.fence]', async () => {
  const tree = new LiveTree();
  const sources = createVirtualSources();
  const services = { tree, runtime: { sources } } as unknown as Services;
  tree.add(nodeToAdd({ id: 'n', kind: 'tool-call' }), null);
  const ran: string[] = [];
  const logic = worker<{ id: string }, string, 'tree'>({
    run: async ({ id }) => {
      ran.push(id);
      return 'ran';
    },
    stopped: () => 'stopped',
    failed: () => 'failed',
  });
  const actor = createActor(logic, { input: { id: 'n' } });
  bindSessionSystem(actor, services, {} as SessionActions);
  const ended = toPromise(actor);
  actor.start();
  tree.cut(new Map([['n', { source: 'client', by: 'a', reason: null, target: 'n' }]]));
  await sources.clock.advance(0); // the event loop polls once
  expect(await ended).toBe('stopped');
  expect(ran).toEqual([]);
  expect(tree.get('n')?.workers).toBe(0);
});

test('an error in a worker fails its call with a code, and the sibling calls run on [tool.parallel]', async () => {
  const broken = toolOf('broken', () => {
    throw new TypeError('no such thing');
  });
  const harness = await startHarness({ tools: [broken], respond: callsOnce(['broken'], ['wait', { ms: 100 }]) });
  const turn = await harness.say('words');
  await harness.clock.advance(1_000);
  expect(harness.recorder.of('tool_result')).toMatchObject([
    {
      node: harness.callNamed('broken'),
      outcome: 'failed',
      code: 'tool_failed',
      message: 'no such thing',
      effect: 'unknown',
    },
    { node: harness.callNamed('wait'), outcome: 'completed' },
  ]);
  expect(harness.endOf(turn)?.outcome).toBe('completed');
});

test('a provider that ignores its signal delays a stop by 250 ms at most [cancel.bounded]', async () => {
  const harness = await startHarness({
    respond: () => ({ steps: [{ text: 'a' }, { hang: true }], ignoresSignal: true }),
  });
  const turn = await harness.say('words');
  await harness.cancel({ target: turn });
  await harness.clock.advance(249);
  expect(harness.endOf(turn)).toBeUndefined();
  await harness.clock.advance(2);
  expect(harness.endOf(turn)?.outcome).toBe('cancelled');
});
