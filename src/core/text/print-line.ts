// Prints to the terminal of this process. Every text may be from outside, so all of it is made printable here.
import { inspect } from 'node:util';
import { makePrintable, printableJson } from './printable.ts';

/** Prints a line, or several, to standard output. */
export const printLine = (text: string): void => console.log(makePrintable(text));

/** Prints a line, or several, to standard error. */
export const printErrorLine = (text: string): void => console.error(makePrintable(text));

/** Prints a value for a program, as one line of JSON on standard output. */
export const printJson = (value: unknown): void => console.log(printableJson(value));

/** Prints a message and an error with its stack to standard error: the default for whoever reports a problem and was given no other way. */
export function printWarning(message: string, error?: unknown): void {
  const details = error === undefined ? '' : `\n${typeof error === 'string' ? error : inspect(error)}`;
  printErrorLine(`belay: ${message}${details}`);
}

/** Prints an exception that is a bug. */
export const printBug = (error: unknown): void => printWarning('an unexpected exception', error);
