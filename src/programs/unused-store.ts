// Opens the store of a gateway that does not run: what a dead one has left in it is recovered.
import { noUsage } from '../../machines/vocabulary.ts';
import { systemProcesses } from '../adapters/processes/system-processes.ts';
import type { Provider } from '../core/contracts/provider.ts';
import { createLocalRuntime } from '../core/runtime/runtime.ts';
import type { Runtime } from '../core/session/api.ts';
import type { Recovered } from '../core/session/session-spec.ts';
import { openStoredLog } from './runtime-parts.ts';
import { lockStore } from './transcript-file.ts';

/** Nothing is said in a runtime that only recovers and deletes. */
const noModel: Provider = {
  name: 'none',
  stream: async () => ({ kind: 'failed', code: 'model_unreachable', message: 'There is no model.', usage: noUsage }),
};

export interface UnusedStore {
  readonly runtime: Runtime;
  /** What a dead gateway had left. */
  readonly recovered: Recovered;
}

/** Opens the store until the stack is disposed. Rejects if a gateway runs on it. */
export async function openUnusedStore(path: string, stack: AsyncDisposableStack): Promise<UnusedStore> {
  let recovered: Recovered = { sessions: 0, turns: 0, processes: 0 };
  lockStore(path, stack);
  const log = await openStoredLog({ kind: 'file', name: path, path }, stack);
  const observer = {
    recovered(counts: Recovered) {
      recovered = counts;
    },
  };
  const runtime = await createLocalRuntime({
    log,
    provider: noModel,
    processes: systemProcesses,
    observers: [observer],
  });
  stack.defer(() => runtime.close());
  return { runtime, recovered };
}
