// Host that exits while its command runs, without a shutdown: by an error that nobody catches, or by `process.exit`.

import { runProcess } from '../../src/adapters/processes/started-command.ts';
import { systemSources } from '../../src/core/sources/system.ts';

const [how, program = '', token = ''] = process.argv.slice(2);
const never = new AbortController().signal;
void runProcess(
  {
    file: '/bin/sh',
    args: [program, token],
    cwd: '/',
    environment: { PATH: process.env['PATH'] ?? '' },
    marker: systemSources.ids('call'),
  },
  {
    signal: never,
    kill: never,
    clock: systemSources.clock,
    termGraceMs: 1_000,
    maxOutputChars: 1_000,
    onStarted: () => {},
    onOutput: () => {
      if (how === 'exit') process.exit(3);
      setImmediate(() => {
        throw new Error('a bug');
      });
    },
  },
);
