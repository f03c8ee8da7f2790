// Ends what hosts have left that were killed: the processes of their calls, as their records name them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseHostRecord, recordsFolder } from '../../src/adapters/processes/host-record.ts';
import { terminateLeftovers } from '../../src/adapters/processes/terminate-leftovers.ts';
import { systemSources } from '../../src/core/sources/system.ts';

const termGraceMs = 500;

/** Ends the processes of all hosts whose state is in the folder. None of the hosts may be alive. Resolves when they have ended. */
export async function endLeftovers(state: string): Promise<void> {
  const folder = recordsFolder({ XDG_STATE_HOME: state });
  const marks = listOrNone(folder).flatMap((name) => {
    const record = parseHostRecord(readFileSync(join(folder, name), 'utf8'));
    return record?.marks ?? [];
  });
  const leftovers = marks.map(({ marker, group, startTime }) => ({ node: marker, group, startTime }));
  if (leftovers.length > 0) await terminateLeftovers(leftovers, { clock: systemSources.clock, termGraceMs });
}

function listOrNone(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // no host has started anything
  }
}
