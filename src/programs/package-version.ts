// The version of Belay.
import { readFileSync } from 'node:fs';

/** Returns the version of the package, or of the checkout: of whichever holds this file. */
export function packageVersion(): string {
  const manifest = new URL('../../package.json', import.meta.url);
  return JSON.parse(readFileSync(manifest, 'utf8')).version;
}
