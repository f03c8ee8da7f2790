// Program whose orderly shutdown never ends: later signals have to force it.
import { exitOnSignal } from '../../src/cli/signals.ts';
import { systemSources } from '../../src/sources/system.ts';

const alive = setInterval(() => {}, 1_000);
exitOnSignal(systemSources.clock, {
  shutDown() {
    console.log('ending');
    return process.env['REFUSE'] ? Promise.reject(new Error('it cannot end')) : new Promise(() => alive.ref());
  },
  force: () => console.log('hurrying'),
});
process.on('SIGUSR1', () => console.log('asked'));
console.log(`pid ${process.pid}`);
console.log('ready');
