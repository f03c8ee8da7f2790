// A program whose orderly end never comes: what a second signal is for.
import { exitOnSignal } from '../../src/cli/signals.ts';
import { systemSources } from '../../src/sources/system.ts';

const alive = setInterval(() => {}, 1_000);
exitOnSignal(systemSources.clock, () => {
  console.log('ending');
  return process.env['REFUSE'] ? Promise.reject(new Error('it cannot end')) : new Promise(() => alive.ref());
});
console.log('ready');
