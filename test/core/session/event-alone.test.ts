// A CANCEL that only the machines pass on, without the abort at the cut, stops the worker of every phase.
import { expect, test, vi } from 'vitest';
import type { NodeId } from '../../../machines/vocabulary.ts';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import { createRecorder } from '../../../src/testing/recorder.ts';
import {
  callerOf,
  callsOnce,
  callsResponse,
  type Harness,
  type HarnessOptions,
  later,
  startHarness,
  textResponse,
  toolOf,
} from '../../support/harness.ts';
import { holdAppend } from '../../support/held-log.ts';

vi.mock('../../../src/core/live/tree.ts', async (original) => {
  const real = await original<typeof import('../../../src/core/live/tree.ts')>();
  class LiveTree extends real.LiveTree {
    #isCutting = false;

    override cut(...args: Parameters<typeof real.LiveTree.prototype.cut>): void {
      this.#isCutting = true;
      super.cut(...args);
      this.#isCutting = false;
    }

    override abort(id: NodeId): void {
      if (!this.#isCutting) super.abort(id);
    }
  }
  return { ...real, LiveTree };
});

const agents = { helper: { description: 'helps', instructions: 'Help.', agents: ['helper'] } };
const untilAborted = <T>(signal: AbortSignal, value: T) =>
  new Promise<T>((resolve) => signal.addEventListener('abort', () => resolve(value)));
const hanging = () => ({ steps: [{ text: 'So far ' }, { hang: true as const }] });
const long = 'x'.repeat(3_000);

interface Row {
  readonly phase: string;
  readonly config: HarnessOptions;
  /** Turns that are said, and end, before. */
  readonly before?: number;
  /** The nodes of the receipt. */
  readonly nodes: number;
}

const rows: readonly Row[] = [
  {
    phase: 'preparing',
    config: { buildContext: ({ signal, messages }) => untilAborted(signal, messages) },
    nodes: 1,
  },
  {
    phase: 'compacting',
    config: {
      limits: { compactAboveBytes: 12_000 },
      respond: ({ messages }) =>
        messages.at(-1)?.content.includes('Summarize this conversation') ? hanging() : textResponse(long),
    },
    before: 4,
    nodes: 1,
  },
  { phase: 'generating', config: { respond: hanging }, nodes: 1 },
  {
    phase: 'screening',
    config: {
      interceptors: [{ beforeTool: (_, signal) => untilAborted(signal, { do: 'allow' }) }],
      respond: callsOnce(['wait']),
    },
    nodes: 2,
  },
  {
    phase: 'approving',
    config: {
      tools: [{ ...toolOf('risky', async () => 'done'), approval: () => ({ text: 'May I?' }) }],
      respond: callsOnce(['risky']),
    },
    nodes: 2,
  },
  { phase: 'queued', config: { respond: callsOnce(['keyed', { unwind: 0 }], ['keyed']) }, nodes: 3 },
  {
    phase: 'asking while it runs',
    config: { tools: [toolOf('asker', (_, { ask }) => ask({ text: 'Which?' }))], respond: callsOnce(['asker']) },
    nodes: 2,
  },
  { phase: 'running', config: { respond: callsOnce(['wait', { unwind: 20 }]) }, nodes: 2 },
  {
    phase: 'screening a sub-agent',
    config: {
      agents,
      interceptors: [{ beforeTool: (_, signal) => untilAborted(signal, { do: 'allow' }) }],
      respond: callsOnce(['spawn_agent', { task: 'one' }]),
    },
    nodes: 2,
  },
  {
    phase: 'delegating, the agent of an agent generating',
    config: {
      agents,
      respond: (_, n) => (n < 2 ? callsResponse(['spawn_agent', { task: `level ${n}` }]) : hanging()),
    },
    nodes: 5,
  },
];

const receiptNodes = (harness: Harness) => harness.settledReceipts().flatMap(({ nodes }) => nodes);

test.each(rows)('$phase [cancel.reach] [cancel.phases]', async ({ config, before = 0, nodes }) => {
  const harness = await startHarness(config);
  for (let i = 0; i < before; i++) {
    await harness.say(`question ${i}`);
    await harness.clock.advance(1_000);
  }
  const turn = await harness.say('words');
  await harness.clock.advance(50);
  await harness.cancel({ target: turn });
  await harness.clock.advance(100);
  expect(receiptNodes(harness).map(({ outcome }) => outcome)).toEqual(new Array(nodes).fill('cancelled'));
  expect(harness.aborted.toSorted()).toEqual(harness.entered.toSorted());
  expect(await harness.session.nodes()).toEqual([]);
});

test('reaches the call of a speaker below an agent and turns that the speaker may not stop [cancel.reach] [owner.node]', async () => {
  const harness = await startHarness({
    agents,
    session: () => ({ policy: 'owner' }),
    respond: (_, n) =>
      n === 0
        ? callsResponse(['spawn_agent', { task: 'one' }])
        : n === 1
          ? callsResponse(['wait', { of: 'bob' }])
          : textResponse('ok'),
    ownerOfCall: (call) => (call.arguments.includes('bob') ? 'bob' : call.turnOwner),
  });
  const bob = callerOf('bob');
  await harness.session.join(bob, createRecorder().listener, null);
  const turn = await harness.say('words');
  await harness.clock.advance(50);
  const call = harness.callNamed('wait');
  expect(await harness.cancel({ target: 'mine' }, bob)).toMatchObject({ receipt: { stopping: [call] } });
  await harness.clock.advance(500);
  expect(harness.aborted).toEqual([call]);
  expect(harness.outcomes()).toMatchObject({ [call]: 'cancelled' });
  expect(harness.endOf(turn)?.outcome).toBe('completed');
});

test.each([
  { phase: 'dispatching', first: 'tool_call', calls: [['wait']] as const },
  { phase: 'starting', first: 'tool_started', calls: [['keyed']] as const },
])('$phase: what it writes is written, and nothing starts [cancel.reach] [cancel.phases]', async ({ first, calls }) => {
  const hold = holdAppend(([own, ...more]) => own === first || (own === 'model_ended' && more.includes(first)));
  const respond = callsOnce(...calls);
  const log = hold.wrap(createMemoryLog());
  const harness = await startHarness({ log, respond: (request, n) => later(respond(request, n)) });
  const turn = await harness.say('words');
  await harness.clock.advance(1);
  await hold.reached;
  void harness.session.cancel(harness.alice, { target: turn });
  await harness.clock.advance(50);
  expect(harness.settledReceipts()).toEqual([]);
  hold.release();
  await harness.clock.advance(50);
  expect(harness.entered).toEqual([]);
  expect(harness.endOf(turn)?.outcome).toBe('cancelled');
  expect(harness.recorder.of('tool_result')).toMatchObject([{ outcome: 'cancelled', effect: 'not_started' }]);
  expect(await harness.session.nodes()).toEqual([]);
});
