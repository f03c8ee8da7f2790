// A runtime as a library user has it, under a virtual clock, with a model that answers by what was said and a tool that waits to be stopped.

import { createScriptedProvider, type Script } from '../../src/adapters/models/scripted.ts';
import { createVirtualSources } from '../../src/core/sources/virtual.ts';
import { createRuntime, type RuntimeOptions } from '../../src/embed/runtime.ts';
import { createRecorder } from '../../src/testing/recorder.ts';
import { watch } from '../support/watch-tool.ts';

export const asks = (name: string, input: object = {}): Script => ({
  steps: [{ call: { callId: 'p1', name, arguments: JSON.stringify(input) } }],
});
export const says = (text: string): Script => ({ steps: [{ text }] });

export type Respond = (said: string, n: number) => Script;

export async function open(respond: Respond, options: Partial<RuntimeOptions> = {}) {
  const sources = createVirtualSources();
  const warnings: string[] = [];
  const provider = createScriptedProvider({
    clock: sources.clock,
    respond: ({ messages }, n) => respond(String(messages.at(-1)?.content), n),
  });
  const recorder = createRecorder();
  const runtime = await createRuntime({
    acknowledge: 'off',
    provider,
    tools: [watch],
    sources,
    observers: [recorder.observer],
    warn: (message) => void warnings.push(message),
    ...options,
  });
  const { clock } = sources;
  const close = async () => {
    const closed = runtime.close();
    await clock.advance(20_000);
    return closed;
  };
  return { runtime, recorder, clock, warnings, provider, close, session: await runtime.session('s') };
}
