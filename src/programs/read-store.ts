// The store that a command for the one on call reads: found by the flags and the settings, opened for reading only.
import { existsSync } from 'node:fs';
import { isProvenDead } from '../adapters/processes/host-process.ts';
import { type StoredHolder, StoreReader } from '../adapters/stores/store-reader.ts';
import { configFrom } from './config.ts';
import { ConfigError } from './config-error.ts';
import { type Flags, readFlags } from './flags.ts';
import { parseStoreAddress, type StoreAddress } from './store-address.ts';

/** The flags of every command that reads a store. */
export const storeFlags = {
  store: { type: 'string' },
  config: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean' },
} as const;

export const storeUsage = `  --store FILE       the SQLite file of the transcripts; a gateway may be running on it, or be dead
  --json             for a program: JSON on standard output
  --config FILE      and the environment: as for belay serve
  --help`;

/** Reads the arguments of a command; null: the usage was asked for, and printed. Throws `ConfigError` if there are too few or too many. */
export function readCommandArguments(
  args: readonly string[],
  { usage, flags = storeFlags, least = 0, most = 0 }: ArgumentRules,
): Flags | null {
  const read = readFlags(args, flags, { allowPositionals: true });
  if (read.values['help'] === true) {
    process.stdout.write(usage);
    return null;
  }
  const { length } = read.positionals;
  if (length < least || length > most) throw new ConfigError(`Wrong number of arguments.\n\n${usage}`);
  return read;
}

interface ArgumentRules {
  readonly usage: string;
  readonly flags?: Parameters<typeof readFlags>[1];
  /** How many arguments that are no flags it takes. */
  readonly least?: number;
  readonly most?: number;
}

/** Returns where the store is. Settings are read only if no flag names it. */
export const storeAddress = ({ store, config }: Flags['values']): StoreAddress =>
  parseStoreAddress(typeof store === 'string' ? store : configFrom({ config }, process.env).store);

/** Returns the absolute path of the store; null: it is in memory, or in a database. */
export function storePath(values: Flags['values']): string | null {
  const address = storeAddress(values);
  return address.kind === 'file' ? address.path : null;
}

/** Opens the store for reading. Throws `ConfigError` if there is none. */
export function openStore(values: Flags['values']): StoreReader {
  const address = storeAddress(values);
  if (address.kind === 'postgres')
    throw new ConfigError(
      `The store ${address.name} is not a file. Ask a gateway that runs on it: --url URL. A copy of it as a file: belay copy FILE.`,
    );
  if (address.kind === 'memory' || !existsSync(address.path))
    throw new ConfigError(
      `There is no store ${address.kind === 'file' ? address.path : 'in memory that another process could read'}. Another one: --store FILE.`,
    );
  return new StoreReader(address.path);
}

/** How a session stands to its gateway. `left`: the gateway died with it, and the next start recovers it. */
export type HolderState = 'asleep' | 'awake' | 'left' | 'unknown';

/** Returns the state of a session by its holder. `unknown`: the holder runs elsewhere, or its state cannot be seen from here. */
export function holderState(holder: StoredHolder | null): HolderState {
  if (holder === null) return 'asleep';
  if (holder.isAsked) return 'awake';
  if (holder.process === null) return 'unknown';
  return isProvenDead(holder.process) ? 'left' : 'awake';
}

/** Formats the state of a session by its holder. */
export function holderText(holder: StoredHolder | null): string {
  const process = holder?.process ? ` (pid ${holder.process.pid})` : '';
  const texts: Readonly<Record<HolderState, string>> = {
    asleep: 'asleep',
    awake: `awake in a gateway${process}`,
    left: `LEFT OPEN: its gateway${process} is dead; the next start recovers it`,
    unknown: 'claimed by a gateway that cannot be seen from here',
  };
  return texts[holderState(holder)];
}
