// Says of a list that hosts are missing in it.
import { countText } from './count-text.ts';

/** Returns the sentence about the hosts that did not reply in time; null: all have. */
export function missingHostsText(missing: readonly string[]): string | null {
  if (missing.length === 0) return null;
  return `${countText(missing.length, 'host')} did not reply in time, and what runs there is not shown: ${missing.join(', ')}.`;
}
