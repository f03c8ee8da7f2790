// Host that does nothing but stop a process. Prints its end.

import { runProcess } from '../../src/adapters/processes/started-command.ts';
import { systemSources } from '../../src/core/sources/system.ts';

const [program = '', token = ''] = process.argv.slice(2);
const stop = new AbortController();
const end = await runProcess(
  {
    file: '/bin/sh',
    args: [program, token],
    cwd: '/',
    environment: { PATH: process.env['PATH'] ?? '' },
    marker: systemSources.ids('call'),
  },
  {
    signal: stop.signal,
    kill: new AbortController().signal,
    clock: systemSources.clock,
    termGraceMs: 300,
    maxOutputChars: 1_000,
    onStarted: () => {},
    onOutput: () => stop.abort(),
  },
);
console.log(JSON.stringify(end));
