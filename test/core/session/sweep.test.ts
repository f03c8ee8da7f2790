// A CANCEL at every microtask of a turn: afterwards every collection of session and runtime is as before.
import { expect, test } from 'vitest';
import { createScriptedProvider } from '../../../src/adapters/models/scripted.ts';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import { createLocalRuntime, type LocalRuntime } from '../../../src/core/runtime/runtime.ts';
import { createVirtualSources } from '../../../src/core/sources/virtual.ts';
import { createRecorder } from '../../../src/testing/recorder.ts';
import { callerOf, callsResponse, textResponse, toolOf } from '../../support/harness.ts';
import { eachMicrotask, roundsPerStep, SteppingClock } from '../../support/stepping-clock.ts';

const alice = callerOf('alice');
const longestTimerMs = 1_000;

async function openRuntime() {
  const clock = new SteppingClock();
  const { ids, random } = createVirtualSources();
  const sources = { clock, ids, random };
  const waitFor = (ms: number, signal: AbortSignal) =>
    new Promise<'completed' | 'stopped'>((resolve) => {
      const disarm = clock.after(ms, () => resolve('completed'));
      signal.addEventListener('abort', () => {
        disarm();
        clock.after(3, () => resolve('stopped'));
      });
    });
  const wait = toolOf('wait', async (_, { signal }) => ({ kind: await waitFor(20, signal), output: '' }));
  const keyed = toolOf('keyed', async (_, { signal }) => ({ kind: await waitFor(10, signal), output: '' }), {
    access: () => ({ scope: 'session', name: 'k' }),
  });
  const question = toolOf('question', async (_, { ask }) => ask({ text: 'which?', expiresMs: 15 }).catch(() => 'none'));
  const latest = { ...wait, name: 'latest', supersedes: () => 'one' };
  const provider = createScriptedProvider({
    clock,
    respond: ({ messages }) => {
      const isAgent = messages.some(({ content }) => content === 'a task');
      const isFirst = messages.at(-1)?.role === 'user';
      if (!isFirst) return textResponse('done');
      return isAgent
        ? callsResponse(['wait'])
        : callsResponse(
            ['wait'],
            ['keyed'],
            ['keyed'],
            ['latest'],
            ['latest'],
            ['question'],
            ['spawn_agent', { task: 'a task' }],
          );
    },
  });
  const warnings: string[] = [];
  const runtime = await createLocalRuntime({
    acknowledge: 'off',
    log: createMemoryLog(),
    provider,
    tools: [wait, keyed, question, latest],
    agents: { helper: { description: 'helps', instructions: 'Help.', tools: ['wait'] } },
    buildContext: async ({ messages }) => messages,
    interceptors: [{ beforeTool: async () => ({ do: 'allow' }) }],
    sources,
    warn: (message) => warnings.push(message),
  });
  const recorder = createRecorder();
  await runtime.join('s', alice, recorder.listener, null);
  return { clock, runtime, recorder, warnings };
}

type Opened = Awaited<ReturnType<typeof openRuntime>>;

/** Runs one turn, with a CANCEL at the given microtask of its life. Returns how many it had. */
async function runTurn({ clock, runtime, recorder }: Opened, cancelAt: number): Promise<number> {
  const ended = recorder.of('turn_opened').length + 1;
  let microtasks = 0;
  let cancelled: Promise<unknown> = Promise.resolve();
  const isOver = () =>
    recorder.of('turn_opened').length === ended &&
    recorder.of('turn_ended').length >= ended &&
    runtime.sizes('s')['tree'] === 0;
  const reply = runtime.say('s', alice, { text: 'go' });
  do {
    await eachMicrotask(roundsPerStep, () => {
      if (microtasks++ === cancelAt) cancelled = runtime.cancel('s', alice, { target: 'session' });
    });
  } while (clock.fireNext(longestTimerMs) || !isOver());
  await reply;
  await cancelled;
  return microtasks;
}

const sizesOf = (runtime: LocalRuntime) => runtime.sizes('s');

test('nothing is kept for a settled node, at whatever microtask the CANCEL came [cancel.clean] [cancel.reach]', async () => {
  const opened = await openRuntime();
  const { runtime, clock, recorder, warnings } = opened;
  const life = await runTurn(opened, Number.POSITIVE_INFINITY);
  const before = sizesOf(runtime);
  const timers = clock.pending;
  const outcomes = recorder.of('tool_result').map(({ outcome }) => outcome);
  expect(outcomes.toSorted(), 'the whole life').toEqual([...new Array(7).fill('completed'), 'superseded']);
  expect(life).toBeGreaterThan(5 * roundsPerStep);
  for (let at = 0; at < life; at++) {
    await runTurn(opened, at);
    expect(sizesOf(runtime), `cancelled at microtask ${at}`).toEqual(before);
    expect(clock.pending, `timers after a cancel at microtask ${at}`).toBe(timers);
  }
  expect(recorder.of('cancel_accepted').length).toBeGreaterThan(life / 2);
  expect(recorder.of('cancel_settled').length).toBe(recorder.of('cancel_accepted').length);
  expect(warnings).toEqual([]);
});
