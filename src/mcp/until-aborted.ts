// Waits for something, but no longer than until a signal fires.

/** Leaves no listener. What has been waited for in vain is not unhandled if it rejects later. */
export async function untilAborted<T>(awaited: Promise<T>, signal: AbortSignal): Promise<T | 'aborted'> {
  const { promise: aborted, resolve } = Promise.withResolvers<'aborted'>();
  const onAbort = () => resolve('aborted');
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([awaited, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
