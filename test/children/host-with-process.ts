// Host that starts a process and waits to be killed. Prints what `process_started` would have recorded.

import { runProcess } from '../../src/adapters/processes/started-command.ts';
import { systemSources } from '../../src/core/sources/system.ts';

const [marker = '', program = '', token = ''] = process.argv.slice(2);
const never = new AbortController().signal;
let started: object = {};
await runProcess(
  { file: '/bin/sh', args: [program, token], cwd: '/', environment: { PATH: process.env['PATH'] ?? '' }, marker },
  {
    signal: never,
    kill: never,
    clock: systemSources.clock,
    termGraceMs: 1_000,
    maxOutputChars: 1_000,
    onStarted: (process) => {
      started = process;
    },
    onOutput: () => console.log(JSON.stringify(started)),
  },
);
