// What a runtime is given to work with, judged before it starts.
import { expect, test } from 'vitest';
import { createScriptedProvider } from '../../src/model/scripted.ts';
import { createOffers } from '../../src/runtime/offers.ts';
import { createVirtualClock } from '../../src/sources/virtual.ts';
import { says, toolOf } from '../support/world.ts';

test.each([
  [1_499, null],
  [1_500, 'the stopMs of the tool slow (1500) must be less than limits.toolCancelMs (1500)'],
])('a tool that takes %i ms to stop is held against the stop budget [cancel.bounded]', (stopMs, problem) => {
  const provider = createScriptedProvider({ clock: createVirtualClock(), respond: () => says('done') });
  const offer = () =>
    createOffers({ provider, tools: [{ ...toolOf('slow', async () => ''), stopMs }] }, { toolCancelMs: 1_500 });
  if (problem === null) expect(offer).not.toThrow();
  else expect(offer).toThrow(problem);
});
