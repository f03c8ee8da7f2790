// SIGTERM, SIGINT and SIGHUP: the first one asks for an orderly end, the second one ends at once.

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Exit code of a process that was interrupted. */
export const interruptedCode = 130;

/** `end` is called once, with the name of the signal; it is to end the process. Returns a function that stops listening. */
export function onFirstSignal(end: (signal: string) => void): () => void {
  let state: 'running' | 'ending' = 'running';
  const heard = (signal: string) => {
    if (state === 'ending') process.exit(interruptedCode);
    state = 'ending';
    end(signal);
  };
  for (const signal of signals) process.on(signal, heard);
  return () => {
    for (const signal of signals) process.off(signal, heard);
  };
}
