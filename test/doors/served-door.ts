// The address of the HTTP server of a gateway in a process of its own.
import type { ServedBelay } from '../support/belay.ts';

export const httpOf = ({ url }: ServedBelay): string => url.replace('ws://', 'http://').replace(/\/belay$/, '');
