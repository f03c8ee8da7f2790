// Prints to the terminal of this process. Every text may be from outside, so all of it is made printable here.
import { makePrintable, printableJson } from './printable.ts';

/** Prints a line, or several, to standard output. */
export const printLine = (text: string): void => console.log(makePrintable(text));

/** Prints a line, or several, to standard error. */
export const printErrorLine = (text: string): void => console.error(makePrintable(text));

/** Prints a value for a program, as one line of JSON on standard output. */
export const printJson = (value: unknown): void => console.log(printableJson(value));
