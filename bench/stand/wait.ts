// The tool that both servers have: it waits for its signal, and notes when the signal fires. Its calls differ in `n`, because Belay rejects
// repetitions of the same call.

export const waitDescription = 'Waits until it is stopped; not at all if ms is 0.';

export function untilStopped(signal: AbortSignal, onStop: () => void): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener(
      'abort',
      () => {
        onStop();
        resolve();
      },
      { once: true },
    );
  });
}
