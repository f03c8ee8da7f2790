// State that a provider wants back with a response: it is in the log, and in each later request to the same provider and model.
import { expect, test } from 'vitest';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import { callsResponse, type HarnessOptions, startHarness, textResponse } from '../../support/harness.ts';

const reasoning = [{ id: 'rs_1', encrypted: 'xyz' }];
const state = { provider: 'scripted', model: 'script', parts: reasoning };

/** Has one turn with a call and a state, then another turn. Returns the assistant messages of its request. */
async function requestAfter(options: HarnessOptions = {}, later: HarnessOptions = {}) {
  const log = createMemoryLog();
  const first = await startHarness({
    log,
    respond: (_, n) => ({
      ...(n === 0 ? callsResponse(['wait', { ms: 10 }]) : textResponse('done')),
      state: reasoning,
    }),
    ...options,
  });
  await first.say('one');
  await first.clock.advance(1_000);
  await first.runtime.close();
  const second = await startHarness({ log, life: 2, respond: () => textResponse('fine'), ...later });
  await second.say('two');
  await second.clock.advance(1_000);
  const { messages } = second.provider.requests.at(-1) ?? { messages: [] };
  return { first, states: messages.flatMap((one) => (one.role === 'assistant' ? [one.state] : [])) };
}

test('it goes back with each later request, also after a restart [model.state]', async () => {
  const { first, states } = await requestAfter();
  expect(states).toEqual([state, state]);
  const within = first.provider.requests[1]?.messages.find((one) => one.role === 'assistant');
  expect(within).toMatchObject({ state });
});

test('it is committed with the end of its model call, before it [model.state]', async () => {
  const { first } = await requestAfter();
  const types = first.recorder.facts.map(({ type }) => type);
  expect(types.filter((type) => type === 'model_state')).toHaveLength(2);
  for (const [i, type] of types.entries()) if (type === 'model_state') expect(types[i + 1]).toBe('model_ended');
});

test('another model gets none of it [model.state]', async () => {
  const { states } = await requestAfter({}, { model: 'other' });
  expect(states).toEqual([undefined, undefined]);
});

test('a response that was cut off keeps none of it [model.state]', async () => {
  const cutShort = { steps: [{ text: 'Well, ' }, { hang: true }], state: reasoning } as const;
  const harness = await startHarness({ respond: (_, n) => (n === 0 ? cutShort : textResponse('fine')) });
  const turn = await harness.say('one');
  await harness.clock.advance(50);
  await harness.cancel({ target: turn });
  await harness.clock.advance(1_000);
  expect(harness.recorder.facts.some(({ type }) => type === 'model_state')).toBe(false);
});

test('a response that reached its longest length keeps none of it [model.state]', async () => {
  const tooLong = { ...textResponse('and so on'), finish: 'length', state: reasoning } as const;
  const harness = await startHarness({ respond: () => tooLong });
  await harness.say('one');
  await harness.clock.advance(100);
  expect(harness.recorder.facts.some(({ type }) => type === 'model_state')).toBe(false);
});
