// Gives each test file, and the processes that it starts, a state folder of its own: no test ends what another one has left running.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

process.env['XDG_STATE_HOME'] = mkdtempSync(join(process.env['XDG_STATE_HOME'] ?? tmpdir(), 'file-'));
