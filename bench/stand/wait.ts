// The tool that both sides run: it waits for its signal, and notes when that fired. Its calls differ in `n`, because the same call may
// not be repeated.

export const waitDescription = 'Waits until it is stopped; not at all where ms is 0.';

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
