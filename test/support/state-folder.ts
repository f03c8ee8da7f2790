// Gives each test file, and the processes that it starts, a state folder of its own: no test ends what another one has left running.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The variable that keeps the run's own folder: the files of a shared process follow one another here. */
const run = 'TESTS_STATE_FOLDER';

process.env[run] ??= process.env['XDG_STATE_HOME'] ?? tmpdir();
process.env['XDG_STATE_HOME'] = mkdtempSync(join(process.env[run], 'file-'));
