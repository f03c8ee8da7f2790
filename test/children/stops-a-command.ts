// Host that runs a command which takes 300 ms to obey TERM, and stops it at the line `stop`. Prints the receipt.

import { createScriptedProvider } from '../../src/adapters/models/scripted.ts';
import { builtinTools } from '../../src/adapters/tools/builtin/builtin-tools.ts';
import { systemSources } from '../../src/core/sources/system.ts';
import { createRuntime } from '../../src/embed/runtime.ts';

const token = process.env['TOKEN'] ?? ''; // not an argument: it names the command among the processes
const command = `trap 'sleep 0.3; exit 0' TERM; echo running; while :; do sleep 0.05; done; true ${token}`;
const provider = createScriptedProvider({
  clock: systemSources.clock,
  respond: () => ({ steps: [{ call: { callId: 'p1', name: 'shell', arguments: JSON.stringify({ command }) } }] }),
});
const runtime = await createRuntime({
  acknowledge: 'off',
  provider,
  tools: builtinTools({ allowShell: true }),
  roots: [process.cwd()],
  limits: { toolCancelMs: 1_100 },
});
const turn = (await runtime.session('s')).as('ann').say('go');
for await (const event of turn) if (event.type === 'tool_output') break;
console.log('running');
process.stdin.once('data', async () => {
  const cancel = turn.cancel();
  await cancel.accepted;
  console.log('accepted');
  const receipt = await cancel.settled;
  console.log(`settled: ${receipt?.nodes.map(({ kind, outcome }) => `${kind} ${outcome}`).join(', ')}`);
  await runtime.close();
  process.exit();
});
