// The kinds of a sweep. It imports nothing: a bug is planted before the shipped code is loaded.

/**
 * `cancels`: one CANCEL at each step. `crashes`: of the host, alone and with a CANCEL. `pairs`: a CANCEL and something else, until nothing new is seen. `cells`:
 * in the scenarios that are made for it, until each phase of a machine has met each event.
 */
export const sweepKinds = ['cancels', 'crashes', 'pairs', 'cells'] as const;
export type SweepKind = (typeof sweepKinds)[number];
