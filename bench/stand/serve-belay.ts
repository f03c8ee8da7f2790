// Runs one side of the comparison in a process of its own: Belay's gateway as `npm start` builds it, with two tools.
import { join } from 'node:path';
import { z } from 'zod';
import { createChatProvider } from '../../src/adapters/models/chat/chat-provider.ts';
import { systemProcesses } from '../../src/adapters/processes/system-processes.ts';
import { createMemoryLog } from '../../src/adapters/stores/memory.ts';
import { createSqliteLog } from '../../src/adapters/stores/sqlite.ts';
import { defaultBuiltinLimits } from '../../src/adapters/tools/builtin/builtin-limits.ts';
import { shellTool } from '../../src/adapters/tools/builtin/shell.ts';
import { createLocalRuntime } from '../../src/core/runtime/runtime.ts';
import { systemSources } from '../../src/core/sources/system.ts';
import { defineTool } from '../../src/core/tools/define-tool.ts';
import { createLocalAuthenticator } from '../../src/gateway/auth/local.ts';
import { createGateway } from '../../src/gateway/gateway.ts';
import { listen } from '../../src/gateway/http/listen.ts';
import { mark, readInput, serve } from './control.ts';
import { unlimited } from './unlimited.ts';
import { untilStopped, waitDescription } from './wait.ts';

const { store, folder, baseURL, roots, idleMs } = readInput();
const { clock, random } = systemSources;

const wait = defineTool({
  name: 'wait',
  description: waitDescription,
  input: z.object({ n: z.number(), ms: z.number().optional() }),
  access: 'parallel',
  cancel: 'abortable',
  effect: 'none',
  async run({ ms }, { signal, output }) {
    if (ms === 0) return 'done';
    output('ready');
    await untilStopped(signal, mark);
    return { kind: 'stopped', output: 'stopped' };
  },
});

const log = store === 'disk' ? createSqliteLog({ path: join(folder, 'belay.db') }) : createMemoryLog();
const runtime = await createLocalRuntime({
  acknowledge: 'off', // the other stands have none
  log,
  processes: systemProcesses,
  provider: createChatProvider({ baseUrl: baseURL, apiKey: 'none', model: 'scripted', clock, random }),
  tools: [wait, shellTool({ limits: defaultBuiltinLimits, termGraceMs: 1_000, passEnvironment: [] })],
  agents: { helper: { description: 'Helps.', instructions: 'You help.', tools: ['wait'] } },
  roots,
  sources: systemSources,
  ...(idleMs !== undefined && { limits: { idleMs } }),
});
const gateway = createGateway({
  runtime,
  sources: systemSources,
  authenticator: createLocalAuthenticator(),
  limits: unlimited,
});
const listening = await listen(gateway, { port: 0 });

serve(listening.url, async () => {
  await runtime.close();
  await gateway.close();
  await log.close();
});
