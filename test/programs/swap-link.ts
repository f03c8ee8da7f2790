// Replaces a folder by a link to another one and back, as fast as it can, until it is told to stop; then prints how often.
import { renameSync, symlinkSync, unlinkSync } from 'node:fs';

const [folder = '', parked = '', target = ''] = process.argv.slice(2);
let swaps = 0;
let state: 'swapping' | 'stopping' = 'swapping';
process.on('SIGTERM', () => {
  state = 'stopping';
});
while (state === 'swapping') {
  for (let i = 0; i < 100; i++) {
    renameSync(folder, parked);
    symlinkSync(target, folder);
    unlinkSync(folder);
    renameSync(parked, folder);
    swaps++;
  }
  if (swaps === 100) console.log('swapping');
  await new Promise((resolve) => setImmediate(resolve));
}
console.log(swaps);
