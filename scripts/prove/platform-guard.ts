// Finds resources of the platform that a simulated run makes: timers, files, sockets, processes, threads. Under virtual time there must be none.
import { createHook } from 'node:async_hooks';

/** Resources that are no way out of the process: promises and their queues. */
const harmless = new Set(['PROMISE', 'Microtask', 'TickObject']);
/**
 * By design: the lease of a host counts by the time of the machine, because other hosts follow no virtual clock; and the grammars of stop phrases are compiled one
 * by one, so that the event loop does not wait.
 */
const exceptions = ['core/runtime/host-lease.ts', 'prepareStopPhrases'];

let isOwn = false;

/** Resolves after one turn of the event loop: every promise that waits only for others has settled. */
export function nextLoopTurn(): Promise<void> {
  return new Promise((resolve) => {
    isOwn = true;
    setImmediate(resolve);
    isOwn = false;
  });
}

/** Runs `work`, and resolves with its result and with a stack for each resource of the platform that was made meanwhile. */
export async function watchPlatform<T>(work: () => Promise<T>): Promise<{ result: T; resources: readonly string[] }> {
  const resources: string[] = [];
  const hook = createHook({
    init(_, type) {
      if (isOwn || harmless.has(type)) return;
      const stack = new Error(type).stack ?? type;
      if (!exceptions.some((place) => stack.includes(place))) resources.push(stack);
    },
    trackPromises: false, // otherwise every promise costs a call
  });
  hook.enable();
  try {
    return { result: await work(), resources };
  } finally {
    hook.disable();
  }
}
