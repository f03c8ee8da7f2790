// Installs what tests run and Belay does not depend on, in exact versions, into .cache/agents: real outside agents, the official clients of doors, and the frameworks of the examples.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface RealAgent {
  readonly name: string;
  readonly version: string;
  /** The path of its program. */
  readonly path: string;
}

/** The library of a protocol that a door speaks. */
export interface OfficialClient {
  readonly name: string;
  readonly version: string;
  /** The path of its module. */
  readonly path: string;
}

interface Package {
  readonly name: string;
  readonly package: (platform: string) => string;
  readonly version: string;
  /** The file in it that is used. */
  readonly file: string;
}

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = join(root, '.cache', 'agents');

/** The program of an agent comes in a package for each platform; no package has a dependency or a script that matters. */
const agentPackages: readonly Package[] = [
  {
    name: 'codex',
    package: (platform: string) => `@zed-industries/codex-acp-${platform}`,
    version: '0.16.0',
    file: 'bin/codex-acp',
  },
  {
    name: 'opencode',
    // the x64 build that runs on every processor
    package: (platform: string) => `opencode-${platform}${platform.endsWith('x64') ? '-baseline' : ''}`,
    version: '1.18.33',
    file: 'bin/opencode',
  },
];

const clientPackages: readonly Package[] = [
  { name: 'acpx', package: () => 'acpx', version: '0.19.1', file: 'dist/cli.js' },
  { name: 'ag-ui', package: () => '@ag-ui/client', version: '1.0.0', file: 'dist/index.mjs' },
  { name: 'ai', package: () => 'ai', version: '7.0.173', file: 'dist/index.js' },
];

/** The agents that the tests run, whether they are installed or not. A version has a folder of its own. */
export const realAgents: readonly RealAgent[] = agentPackages.map(installedAt);

/** The clients that the tests of doors run, whether they are installed or not. */
export const officialClients: readonly OfficialClient[] = clientPackages.map(installedAt);

function installedAt(one: Package): RealAgent {
  const { name, version } = one;
  const platform = `${process.platform}-${process.arch}`;
  return { name, version, path: join(folderOf(one), 'node_modules', one.package(platform), one.file) };
}

function folderOf({ name, version }: Pick<Package, 'name' | 'version'>): string {
  return join(cache, `${name}-${version}`);
}

/** The examples that put Belay into a framework: their folder has the versions of the frameworks. */
const frameworks = new URL('../docs/examples/frameworks/', import.meta.url);

/** The folder in which they are installed, and run. */
export const frameworkFolder = join(
  cache,
  `frameworks-${hashOf(readFileSync(new URL('package.json', frameworks), 'utf8'))}`,
);
export const areFrameworksInstalled = (): boolean =>
  existsSync(join(frameworkFolder, 'node_modules', '.package-lock.json'));

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

async function installFrameworks(): Promise<boolean> {
  if (areFrameworksInstalled()) return true;
  const manifest = JSON.parse(readFileSync(new URL('package.json', frameworks), 'utf8'));
  manifest.dependencies['@belay/runtime'] = `file:${root}`;
  return runNpm(frameworkFolder, manifest, [], areFrameworksInstalled);
}

/** Installs those that are missing, side by side. Resolves with whether all are installed. */
async function installAll(): Promise<boolean> {
  const installed = await Promise.all([...[...agentPackages, ...clientPackages].map(install), installFrameworks()]);
  return installed.every((isInstalled) => isInstalled);
}

async function install(one: Package): Promise<boolean> {
  const { path } = installedAt(one);
  if (existsSync(path)) return true;
  const wanted = `${one.package(`${process.platform}-${process.arch}`)}@${one.version}`;
  return runNpm(folderOf(one), { private: true }, ['--no-save', wanted], () => existsSync(path));
}

/** Installs into a folder of its own. Resolves with whether what was wanted is there. */
async function runNpm(
  folder: string,
  manifest: object,
  wanted: readonly string[],
  isThere: () => boolean,
): Promise<boolean> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest)}\n`);
  const options = ['--no-package-lock', '--ignore-scripts', '--loglevel=error'];
  const args = ['install', ...options, ...wanted];
  const npm = spawn('npm', args, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = await once(npm, 'exit');
  if (code === 0 && isThere()) return true;
  console.error(`npm ${args.join(' ')} has not installed what is wanted into ${folder}: see its output above.`);
  return false;
}

if (import.meta.main && !(await installAll())) process.exitCode = 1;
