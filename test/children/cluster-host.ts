// A host of a cluster as a process of its own: cluster-host.ts <store> <name>, with BUS_KEY. It holds the session `s`, whose tool runs until it is stopped, where its name is `holder`.
//
// Prints `holds`, then `running` when the tool has started.
import { createChannelBus } from '../../src/adapters/buses/channel-bus.ts';
import { createScriptedProvider } from '../../src/adapters/models/scripted.ts';
import { systemSources } from '../../src/core/sources/system.ts';
import { defineTool } from '../../src/core/tools/define-tool.ts';
import { createRuntime } from '../../src/embed/runtime.ts';

const [store = '', name = ''] = process.argv.slice(2);
const watch = defineTool({
  name: 'watch',
  description: 'Runs until it is stopped.',
  input: { type: 'object' },
  access: 'parallel',
  cancel: 'abortable',
  effect: 'none',
  timeoutMs: 0,
  run: (_, { signal }) =>
    new Promise((resolve) => {
      console.log('running');
      signal.addEventListener('abort', () => {
        console.log('stopped');
        resolve({ kind: 'stopped', output: 'stopped' });
      });
    }),
});
const runtime = await createRuntime({
  acknowledge: 'off',
  store,
  host: name,
  bus: createChannelBus({ key: process.env['BUS_KEY'] ?? '' }),
  provider: createScriptedProvider({
    clock: systemSources.clock,
    respond: () => ({ steps: [{ call: { callId: 'w', name: 'watch', arguments: '{}' } }] }),
  }),
  tools: [watch],
  warn() {},
});
await runtime.open('s');
console.log('holds');
setInterval(() => {}, 60_000);
