// A clock that all processes of this machine share: what one of them has stored, another can compare with its own reading.
import { readFileSync } from 'node:fs';

export interface MachineTime {
  /** Times with another id cannot be compared: the machine has been started again. */
  readonly clock: string;
  /** Milliseconds. */
  readonly now: number;
}

let bootId: string | null | undefined;
/** Reads the id of the start of the system; null: it has none, because it is not Linux. */
function readBootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return null;
  }
}

/**
 * Reads the clock. On Linux it is the monotonic one: it does not jump, and stands still while the machine sleeps, so nothing runs out during a
 * sleep. Elsewhere it is the time of day.
 */
export function readMachineTime(): MachineTime {
  if (bootId === undefined) bootId = readBootId();
  if (bootId === null) return { clock: 'time of day', now: Date.now() };
  return { clock: bootId, now: Number(process.hrtime.bigint() / 1_000_000n) };
}
