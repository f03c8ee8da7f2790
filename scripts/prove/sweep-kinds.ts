// The kinds of a sweep. It imports nothing: a bug is planted before the shipped code is loaded.

/** `cancels`: one CANCEL at each step. `crashes`: of the host, alone and with a CANCEL. `pairs`: a CANCEL and something else, until nothing new is seen. */
export const sweepKinds = ['cancels', 'crashes', 'pairs'] as const;
export type SweepKind = (typeof sweepKinds)[number];
