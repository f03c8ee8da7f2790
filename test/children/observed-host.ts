// Host whose observer prints each node that starts or ends. Its first argument is the store, its second the cursor; with `say` it runs a command.

import { createScriptedProvider } from '../../src/adapters/models/scripted.ts';
import { createSqliteLog } from '../../src/adapters/stores/sqlite.ts';
import { builtinTools } from '../../src/adapters/tools/builtin/builtin-tools.ts';
import type { Observer } from '../../src/core/session/session-spec.ts';
import { systemSources } from '../../src/core/sources/system.ts';
import { createRuntime } from '../../src/embed/runtime.ts';

const [path = '', cursor = '0', mode] = process.argv.slice(2);
const command = `echo running; sleep 600; true ${process.env['TOKEN'] ?? ''}`;
const observer: Observer = {
  cursor: () => Number(cursor),
  started: ({ kind, seq }) => console.log(`started ${kind} ${seq}`),
  ended: ({ kind, outcome, seq }) => console.log(`ended ${kind} ${outcome} ${seq}`),
};
const runtime = await createRuntime({
  acknowledge: 'off',
  log: createSqliteLog({ path }),
  provider: createScriptedProvider({
    clock: systemSources.clock,
    respond: () => ({ steps: [{ call: { callId: 'p1', name: 'shell', arguments: JSON.stringify({ command }) } }] }),
  }),
  tools: builtinTools({ allowShell: true }),
  roots: [process.cwd()],
  observers: [observer],
});
const session = await runtime.session('s');
if (mode === 'say') {
  for await (const event of session.as('ann').say('go')) if (event.type === 'tool_output') console.log('running');
} else {
  console.log('recovered');
  await runtime.close();
}
