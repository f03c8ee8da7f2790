// A program whose orderly end never comes: what a second signal is for.
import { exitOnSignal } from '../../src/cli/signals.ts';

const alive = setInterval(() => {}, 1_000);
exitOnSignal(() => {
  console.log('ending');
  return process.env['REFUSE'] ? Promise.reject(new Error('it cannot end')) : new Promise(() => alive.ref());
});
console.log('ready');
