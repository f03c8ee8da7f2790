// Reads the flags of a command, and names the flag that was probably meant by a wrong one.
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { errorText } from '../core/text/error-text.ts';
import { nearestWord } from '../core/text/nearest-word.ts';
import { ConfigError } from './config-error.ts';
import { defaultStatelyPort } from './default-address.ts';

export interface Flags {
  readonly values: Readonly<Record<string, unknown>>;
  readonly positionals: readonly string[];
}

/** Throws `ConfigError` for a flag that is not in the table. */
export function readFlags(
  args: readonly string[],
  options: ParseArgsOptionsConfig,
  { allowPositionals = false }: { readonly allowPositionals?: boolean } = {},
): Flags {
  try {
    const expanded = args.map((arg) => (arg === '--stately' ? `--stately=${defaultStatelyPort}` : arg));
    return parseArgs({ args: expanded, options, allowPositionals });
  } catch (error) {
    throw new ConfigError(flagMessage(error, Object.keys(options)), { cause: error });
  }
}

function flagMessage(error: unknown, known: readonly string[]): string {
  const message = errorText(error);
  const [, dashes, name = ''] = /^Unknown option '(-+)([^']*)'/.exec(message) ?? [];
  if (dashes === undefined) return message;
  const meant = nearestWord(name, known);
  const hint =
    meant === null ? `There are ${known.map((each) => `--${each}`).join(', ')}.` : `Did you mean --${meant}?`;
  return `There is no flag ${dashes}${name}. ${hint}`;
}
