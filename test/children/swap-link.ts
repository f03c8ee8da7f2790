// Replaces a folder by a link to another one and back, as fast as it can, until TERM.
import { renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';

const [folder = '', parked = '', target = ''] = process.argv.slice(2);
let swaps = 0;
let state: 'swapping' | 'stopping' = 'swapping';
process.on('SIGTERM', () => {
  state = 'stopping';
});
function restore(): void {
  for (;;) {
    try {
      rmSync(folder, { recursive: true, force: true });
      return renameSync(parked, folder);
    } catch {
      // and again
    }
  }
}

while (state === 'swapping') {
  for (let i = 0; i < 100; i++) {
    try {
      renameSync(folder, parked);
      symlinkSync(target, folder);
      unlinkSync(folder);
      renameSync(parked, folder);
      swaps++;
    } catch {
      restore(); // somebody made a folder there in between
    }
  }
  if (swaps > 0 && swaps <= 100) console.log('swapping');
  await new Promise((resolve) => setImmediate(resolve));
}
