// Makes a checkout ready to run: installs what is missing, then checks that `node` runs TypeScript. Plain JavaScript,
// because on a fresh clone the only Node there is may be an old one; the checkout brings its own on Linux (x64 and arm64, glibc).
//
//   node scripts/ready.mjs               before a start (npm runs it as `prestart`): what running needs is enough
//   node scripts/ready.mjs --all         before a developer's command (npm runs it as `pretest`, …): installs the rest, if an install has left it out
//   node scripts/ready.mjs --installed   notes that an install has just ended (npm runs it as `prepare`)
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const oldestNode = 24;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
const note = join(modules, '.belay-installed');
const bringsNode = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch);

/** What an install brings: all packages, or those that running needs. */
const kinds = ['all', 'running'];

/** Returns the note of a complete install of that kind of this checkout on this machine; the presence of a file or two would accept a broken tree. */
function noteOf(kind) {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  return `${lock} ${process.platform} ${process.arch} ${kind}\n`;
}

/** Links the Node of this machine: npm 10 removes the link together with the package for the other architecture. */
function linkNode() {
  const name = `node-linux-${process.arch}/bin/node`;
  const link = join(modules, '.bin/node');
  if (!bringsNode || existsSync(link) || !existsSync(join(modules, name))) return;
  mkdirSync(dirname(link), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(`../${name}`, link);
}

/** Whether a developer's packages are there, of whatever install: then an install brings them again. */
const hasDevelopersPackages = () => existsSync(join(modules, 'typescript/package.json'));

/** The install has just ended well, so a package that only developers need tells of what kind it was. */
function noteInstall() {
  linkNode();
  const kind = hasDevelopersPackages() ? 'all' : 'running';
  writeFileSync(note, noteOf(kind));
}

/** Whether there is a complete install of either kind. */
function isInstalled() {
  try {
    const written = readFileSync(note, 'utf8');
    return kinds.some((kind) => written === noteOf(kind));
  } catch {
    return false;
  }
}

/** Returns the major version of the `node` that the start will find; 0 where it does not run. */
function majorNode() {
  const PATH = [join(modules, '.bin'), process.env.PATH].join(delimiter);
  const { stdout } = spawnSync('node', ['--version'], { encoding: 'utf8', env: { ...process.env, PATH } });
  return Number(/^v(\d+)\./.exec(stdout ?? '')?.[1] ?? 0);
}

/** Installs with the npm that runs this script, on the Node that runs it; warnings about an old Node are left out. */
function install(kind) {
  const omitted = kind === 'all' ? [] : ['--omit=dev'];
  console.error(`Installing what is missing (${['npm', 'ci', ...omitted].join(' ')}) …`);
  const { npm_execpath: npm, npm_node_execpath: node = process.execPath } = process.env;
  const [command, ...args] = npm ? [node, npm] : ['npm'];
  const { status } = spawnSync(command, [...args, 'ci', ...omitted, '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (status === 0) noteInstall(); // `prepare` has done so, unless scripts are switched off
  return status === 0;
}

function ready(needsAll) {
  const isReady = needsAll ? hasDevelopersPackages() : isInstalled();
  if (isReady) linkNode();
  const isMissing = !isReady || (bringsNode && majorNode() < oldestNode);
  if (isMissing && !install(needsAll || hasDevelopersPackages() ? 'all' : 'running'))
    return 'The install (npm ci) failed: see its messages above.';
  if (majorNode() >= oldestNode) return null;
  return bringsNode
    ? `Belay needs Node ${oldestNode} or later, and the one of the checkout is missing or does not run here (it needs glibc).`
    : `Belay needs Node ${oldestNode} or later, and the checkout brings one only for Linux on x64 and arm64: install Node ${oldestNode}.`;
}

if (process.argv.includes('--installed')) noteInstall();
else {
  const problem = ready(process.argv.includes('--all'));
  if (problem) {
    console.error(problem);
    process.exitCode = 1;
  }
}
