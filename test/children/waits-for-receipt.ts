// Script of an embedder that stops a tool which ignores its signal, and waits for the receipt, with nothing else that keeps the process alive.
import { z } from 'zod';
import { createScriptedProvider } from '../../src/adapters/models/scripted.ts';
import { systemSources } from '../../src/core/sources/system.ts';
import { defineTool } from '../../src/core/tools/define-tool.ts';
import { createRuntime } from '../../src/embed/runtime.ts';

const stubborn = defineTool({
  name: 'stubborn',
  description: 'Never ends.',
  input: z.object({}),
  access: 'parallel',
  cancel: 'abortable',
  effect: 'none',
  run: (_, { output }) => {
    output('begun');
    return new Promise(() => {});
  },
});
const provider = createScriptedProvider({
  clock: systemSources.clock,
  respond: () => ({ steps: [{ call: { callId: 'p1', name: 'stubborn', arguments: '{}' } }] }),
});
const runtime = await createRuntime({
  acknowledge: 'off',
  provider,
  tools: [stubborn],
  limits: { toolCancelMs: 200, termGraceMs: 100 },
});
const session = await runtime.session('s');
const turn = session.as('ann').say('go');
for await (const event of turn) if (event.type === 'tool_output') break;
const receipt = await turn.cancel().settled;
console.log(receipt?.nodes.map(({ outcome }) => outcome).join(' '));
const { outcome } = await turn.ended;
console.log(`ended: ${outcome}`);
if (process.env['CLOSE']) await runtime.close();
console.log('done');
