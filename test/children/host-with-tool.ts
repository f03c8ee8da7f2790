// Host that runs one call until it is killed: `browse <url>` or `isolated <export> <token>`. Prints `started`.

import { builtinTools } from '../../src/adapters/tools/builtin/builtin-tools.ts';
import { isolatedTool } from '../../src/adapters/tools/isolate/isolated-tool.ts';
import { recordingContext } from '../../src/testing/recording-context.ts';

const [tool, first = '', token = ''] = process.argv.slice(2);
const isolated = isolatedTool({
  name: 'isolated',
  description: 'Does what its module does.',
  input: { type: 'object' },
  access: 'parallel',
  effect: 'some',
  isolate: { kind: 'process', module: new URL('./isolated.ts', import.meta.url), export: first },
});
const [browse] = builtinTools({ allowBrowser: true, browserSandbox: false, allowAddresses: ['127.0.0.1'] }).filter(
  ({ name }) => name === 'browse',
);
const { context } = recordingContext({
  output: (text) => process.stdout.write(text),
  recordProcess: () => process.stdout.write('started\n'),
});
const steps = [{ do: 'click', selector: '#nowhere' }];
if (tool === 'browse') await browse?.run({ url: first, steps }, context);
else await isolated.run({ token }, context);
