// The address of the HTTP server of a gateway in a process of its own, for the tests of doors.
import type { ServedBelay } from '../support/belay.ts';

export const addressOf = ({ url }: ServedBelay): string => url.replace('ws://', 'http://').replace(/\/belay$/, '');
