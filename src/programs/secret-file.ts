// Reads a secret that a setting has in a file.
import { closeSync, readFileSync } from 'node:fs';
import { errorText } from '../core/text/error-text.ts';
import { ConfigError } from './config-error.ts';

const descriptorPattern = /^\/(?:dev|proc\/self)\/fd\/(\d+)$/;
/** The standard ones stay open. */
const firstOwnDescriptor = 3;

/**
 * Reads a secret from a file, or from a descriptor that was opened for it (`/dev/fd/3`): neither is in the environment of this process. The line break at
 * the end is left out. Throws a `ConfigError` that names the setting.
 */
export function readSecretFile(setting: string, path: string): string {
  const secret = readText(setting, path).replace(/\r?\n$/, '');
  if (secret === '') throw new ConfigError(`The setting ${setting} is invalid: ${path} is empty.`);
  return secret;
}

function readText(setting: string, path: string): string {
  const descriptor = Number(descriptorPattern.exec(path)?.[1] ?? -1);
  try {
    const text = readFileSync(descriptor < 0 ? path : descriptor, 'utf8');
    if (descriptor >= firstOwnDescriptor) closeSync(descriptor); // tools could read a file again through it
    return text;
  } catch (error) {
    throw new ConfigError(`The setting ${setting} is invalid: ${path} cannot be read: ${errorText(error)}`, {
      cause: error,
    });
  }
}
