// Embedder's script without a socket that closes its runtime while a tool runs that ignores its signal. Prints the receipt.

import { createScriptedProvider } from '../../src/adapters/models/scripted.ts';
import { createMemoryLog } from '../../src/adapters/stores/memory.ts';
import { createLocalRuntime } from '../../src/core/runtime/runtime.ts';
import { systemSources } from '../../src/core/sources/system.ts';
import { defineTool } from '../../src/core/tools/define-tool.ts';
import { bindSession } from '../../src/embed/bound-session.ts';

const started = Promise.withResolvers<void>();
const stubborn = defineTool({
  name: 'stubborn',
  description: 'never ends',
  input: { type: 'object' },
  access: 'parallel',
  cancel: 'abortable',
  effect: 'none',
  run: () => {
    started.resolve();
    return new Promise(() => {});
  },
});
const provider = createScriptedProvider({
  clock: systemSources.clock,
  respond: () => ({ steps: [{ call: { callId: 'c', name: 'stubborn', arguments: '{}' } }] }),
});
const log = createMemoryLog();
const runtime = await createLocalRuntime({ acknowledge: 'off', log, provider, tools: [stubborn], warn() {} });
const session = await bindSession(runtime, 's');
await session.say({ speaker: { id: 'a', roles: ['member'] }, connection: 'c' }, { text: 'words' });
await started.promise;
await runtime.close();
const settled = (await log.read('s', 0)).map(({ body }) => body).find(({ type }) => type === 'cancel_settled');
console.log(JSON.stringify(settled));
