// Host that runs commands, and stops them at the line `stop`. Then its event loop stands still for longer than the budgets, and each of its next turns
// takes 100 ms. Prints the outcomes of the calls. COMMANDS: how many. FORCE: with `force`. TURNS: how many slow turns there are.

import { createScriptedProvider } from '../../src/adapters/models/scripted.ts';
import { builtinTools } from '../../src/adapters/tools/builtin/builtin-tools.ts';
import { systemSources } from '../../src/core/sources/system.ts';
import { createRuntime } from '../../src/embed/runtime.ts';

const { TOKEN: token = '', COMMANDS: commands = '1', FORCE: force, TURNS: turns = '0' } = process.env;
const count = Number(commands);
const commandOf = (i: number) => `trap 'exit 0' TERM; echo running; while :; do sleep 0.05; done; true ${token} ${i}`;
const callOf = (i: number) => ({
  call: { callId: `p${i}`, name: 'shell', arguments: JSON.stringify({ command: commandOf(i) }) },
});
const runtime = await createRuntime({
  acknowledge: 'off',
  provider: createScriptedProvider({
    clock: systemSources.clock,
    respond: () => ({ steps: Array.from({ length: count }, (_, i) => callOf(i)) }),
  }),
  tools: builtinTools({ allowShell: true }).map((tool) => ({ ...tool, access: 'parallel' })),
  roots: ['/'],
  limits: { toolCancelMs: 1_100, fanOut: count },
});
const turn = (await runtime.session('s')).as('ann').say('go');
const running = new Set<string>();
for await (const event of turn) {
  if (event.type === 'tool_output') running.add(event.node);
  if (running.size === count) break;
}
console.log('running');

const nothing = new Int32Array(new SharedArrayBuffer(4));
const block = (ms: number) => void Atomics.wait(nothing, 0, 0, ms);
function slowTurns(left: number): void {
  if (left === 0) return;
  block(100);
  setImmediate(slowTurns, left - 1);
}

process.stdin.once('data', async () => {
  const { accepted, settled } = turn.cancel({ force: force !== undefined });
  await accepted;
  block(2_000);
  slowTurns(Number(turns));
  const calls = (await settled)?.nodes.filter(({ kind }) => kind === 'tool-call') ?? [];
  const byOutcome = Object.entries(Object.groupBy(calls, ({ outcome }) => outcome));
  console.log(`settled: ${byOutcome.map(([outcome, nodes]) => `${nodes?.length} ${outcome}`).join(', ')}`);
  await runtime.close();
  process.exit();
});
