// Prepares the tour without a model: a script plays the model, and its tools really run, in folders of their own.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Config } from './settings.ts';
import { parseStoreAddress } from './store-address.ts';

/** Writes the files of the tour, and adds their folders to the configuration. */
export async function prepareTour(config: Config): Promise<Config> {
  const { tourFiles } = await import('./scripted/tour-files.ts');
  const address = parseStoreAddress(config.store);
  const parent = resolve(address.kind === 'file' ? dirname(address.path) : '.belay', 'tour');
  const folders = Object.entries(tourFiles).map(([name, files]) => {
    const folder = join(parent, name);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
    return folder;
  });
  // with folders or tools of one's own nothing more is allowed: no folder is opened to tools that were not allowed for it
  const isUnconfigured = config.roots.length === 0 && config.allow.length === 0;
  return {
    ...config,
    roots: [...folders, ...config.roots],
    allow: isUnconfigured ? ['shell', 'run_code', 'write_file'] : config.allow,
  };
}
