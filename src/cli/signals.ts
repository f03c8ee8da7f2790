// SIGTERM, SIGINT and SIGHUP: the first one asks for an orderly end, the second one ends at once.

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Exit code of a process that was interrupted. */
export const interruptedCode = 130;

/** Exits with 0 when `end` has resolved, with 1 when it rejects, with 130 at a second signal. */
export function exitOnSignal(end: () => Promise<void>): void {
  let state: 'running' | 'ending' = 'running';
  const heard = () => {
    if (state === 'ending') process.exit(interruptedCode);
    state = 'ending';
    end().then(
      () => process.exit(0),
      (error) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  for (const signal of signals) process.on(signal, heard);
}
