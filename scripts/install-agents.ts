// Installs the real outside agents that `npm run test:agents` runs, and clients that only tests need, in exact versions, into .cache/agents. They are no dependencies of Belay.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface RealAgent {
  readonly name: string;
  readonly version: string;
  /** The path of its program. */
  readonly path: string;
}

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = join(root, '.cache', 'agents');

/** The program of an agent comes in a package for each platform; no package has a dependency or a script that matters. */
const packages = [
  {
    name: 'codex',
    package: (platform: string) => `@zed-industries/codex-acp-${platform}`,
    version: '0.16.0',
    program: 'bin/codex-acp',
  },
  {
    name: 'opencode',
    // the x64 build that runs on every processor
    package: (platform: string) => `opencode-${platform}${platform.endsWith('x64') ? '-baseline' : ''}`,
    version: '1.18.33',
    program: 'bin/opencode',
  },
];

/** Clients of the doors, each a package that runs everywhere. */
const clients = [{ name: 'acpx', package: () => 'acpx', version: '0.19.1', program: 'dist/cli.js' }];

/** The agents that the tests run, whether they are installed or not. A version has a folder of its own. */
export const realAgents: readonly RealAgent[] = packages.map(installedAt);

/** The clients that the tests run, likewise. */
export const realClients: readonly RealAgent[] = clients.map(installedAt);

function installedAt({ name, package: packageFor, version, program }: (typeof packages)[number]): RealAgent {
  const path = join(
    folderOf(name, version),
    'node_modules',
    packageFor(`${process.platform}-${process.arch}`),
    program,
  );
  return { name, version, path };
}

function folderOf(name: string, version: string): string {
  return join(cache, `${name}-${version}`);
}

/** Returns the names of the agents that are not installed. */
export const missingAgents = (): readonly string[] =>
  [...realAgents, ...realClients].flatMap(({ name, path }) => (existsSync(path) ? [] : name));

/** Installs those that are missing, side by side. Resolves with whether all are installed. */
async function installAgents(): Promise<boolean> {
  const installed = await Promise.all([...packages, ...clients].map(installAgent));
  return installed.every((isInstalled) => isInstalled);
}

async function installAgent({ name, package: packageFor, version }: (typeof packages)[number]): Promise<boolean> {
  if (!missingAgents().includes(name)) return true;
  const folder = folderOf(name, version);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const wanted = `${packageFor(`${process.platform}-${process.arch}`)}@${version}`;
  const options = ['--no-save', '--no-package-lock', '--ignore-scripts', '--loglevel=error'];
  const npm = spawn('npm', ['install', ...options, wanted], { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = await once(npm, 'exit');
  if (code === 0 && !missingAgents().includes(name)) return true;
  console.error(`${wanted} could not be installed into ${folder}: see the output of npm above.`);
  return false;
}

if (import.meta.main && !(await installAgents())) process.exitCode = 1;
