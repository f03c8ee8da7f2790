// Program whose orderly shutdown never ends: later signals have to force it, or its limit after an exception (THROW: each SIGUSR1 throws one).

import { systemSources } from '../../src/core/sources/system.ts';
import { exitAfterShutdown } from '../../src/programs/signals.ts';

const alive = setInterval(() => {}, 1_000);
exitAfterShutdown(systemSources.clock, {
  limitMs: 500,
  shutDown() {
    console.log('ending');
    return process.env['REFUSE'] ? Promise.reject(new Error('it cannot end')) : new Promise(() => alive.ref());
  },
  force: () => console.log('hurrying'),
});
process.on('SIGUSR1', () => {
  console.log('asked');
  if (process.env['THROW']) throw new Error('a bug');
});
console.log(`pid ${process.pid}`);
console.log('ready');
