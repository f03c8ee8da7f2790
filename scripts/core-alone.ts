// Copies the machines and the core into a folder of their own, with links to the packages that the core may use, and checks the types there.
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));

/** All that the machines and the core import from outside, and the types of Node. */
export const corePackages: readonly string[] = ['xstate', 'zod', 'fast-string-truncated-width', '@types/node'];

/** Copies the sources of the core into an empty folder. */
export function copyCore(folder: string): void {
  for (const path of ['machines', 'src/core', 'tsconfig.json', 'package.json'])
    cpSync(join(root, path), join(folder, path), { recursive: true });
  for (const name of corePackages) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), link);
  }
  const config = { extends: './tsconfig.json', include: ['machines', 'src/core'], exclude: [] };
  writeFileSync(join(folder, 'tsconfig.core.json'), JSON.stringify(config));
}

/** Resolves with the lines of the compiler about the copy. Empty: its types are right. */
export async function typeErrorsOfCore(folder: string): Promise<readonly string[]> {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const args = [compiler, '-p', 'tsconfig.core.json', '--pretty', 'false'];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  const [exitCode, output] = await Promise.all([closed, text(child.stdout)]);
  const lines = output.split('\n').filter((line) => line !== '');
  if (exitCode !== 0 && lines.length === 0) throw new Error(`The compiler ended with ${exitCode} and no message.`);
  return exitCode === 0 ? [] : lines;
}
