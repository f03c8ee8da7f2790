// Prints a warning to standard error: the default for whoever reports a problem and was given no other way.
import { inspect } from 'node:util';
import { printErrorLine } from './print-line.ts';

/** Prints the message and the error, with its stack. Both may hold text from outside. */
export function printWarning(message: string, error?: unknown): void {
  const details = error === undefined ? '' : `\n${typeof error === 'string' ? error : inspect(error)}`;
  printErrorLine(`belay: ${message}${details}`);
}

/** Prints an exception that is a bug. */
export const printBug = (error: unknown): void => printWarning('an unexpected exception', error);
