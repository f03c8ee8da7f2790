// Limits of the builtin tools, with their defaults.
import { mergeLimits } from '../../../core/collections/merge-limits.ts';

export interface BuiltinLimits {
  /** Bytes of a file in one call of `read_file`: as much as one result holds. */
  readonly readBytes: number;
  /** Bytes of an image file that `read_file` shows. */
  readonly imageBytes: number;
  /** Bytes of a file in one call of `write_file`. */
  readonly writeBytes: number;
  /** Milliseconds in which `write_file` moves a file to its place, on a slow disk; at most the runtime's `limits.shieldMs`. */
  readonly writeShieldMs: number;
  /** Entries of a folder in one call of `list_files`. */
  readonly entries: number;
  /** Bytes of a response in `fetch_url`. */
  readonly fetchBytes: number;
  readonly redirects: number;
  /** The timeout of a command or a script that asks for no other, in milliseconds; 0: none. */
  readonly commandMs: number;
  /** The longest timeout that it may ask for, in milliseconds. */
  readonly commandMaxMs: number;
  /** Steps in one call of `browse`, beside opening the page. */
  readonly browseSteps: number;
  /** Bytes of one screenshot. */
  readonly screenshotBytes: number;
}

export const defaultBuiltinLimits: BuiltinLimits = {
  readBytes: 32_000,
  imageBytes: 8_388_608,
  writeBytes: 1_048_576,
  writeShieldMs: 2_000,
  entries: 1_000,
  fetchBytes: 1_048_576,
  redirects: 5,
  commandMs: 600_000,
  commandMaxMs: 3_600_000,
  browseSteps: 20,
  screenshotBytes: 8_388_608,
};

/** Limits that may be 0. */
const mayBeZero: readonly (keyof BuiltinLimits)[] = ['redirects', 'commandMs'];

/** Returns the defaults with the given limits. Throws a RangeError that names the field and its range. */
export function builtinLimitsFrom(given: Partial<BuiltinLimits> = {}): BuiltinLimits {
  const limits = mergeLimits(given, { path: 'builtin', defaults: defaultBuiltinLimits, mayBeZero });
  const { commandMs, commandMaxMs } = limits;
  if (commandMs > commandMaxMs)
    throw new RangeError(
      `builtin.commandMs (${commandMs}) must not be more than builtin.commandMaxMs (${commandMaxMs})`,
    );
  return limits;
}
