// Host that shares a store: sharing-host.ts <store> <token> <leaseMs>. Its session `s` runs `sleep <token>`, and a tool inside the process.
//
// Prints `running`; then, when it loses the session, `tool stopped`, `ended <reason>`, and `refused <code>`: the reply to a SAY.

import { createScriptedProvider } from '../../src/adapters/models/scripted.ts';
import { builtinTools } from '../../src/adapters/tools/builtin/builtin-tools.ts';
import { systemSources } from '../../src/core/sources/system.ts';
import { defineTool } from '../../src/core/tools/define-tool.ts';
import { createRuntime } from '../../src/embed/runtime.ts';
import { createRecorder } from '../../src/testing/recorder.ts';

const [store = '', token = '', leaseMs = ''] = process.argv.slice(2);
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
        console.log('tool stopped');
        resolve({ kind: 'stopped', output: 'stopped' });
      });
    }),
});
const call = (name: string, input: object) => ({ call: { callId: name, name, arguments: JSON.stringify(input) } });
const runtime = await createRuntime({
  acknowledge: 'off',
  store,
  provider: createScriptedProvider({
    clock: systemSources.clock,
    respond: () => ({ steps: [call('shell', { command: `sleep ${token}` }), call('watch', {})] }),
  }),
  tools: [...builtinTools({ allowShell: true }), watch],
  roots: [process.cwd()],
  limits: { leaseMs: Number(leaseMs) },
  warn() {},
});
const caller = { speaker: { id: 'ann', roles: ['member'] as const }, connection: 'ann' };
const session = await runtime.session('s');
const listener = {
  ...createRecorder().listener,
  ended(reason: string) {
    console.log(`ended ${reason}`);
    session.say(caller, { text: 'still there?' }).then(
      ({ type }) => console.log(`replied ${type}`),
      ({ code }) => console.log(`refused ${code}`),
    );
  },
};
await session.join(caller, listener, null);
await session.say(caller, { text: 'go' });
setInterval(() => {}, 60_000);
