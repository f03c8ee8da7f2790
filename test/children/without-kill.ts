// Runs a program of the checkout as root without the right to signal other users (CAP_KILL), and with `tools.user` in its configuration.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [program = '', ...args] = process.argv.slice(2);
writeFileSync('belay.json', JSON.stringify({ tools: { user: 'nobody' } }));
const path = join(import.meta.dirname, '..', '..', program);
const { status } = spawnSync(
  'setpriv',
  ['--bounding-set=-kill', process.execPath, path, '--config', 'belay.json', ...args],
  { stdio: 'inherit' },
);
process.exitCode = status ?? 2;
