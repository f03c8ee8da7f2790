// The bounds of the builtin tools, with their defaults.
import { maxTimeoutMs } from '../declaration-rules.ts';

export interface BuiltinLimits {
  /** Of a file, in one call of `read_file`: as much as one result holds. */
  readonly readBytes: number;
  /** What `write_file` writes. */
  readonly writeBytes: number;
  /** How long `write_file` may take to put a file in its place, on a slow disk; at most the runtime's `limits.shieldMs`. */
  readonly writeShieldMs: number;
  /** Of a folder, in one call of `list_files`. */
  readonly entries: number;
  /** Of an answer, in `fetch_url`. */
  readonly fetchBytes: number;
  readonly redirects: number;
  /** Of a command or a script that does not ask for another; 0: as long as it takes. */
  readonly commandMs: number;
  /** The most that it may ask for. */
  readonly commandMaxMs: number;
  /** Of a page, in one call of `browse`, beside opening it. */
  readonly browseSteps: number;
  /** Of one screenshot. */
  readonly screenshotBytes: number;
}

export const defaultBuiltinLimits: BuiltinLimits = {
  readBytes: 32_000,
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

/** Bounds that may be 0. */
const mayBeZero: readonly (keyof BuiltinLimits)[] = ['redirects', 'commandMs'];

/** The defaults with what is given. Throws a RangeError that names the field and the limit. */
export function builtinLimitsFrom(given: Partial<BuiltinLimits> = {}): BuiltinLimits {
  const limits = { ...defaultBuiltinLimits, ...given };
  for (const [name, value] of Object.entries(limits) as [keyof BuiltinLimits, number][]) {
    if (!(name in defaultBuiltinLimits)) throw new RangeError(`builtin.${name} is not a limit`);
    const least = mayBeZero.includes(name) ? 0 : 1;
    if (!Number.isInteger(value) || value < least || value > maxTimeoutMs)
      throw new RangeError(`builtin.${name} must be a whole number from ${least} to ${maxTimeoutMs}, not ${value}`);
  }
  const { commandMs, commandMaxMs } = limits;
  if (commandMs > commandMaxMs)
    throw new RangeError(
      `builtin.commandMs (${commandMs}) must not be more than builtin.commandMaxMs (${commandMaxMs})`,
    );
  return limits;
}
