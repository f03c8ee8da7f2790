// The provider that plays a script inside the process.
import { expect, test } from 'vitest';
import { createScriptedProvider, type Script, type Step } from '../../../src/adapters/models/scripted.ts';
import { createVirtualClock, settlePromises } from '../../../src/core/sources/virtual.ts';
import { type ContractPlay, describeProvider, runModelCall } from '../../contract/provider.ts';

describeProvider('scripted', async () => {
  let script: Script = { steps: [] };
  const provider = createScriptedProvider({ clock: createVirtualClock(), respond: () => script });
  return {
    provider,
    async play(play) {
      script = { steps: stepsOf(play) };
    },
    requestCount: async () => provider.requests.length,
    hanging: settlePromises,
    async close() {},
  };
});

function stepsOf({ text = '', calls = [], ends }: ContractPlay): Step[] {
  if (ends === 'fail') return [{ fail: 'model_unauthorized' }];
  return [
    ...[...text].map((char) => ({ text: char })),
    ...calls.map((call) => ({ call })),
    ...(ends === 'hang' ? [{ hang: true as const }] : []),
  ];
}

test('pauses go by the injected clock, and a stop ends them', async () => {
  const clock = createVirtualClock();
  const provider = createScriptedProvider({
    clock,
    respond: (_, n) => ({ steps: [{ text: `${n}a` }, { waitMs: 1_000 }, { text: 'b' }] }),
  });
  const first = runModelCall(provider);
  await clock.advance(999);
  expect(first.text()).toBe('0a');
  await clock.advance(1);
  expect(await first.end).toMatchObject({ kind: 'completed' });
  expect(first.text()).toBe('0ab');

  const second = runModelCall(provider);
  await clock.advance(10);
  second.controller.abort();
  expect(await second.end).toMatchObject({ kind: 'stopped' });
  expect(second.text()).toBe('1a');
  expect(clock.pending).toBe(0);
});

test('a script that ignores its signal plays on to its end', async () => {
  const clock = createVirtualClock();
  const provider = createScriptedProvider({
    clock,
    respond: () => ({
      steps: [{ text: 'a' }, { waitMs: 1_000 }, { text: 'b' }],
      usage: { input: 3, output: 2 },
      ignoresSignal: true,
    }),
  });
  const running = runModelCall(provider);
  await clock.advance(10);
  running.controller.abort();
  await clock.advance(1_000);
  expect(await running.end).toMatchObject({ kind: 'completed', usage: { kind: 'exact', input: 3, output: 2 } });
  expect(running.text()).toBe('ab');
});
