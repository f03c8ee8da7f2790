// The nodes below a machine that threw: each gets a CANCEL, and the closing follows what is in flight.
import { expect, test, vi } from 'vitest';
import type { NodeId } from '../../../machines/vocabulary.ts';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import type { LiveTree } from '../../../src/core/live/tree.ts';
import { callsOnce, callsResponse, type Harness, later, startHarness, textResponse } from '../../support/harness.ts';
import { holdAppend } from '../../support/held-log.ts';

const made = vi.hoisted(() => ({ trees: [] as LiveTree[] }));
vi.mock('../../../src/core/live/tree.ts', async (original) => {
  const real = await original<typeof import('../../../src/core/live/tree.ts')>();
  class LiveTree extends real.LiveTree {
    constructor() {
      super();
      made.trees.push(this);
    }
  }
  return { ...real, LiveTree };
});

const agents = { helper: { description: 'helps', instructions: 'Help.' } };

/** Sends the machine of a node of the last tree an event that makes its guard throw. */
const breakMachine = (id: NodeId) => made.trees.at(-1)?.get(id)?.actor?.send({ type: 'CANCEL' });

const endsOf = ({ recorder }: Harness, turn: NodeId) => recorder.of('turn_ended').filter((fact) => fact.turn === turn);

test('an orphan whose model call ignores its abort starts none of the calls that it brings [cancel.fence] [cancel.reach]', async () => {
  const call = { callId: 'p', name: 'wait', arguments: '{}' };
  const harness = await startHarness({
    agents,
    respond: (_, n) => {
      if (n === 0) return callsResponse(['spawn_agent', { task: 'look' }]);
      return n === 1 ? { steps: [{ waitMs: 120 }, { call }], ignoresSignal: true } : textResponse('done');
    },
  });
  const turn = await harness.say('words');
  await harness.clock.advance(50);
  breakMachine(turn);
  await harness.clock.advance(5_000);
  const orphan = harness.recorder.of('turn_started').find(({ parent }) => parent !== null)?.turn ?? '';
  expect(harness.entered).toEqual([]);
  expect(harness.recorder.of('tool_started')).toMatchObject([{ node: harness.callNamed('spawn_agent') }]);
  expect(endsOf(harness, orphan)).toMatchObject([{ outcome: 'cancelled' }]);
  expect(harness.provider.requests).toHaveLength(2);
  expect(await harness.session.nodes()).toEqual([]);
});

test('an orphan that waits for a commit for longer than a budget closes itself, once [history.paired] [cancel.boundaries]', async () => {
  let calls = 0;
  const hold = holdAppend((types) => types.includes('tool_call') && ++calls === 2);
  const harness = await startHarness({
    agents,
    log: hold.wrap(createMemoryLog()),
    respond: (_, n) => {
      if (n === 0) return callsResponse(['spawn_agent', { task: 'look' }]);
      return n === 1 ? callsResponse(['wait'], ['wait']) : textResponse('done');
    },
  });
  const turn = await harness.say('words');
  await hold.reached;
  breakMachine(turn);
  await harness.clock.advance(3_000);
  hold.release();
  await harness.clock.advance(3_000);
  for (const { turn: started } of harness.recorder.of('turn_started')) expect(endsOf(harness, started)).toHaveLength(1);
  const results = harness.recorder.of('tool_result').map(({ node }) => node);
  expect(results.toSorted()).toEqual(
    harness.recorder
      .of('tool_call')
      .map(({ node }) => node)
      .toSorted(),
  );
  expect(harness.recorder.of('turn_started')).toHaveLength(2);
  expect(harness.recorder.of('turn_ended').at(-1)).toMatchObject({ turn, outcome: 'failed' });
});

test('the closing is not appended before the commit of what is in flight [store.durable] [history.paired]', async () => {
  const hold = holdAppend((types) => types.includes('tool_call'));
  const respond = callsOnce(['wait']);
  const log = hold.wrap(createMemoryLog());
  const harness = await startHarness({ log, respond: (request, n) => later(respond(request, n)) });
  const turn = await harness.say('words');
  await harness.clock.advance(1);
  await hold.reached;
  breakMachine(turn);
  await harness.clock.advance(1_000);
  hold.release();
  await harness.clock.advance(3_000);
  const [ended] = endsOf(harness, turn);
  expect(ended).toMatchObject({ outcome: 'failed', code: 'machine_failed', at: 1_001 });
  expect(harness.recorder.of('tool_result')).toMatchObject([{ effect: 'unknown' }]);
});
