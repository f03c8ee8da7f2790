// Loads something with its first use.

/** Returns a function that resolves with what `load` gives: all calls share one load, and a load that fails is tried again with the next call. */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | null = null;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = null;
      throw error;
    });
    return loading;
  };
}
