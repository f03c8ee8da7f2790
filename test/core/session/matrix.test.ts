// Receipts and results of a stop, by what the turn was doing.
import { expect, test } from 'vitest';
import type { Script } from '../../../src/adapters/models/scripted.ts';
import type { RuntimeConfig } from '../../../src/core/runtime/config.ts';
import { callsResponse, startHarness, textResponse, toolOf } from '../../support/harness.ts';

interface Row {
  readonly name: string;
  readonly calls: Parameters<typeof callsResponse>;
  readonly config?: Partial<RuntimeConfig>;
  /** The outcome and effect of each node in the receipt, the turn first. */
  readonly settled: readonly string[];
  /** The outcome and effect of each call in the history. */
  readonly results: readonly string[];
  readonly warns?: string;
}

const messy = {
  ...toolOf(
    'messy',
    (_, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
  ),
  cleanup: () => Promise.reject(new Error('no')),
};

const rows: readonly Row[] = [
  { name: 'one tool', calls: [['wait']], settled: ['cancelled', 'cancelled/unknown'], results: ['cancelled/unknown'] },
  {
    name: 'several in parallel',
    calls: [['wait'], ['wait', { unwind: 40 }], ['wait', { unwind: 90 }]],
    settled: ['cancelled', 'cancelled/unknown', 'cancelled/unknown', 'cancelled/unknown'],
    results: ['cancelled/unknown', 'cancelled/unknown', 'cancelled/unknown'],
  },
  {
    name: 'calls that wait for an exclusive key: they never start',
    calls: [['keyed'], ['keyed', { n: 2 }], ['keyed', { n: 3 }]],
    settled: ['cancelled', 'cancelled/unknown', 'cancelled/not_started', 'cancelled/not_started'],
    results: ['cancelled/not_started', 'cancelled/not_started', 'cancelled/unknown'],
  },
  {
    name: 'a call that has just completed: its result stays',
    calls: [['note'], ['wait']],
    settled: ['cancelled', 'cancelled/unknown'],
    results: ['completed/done', 'cancelled/unknown'],
  },
  {
    name: 'a call that an interceptor has answered: it is not in the receipt',
    calls: [['wait'], ['wait', { real: true }]],
    config: {
      interceptors: [
        {
          beforeTool: async (call) =>
            JSON.stringify(call.arguments).includes('real') ? undefined : { do: 'answer', output: 'known' },
        },
      ],
    },
    settled: ['cancelled', 'cancelled/unknown'],
    results: ['completed/none', 'cancelled/unknown'],
  },
  {
    name: 'a cleanup that fails: there is a warning, and every other call is stopped',
    calls: [['messy'], ['wait']],
    config: { tools: [messy] },
    settled: ['cancelled', 'cancelled/unknown', 'cancelled/unknown'],
    results: ['cancelled/unknown', 'cancelled/unknown'],
    warns: 'The cleanup of messy threw.',
  },
  {
    name: 'a tool that does not stop: it is abandoned, with a warning',
    calls: [['ignores_signal', { ms: 9_000 }]],
    settled: ['cancelled', 'abandoned/unknown'],
    results: ['abandoned/unknown'],
    warns: 'call_1 did not stop in time.',
  },
];

test.each(rows)(
  '$name [cancel.settled] [history.words] [history.effect]',
  async ({ calls, config = {}, settled, results, warns }) => {
    const harness = await startHarness({
      ...config,
      respond: (_, n): Script => (n === 0 ? callsResponse(...calls) : textResponse('done')),
    });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    await harness.cancel({ target: turn });
    await harness.clock.advance(3_000);
    const [receipt] = harness.settledReceipts();
    expect(
      receipt?.nodes.map(({ kind, outcome, effect }) => (kind === 'turn' ? outcome : `${outcome}/${effect}`)),
    ).toEqual(settled);
    expect(
      harness.recorder
        .of('tool_result')
        .map(({ outcome, effect }) => `${outcome}/${effect}`)
        .toSorted(),
    ).toEqual(results.toSorted());
    if (warns !== undefined) expect(harness.warnings).toContain(warns);
    const next = await harness.say('and on');
    await harness.clock.advance(1_000);
    expect(harness.endOf(next)?.outcome).toBe('completed');
  },
);

test('without a running turn the reply is `already_settled`, and the next turn completes [cancel.exact]', async () => {
  const harness = await startHarness();
  for (const target of ['session', 'mine'])
    expect(await harness.cancel({ target })).toEqual({ type: 'already_settled', target, receipt: null, running: [] });
  const turn = await harness.say('words');
  await harness.clock.advance(1_000);
  expect(harness.endOf(turn)?.outcome).toBe('completed');
});
