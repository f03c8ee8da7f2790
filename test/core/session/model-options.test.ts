// Options of model calls: those of the runtime, of the agent and of the SAY, the narrower ones first.
import { expect, test } from 'vitest';
import type { ModelOptions } from '../../../machines/model-options.ts';
import type { ModelRequest } from '../../../src/core/contracts/provider.ts';
import { callerOf, callsOnce, callsResponse, startHarness, textResponse } from '../../support/harness.ts';

const modelOptions: ModelOptions = { reasoningEffort: 'low', temperature: 0.5, extra: { seed: 1, top_k: 5 } };
const scout = {
  description: 'finds things',
  instructions: 'Find it.',
  modelOptions: { reasoningEffort: 'high', extra: { seed: 2 } },
};

const optionsOf = (requests: readonly ModelRequest[]) => requests.map(({ options }) => options);

test("a turn has the runtime's, with those of its SAY in their place", async () => {
  const harness = await startHarness({ modelOptions, respond: () => textResponse('fine') });
  await harness.say('one');
  await harness.clock.advance(100);
  await harness.session.say(callerOf('ann'), { text: 'two', options: { reasoningEffort: 'none', maxOutputTokens: 9 } });
  await harness.clock.advance(100);
  expect(optionsOf(harness.provider.requests)).toEqual([
    modelOptions,
    { ...modelOptions, reasoningEffort: 'none', maxOutputTokens: 9 },
  ]);
  expect(harness.recorder.of('turn_opened').map(({ options }) => options)).toEqual([
    undefined,
    { reasoningEffort: 'none', maxOutputTokens: 9 },
  ]);
});

test("an agent has its own in place of the runtime's, and none of the SAY", async () => {
  const harness = await startHarness({
    modelOptions,
    agents: { scout },
    respond: (_, n) => (n === 0 ? callsResponse(['spawn_agent', { task: 'look' }]) : textResponse('fine')),
  });
  await harness.session.say(callerOf('ann'), { text: 'one', options: { temperature: 1 } });
  await harness.clock.advance(500);
  expect(optionsOf(harness.provider.requests)[1]).toEqual({
    reasoningEffort: 'high',
    temperature: 0.5,
    extra: { seed: 2, top_k: 5 },
  });
});

test('the same ref with other options is another SAY, which is refused [cancel.idempotent.ref]', async () => {
  const harness = await startHarness({ respond: () => textResponse('fine') });
  const say = (options: object) => harness.session.say(callerOf('ann'), { text: 'one', ref: 'r', options });
  const first = say({ temperature: 1 });
  await harness.clock.advance(100);
  expect(await say({ temperature: 1 })).toMatchObject({
    type: 'turn_opened',
    turn: ((await first) as { turn: string }).turn,
  });
  expect(await say({ temperature: 0 })).toEqual({ type: 'ref_reused' });
});

test('a call that a model makes though it may make none does not run', async () => {
  const harness = await startHarness({ respond: callsOnce(['wait', { ms: 5 }]) });
  await harness.session.say(callerOf('ann'), { text: 'one', options: { tools: 'none' } });
  await harness.clock.advance(500);
  expect(harness.entered).toEqual([]);
  expect(harness.recorder.of('tool_result')).toMatchObject([{ code: 'unknown_tool', effect: 'not_started' }]);
});

test('a SAY may choose a model that the runtime offers, for its turn and not for its agents; any other is refused by name', async () => {
  const harness = await startHarness({
    modelChoices: ['small', 'large'],
    agents: { scout },
    respond: (_, n) => (n === 0 ? callsResponse(['spawn_agent', { task: 'look' }]) : textResponse('fine')),
  });
  const modelsOf = () => harness.provider.requests.map(({ model }) => model);
  const say = (model: string) => harness.session.say(callerOf('ann'), { text: 'one', options: { model } });
  await say('small');
  await harness.clock.advance(500);
  expect(modelsOf()).toEqual(['small', undefined, 'small']);
  expect(harness.provider.requests[0]?.options).toEqual({});
  await say('script'); // the runtime's own
  await harness.clock.advance(500);
  expect(modelsOf().at(-1)).toBe('script');
  expect(await say('huge')).toEqual({
    type: 'say_refused',
    code: 'unknown_model',
    message: 'The model "huge" may not be chosen here. These may: script, small, large.',
  });
  expect(harness.recorder.of('turn_opened').map(({ options }) => options)).toEqual([
    { model: 'small' },
    { model: 'script' },
  ]);
});
