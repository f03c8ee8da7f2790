// The clock of the benchmarks: monotonic, and the same one in every process of this machine.

/** Milliseconds since some moment. */
export const now = (): number => Number(process.hrtime.bigint()) / 1e6;
