// The processes of a runtime that starts none: it records nothing, takes no host for dead, and terminates nothing.
import type { Processes } from '../contracts/processes.ts';

export const noProcesses: Processes = {
  markerName: 'marker',
  readThisProcess: () => null,
  isProvenDead: () => false,
  stateOf: () => 'unknown',
  record() {},
  areEnding: async () => false,
  terminateLeftover: async () => 0,
  terminateLeftoversOfDeadHosts: async () => 0,
};
