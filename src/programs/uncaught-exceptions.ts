// The last resort of a program that runs work: after an exception that nobody catches it stops its work, and then exits.
import type { Clock } from '../core/sources/sources.ts';
import { errorText } from '../core/text/error-text.ts';
import { printBug, printErrorLine } from '../core/text/print-line.ts';
import { failedCode } from './run-as-program.ts';

/** Further exceptions are not reported: one that repeats must not fill the output. */
const maxReported = 10;

export interface LastResort {
  /** How long the program may take to stop its work, in milliseconds. Then it exits, which kills what is left. */
  readonly limitMs: number;
  /** Reports the exception. Default: prints it. */
  readonly report?: (error: unknown) => void;
}

/**
 * Calls `stop` after the first exception that nobody catches, or rejection that nobody handles: it stops the work, and the process ends with it. The exit
 * code is 1 unless another is set. A later exception changes nothing.
 */
export function onUncaughtException(clock: Clock, { limitMs, report = printBug }: LastResort, stop: () => void): void {
  let count = 0;
  process.on('uncaughtException', (error) => {
    process.exitCode = failedCode;
    count += 1;
    if (count <= maxReported) callSafely(() => report(error));
    if (count > 1) return;
    clock.after(limitMs, () => process.exit(failedCode));
    callSafely(stop);
  });
}

/** An exception in a listener of `uncaughtException` would end the process at once. */
function callSafely(call: () => void): void {
  try {
    call();
  } catch (error) {
    printErrorLine(`belay: The handler of an exception has failed: ${errorText(error)}`);
  }
}
