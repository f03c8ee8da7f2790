// Host that terminates a family of which nothing is alive, and one process stays unclear.

import { systemTable } from '../../src/adapters/processes/process-family.ts';
import { terminateFamily } from '../../src/adapters/processes/terminate.ts';
import { systemSources } from '../../src/core/sources/system.ts';

const stuck = systemTable.read(Number(process.argv[2]));
if (!stuck) throw new Error('it is not there');
const processes = [stuck];
void terminateFamily({ marker: 'call_1', group: null, startTime: null }, [], {
  clock: systemSources.clock,
  termGraceMs: 60_000,
  table: {
    ...systemTable,
    bears: () => 'unclear',
    async list(visit = () => {}) {
      processes.forEach(visit);
      return { processes, steady: true };
    },
  },
});
