// The address of a gateway in a process of its own, and a command that a test lets go, for the tests of doors.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServedBelay } from '../support/belay.ts';

export const addressOf = ({ url }: ServedBelay): string => url.replace('ws://', 'http://').replace(/\/belay$/, '');

/** A command that runs, in the folder `c`, until `letGo`. */
export const untilGo = 'until [ -e go ]; do sleep 0.02; done';

export const letGo = ({ folder }: ServedBelay): void => writeFileSync(join(folder.c, 'go'), '');
