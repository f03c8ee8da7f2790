// Notices that nobody reads the output of this process any more: its terminal is closed, or the program at the other end of its pipe has ended.
import { fstatSync } from 'node:fs';
import type { Clock } from '../core/sources/sources.ts';

const probeMs = 500;

/** Calls the listener once, when stdout or stderr cannot be written any more. A pipe shows it at the next write, a socket within `probeMs`. */
export function onOutputClosed(clock: Clock, listener: () => void): void {
  let isClosed = false;
  const close = () => {
    if (isClosed) return;
    isClosed = true;
    listener();
  };
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', close);
    if (!isSocket(stream.fd)) continue;
    const probe = () => {
      if (isClosed) return;
      stream.write(''); // to a socket whose other end is closed it fails
      clock.after(probeMs, probe);
    };
    clock.after(probeMs, probe);
  }
}

/** Lets the process live when nobody reads its output. */
export function ignoreClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}

function isSocket(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isSocket();
  } catch {
    return false;
  }
}
