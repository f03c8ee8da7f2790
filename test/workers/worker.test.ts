// The frame of every worker.
import { expect, test } from 'vitest';
import { createActor, toPromise } from 'xstate';
import { LiveTree } from '../../src/live/tree.ts';
import { createVirtualSources } from '../../src/sources/virtual.ts';
import { bindSessionSystem, type Services, type SessionActions } from '../../src/workers/services.ts';
import { worker } from '../../src/workers/worker.ts';
import { createWorld, once, toolOf } from '../support/world.ts';

test('a worker whose node was cut before its first step starts nothing [cancel.fence]', async () => {
  const tree = new LiveTree();
  const services = { tree, runtime: { sources: createVirtualSources() } } as unknown as Services;
  tree.add({ id: 'n', kind: 'tool-call', owner: 'a', parent: null, name: null, since: 0 }, null);
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
  expect(await ended).toBe('stopped');
  expect(ran).toEqual([]);
  expect(tree.get('n')?.workers).toBe(0);
});

test('what a worker throws is a failure with a name, and its siblings run on [tool.parallel]', async () => {
  const broken = toolOf('broken', () => {
    throw new TypeError('no such thing');
  });
  const world = await createWorld({ tools: [broken], respond: once(['broken'], ['wait', { ms: 100 }]) });
  const turn = await world.say('words');
  await world.clock.advance(1_000);
  expect(world.heard.of('tool_result')).toMatchObject([
    { node: world.call('broken'), outcome: 'failed', code: 'tool_failed', message: 'no such thing', effect: 'unknown' },
    { node: world.call('wait'), outcome: 'completed' },
  ]);
  expect(world.end(turn)?.outcome).toBe('completed');
});

test('a provider that is deaf to its signal holds nothing up: 250 ms at most [cancel.bounded]', async () => {
  const world = await createWorld({ respond: () => ({ steps: [{ text: 'a' }, { hang: true }], ignoresSignal: true }) });
  const turn = await world.say('words');
  await world.cancel({ target: turn });
  await world.clock.advance(249);
  expect(world.end(turn)).toBeUndefined();
  await world.clock.advance(2);
  expect(world.end(turn)?.outcome).toBe('cancelled');
});
