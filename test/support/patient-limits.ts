// Limits of a runtime whose tools are real processes: a killed call must not count as abandoned because the machine is slow.
import { scaled } from './time-scale.ts';

export const patientLimits = { termGraceMs: 300, toolCancelMs: scaled(2_500), shutdownMs: scaled(10_000) };
