// The tool that both sides run: it does nothing until it is told to stop, and notes when it heard of it. Its calls differ in `n`,
// since a model that repeats itself is not let.

export const waitDescription = 'Waits until it is stopped; not at all where ms is 0.';

export function untilStopped(signal: AbortSignal, heard: () => void): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener(
      'abort',
      () => {
        heard();
        resolve();
      },
      { once: true },
    );
  });
}
