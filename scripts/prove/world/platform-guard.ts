// Finds resources of the platform that a simulated run makes: timers, files, sockets, processes, threads. Under virtual time there must be none.
import { createHook } from 'node:async_hooks';

/** Resources that are no way out of the process: promises and their queues. */
const harmless = new Set(['PROMISE', 'Microtask', 'TickObject']);
/** By design two timers follow the time of the machine: that of a host's lease, because other hosts follow no virtual clock, and that of the end of real processes. */
const machineTimers = ['core/runtime/host-lease.ts', 'core/runtime/leftover-processes.ts'];
/** By design the grammars of stop phrases are compiled one by one, so that the event loop does not wait. */
const compiling = 'preparePhrases';
const exceptions = [...machineTimers, compiling];

let isOwn = false;

/** Whether a function is being called. It reads the stack without its text, which takes much longer. */
function isCalling(name: string): boolean {
  const { prepareStackTrace } = Error;
  Error.prepareStackTrace = (_, sites) => sites;
  const sites = new Error('a stack').stack as unknown as readonly NodeJS.CallSite[]; // by the line above
  Error.prepareStackTrace = prepareStackTrace;
  return sites.some((site) => site.getFunctionName() === name);
}

/** Resolves after one turn of the event loop: every promise that waits only for others has settled. */
export function nextLoopTurn(): Promise<void> {
  return new Promise((resolve) => {
    isOwn = true;
    setImmediate(resolve);
    isOwn = false;
  });
}

/**
 * Runs `work`, and resolves with its result and with a stack for each resource of the platform that was made meanwhile. Clears the timers that
 * follow the time of the machine: a process that has died in the simulation does not clear its own.
 */
export async function watchPlatform<T>(work: () => Promise<T>): Promise<{ result: T; resources: readonly string[] }> {
  const resources: string[] = [];
  const timers: NodeJS.Timeout[] = [];
  const hook = createHook({
    init(_, type, _trigger, resource) {
      if (isOwn || harmless.has(type) || (type === 'Immediate' && isCalling(compiling))) return;
      const stack = new Error(type).stack ?? type;
      if (type === 'Timeout' && machineTimers.some((place) => stack.includes(place)))
        timers.push(resource as NodeJS.Timeout); // its type says so
      if (!exceptions.some((place) => stack.includes(place))) resources.push(stack);
    },
    trackPromises: false, // otherwise every promise costs a call
  });
  hook.enable();
  try {
    return { result: await work(), resources };
  } finally {
    hook.disable();
    for (const timer of timers) clearTimeout(timer);
  }
}
