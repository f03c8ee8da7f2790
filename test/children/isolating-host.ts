// Host that runs one isolated call, which may end it: `<kind> <export> <memoryMb>`. Stops it at its first output; prints `ended` and the end.

import { type IsolationKind, isolatedTool } from '../../src/adapters/tools/isolate/isolated-tool.ts';
import type { ToolEnd } from '../../src/core/contracts/tool.ts';
import { recordingContext } from '../../src/testing/recording-context.ts';

const [kind = '', name = '', memoryMb = ''] = process.argv.slice(2);
const tool = isolatedTool({
  name: 'isolated',
  description: 'Does what its module does.',
  input: { type: 'object' },
  access: 'parallel',
  effect: 'some',
  isolate: {
    kind: kind as IsolationKind,
    module: new URL('./isolated.ts', import.meta.url),
    export: name,
    memoryMb: Number(memoryMb),
    termGraceMs: 1_000,
  },
});
let outputChars = 0;
const recorded = recordingContext({
  output(text) {
    outputChars += text.length;
    recorded.stopCall();
  },
});
const end = (await tool.run({}, recorded.context)) as ToolEnd;
console.log(`ended ${JSON.stringify({ kind: end.kind, forced: end.forced ?? false, outputChars })}`);
