// The one text that a store keeps of a host: its process, and what it says of itself.
//
// A store of an earlier version has the fields of the process alone: the others stand beside them, and an earlier host reads what it knows.
import type { Host, HostProcess } from '../../core/contracts/log.ts';

type Said = Pick<Host, 'process' | 'configuration' | 'label'>;

/** Returns the text of a host; null: it says nothing of itself. */
export function hostText({ process, configuration, label }: Said): string | null {
  const text = JSON.stringify({ ...process, configuration, label });
  return text === '{}' ? null : text;
}

/** Returns what a host has said; null: it has said nothing. */
export function readHostText(text: string | null): Said {
  const { configuration, label, ...process } = JSON.parse(text ?? '{}') as Partial<HostProcess> & Omit<Said, 'process'>; // the text of `hostText`
  return {
    process: process.pid === undefined ? null : (process as HostProcess), // with its pid it has the other fields
    ...(configuration !== undefined && { configuration }),
    ...(label !== undefined && { label }),
  };
}
