// Gives each test file, and the processes that it starts, a state folder of its own: no test ends what another one has left running.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'belay-state-'));
process.env['XDG_STATE_HOME'] = folder;
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
