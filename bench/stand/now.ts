// The clock of the benchmarks: monotonic, and the same one in every process of this machine.

/** Returns milliseconds since a moment that is the same for all processes. */
export const now = (): number => Number(process.hrtime.bigint()) / 1e6;
