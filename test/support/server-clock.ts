// A clock of a server process that a test steps: libfaketime is loaded into it, and reads a file.
import { chmodSync, globSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The path of the library; undefined: it is not installed. */
export const clockLibrary = globSync('/usr/{lib,lib/*,local/lib}/faketime/libfaketime.so.1')[0];
/** In CI the tests fail without it: elsewhere they are left out, and say so. */
if (!clockLibrary && process.env['CI'])
  throw new Error('There is no libfaketime, and CI is set: .ci/postgres installs it.');
if (!clockLibrary)
  console.warn(
    'There is no libfaketime here (Debian: faketime): the tests of a server with another clock are skipped.',
  );

export interface ServerClock {
  /** The environment that a server is started with. */
  readonly env: NodeJS.ProcessEnv;
  /** Sets the time of day of the server forward from where it is; back, if negative. */
  step(hours: number): void;
}

/** Returns a clock that shows the time of this machine, until it is stepped. */
export function newServerClock(): ServerClock {
  const folder = mkdtempSync(join(tmpdir(), 'belay-clock-'));
  chmodSync(folder, 0o755);
  const file = join(folder, 'time');
  let offset = 0;
  const write = () => {
    writeFileSync(`${file}.new`, `${offset < 0 ? '' : '+'}${offset * 3_600}\n`);
    renameSync(`${file}.new`, file);
  };
  write();
  return {
    env: {
      LD_PRELOAD: clockLibrary,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      DONT_FAKE_MONOTONIC: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    step(hours) {
      offset += hours;
      write();
    },
  };
}
