// Describes an entry of the live tree for clients, by plain values.
import type { LiveNode } from '../../../machines/live-view.ts';
import type { NodeEntry } from '../live/node-entry.ts';
import { msSince } from '../sources/monotonic-time.ts';
import type { Clock } from '../sources/sources.ts';
import type { Journal } from '../transcript/journal.ts';

/** Returns a function that describes an entry by plain values, as it is now. */
export const describeNode =
  (journal: Pick<Journal, 'startedAt'>, clock: Pick<Clock, 'elapsed'>) =>
  (entry: NodeEntry): LiveNode => {
    const { id: node, kind, owner, parent, name, since, isSettled, cut, acknowledges, waitsFor, waited } = entry;
    const shown = isSettled ? 'settled' : cut ? 'stopping' : 'running';
    const startedAt = journal.startedAt(node);
    const waitedMs = waited?.readMs(clock) ?? 0;
    return {
      node,
      kind,
      owner,
      parent,
      name,
      state: shown,
      since,
      ...(startedAt !== undefined && { ageMs: msSince(clock, startedAt), ...(waitedMs > 0 && { waitedMs }) }),
      ...(acknowledges !== null && { acknowledges }),
      ...(waitsFor && { waitsFor }),
    };
  };
