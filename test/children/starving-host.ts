// Host without a free descriptor when its command exits, while a child of that lives on. Prints the end of the command.
import { closeSync, openSync } from 'node:fs';
import { systemTable } from '../../src/adapters/processes/process-family.ts';
import { startProcess } from '../../src/adapters/processes/started-command.ts';
import { systemSources } from '../../src/core/sources/system.ts';

const [token = ''] = process.argv.slice(2);
const held: number[] = [];
let leader = 0;
const { group } = systemTable;
systemTable.group = (which) => {
  try {
    return group(which);
  } finally {
    for (const descriptor of held.splice(0)) closeSync(descriptor);
  }
};
const started = await startProcess(
  {
    file: '/bin/sh',
    args: ['-c', `sleep ${token} & echo ready; wait`],
    cwd: '/',
    environment: { PATH: process.env['PATH'] ?? '' },
    marker: systemSources.ids('call'),
  },
  {
    signal: new AbortController().signal,
    kill: new AbortController().signal,
    clock: systemSources.clock,
    termGraceMs: 300,
    onStarted: (it) => {
      leader = it.group;
    },
  },
);
if (started.kind !== 'started') throw new Error('it has not started');
started.stderr.resume();
started.stdout.once('data', () => {
  try {
    for (;;) held.push(openSync('/dev/null', 'r'));
  } catch {
    process.kill(leader, 'SIGKILL'); // and only the leader
  }
});
const { kind, ended } = await started.ended;
console.log(JSON.stringify({ kind, ended }));
