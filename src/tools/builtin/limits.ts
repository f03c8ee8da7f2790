// The bounds of the builtin tools, with their defaults.

export interface BuiltinLimits {
  /** Of a file, in one call of `read_file`: as much as one result holds. */
  readonly readBytes: number;
  /** What `write_file` writes. */
  readonly writeBytes: number;
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
  entries: 1_000,
  fetchBytes: 1_048_576,
  redirects: 5,
  commandMs: 600_000,
  commandMaxMs: 3_600_000,
  browseSteps: 20,
  screenshotBytes: 8_388_608,
};
