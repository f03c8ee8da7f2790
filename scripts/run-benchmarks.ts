// Runs the benchmarks of bench one after the other (npm run bench); each says at its top what it measures. The command line is passed
// to each (npm run bench -- --quick).
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../bench/', import.meta.url));
const names = existsSync(folder)
  ? readdirSync(folder)
      .filter((name) => name.endsWith('.ts'))
      .sort()
  : [];

if (names.length === 0) console.log('There are no benchmarks yet: bench/ holds no program.');
for (const name of names) {
  console.log(`\n${name}`);
  const { status } = spawnSync(process.execPath, [`${folder}${name}`, ...process.argv.slice(2)], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
