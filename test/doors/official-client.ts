// Loads the official client of a protocol, in the exact version that `npm run agents` installs. Its tests are left out where it is missing, and fail where it is required.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { officialClients } from '../../scripts/install-agents.ts';

export interface LoadedClient {
  /** Whether its tests are left out. */
  readonly isLeftOut: boolean;
  /** Loads a module that it depends on; without a name its own. An empty object where its tests are left out. */
  load<Module>(name?: string): Promise<Module>;
}

export function findClient(name: string): LoadedClient {
  const client = officialClients.find((one) => one.name === name);
  if (!client) throw new Error(`scripts/install-agents.ts has no client ${name}.`);
  const { path, version } = client;
  const isInstalled = existsSync(path);
  if (!isInstalled) console.warn(`${name} ${version} is not installed, and not tested: npm run agents installs it.`);
  const isLeftOut = !isInstalled && process.env['REAL_AGENTS'] !== 'required';
  return {
    isLeftOut,
    async load<Module>(dependency?: string) {
      if (isLeftOut) return {} as Module; // nothing of it is used
      const file = dependency === undefined ? path : createRequire(path).resolve(dependency);
      return import(pathToFileURL(file).href);
    },
  };
}
