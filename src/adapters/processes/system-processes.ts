// The processes of this system, as the core asks for them.
import type { Processes } from '../../core/contracts/processes.ts';
import { terminateLeftoversOfDeadHosts } from './dead-hosts.ts';
import { isProvenDead, readThisProcess } from './host-process.ts';
import { readAgain, systemTable } from './process-family.ts';
import { markerName } from './process-table.ts';
import { runningFamilies } from './running-families.ts';
import { terminateLeftovers } from './terminate-leftovers.ts';

export const systemProcesses: Processes = {
  markerName,
  readThisProcess,
  isProvenDead,
  stateOf(process) {
    const found = readAgain(process, systemTable);
    if (found === 'unread') return 'unknown';
    return found?.state === 'alive' ? 'alive' : 'dead';
  },
  record: (hasStore) => runningFamilies.record(hasStore),
  areEnding: (marker) => runningFamilies.areEnding(marker),
  async terminateLeftover(leftover, options) {
    const terminated = await terminateLeftovers([leftover], options);
    return terminated.reduce((sum, { ended }) => sum + ended, 0);
  },
  terminateLeftoversOfDeadHosts,
};
