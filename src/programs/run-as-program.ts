// Runs a command as the program of this process: an error is a sentence on stderr and the exit code 1, without a stack.

import { errorText } from '../core/text/error-text.ts';
import { printErrorLine } from '../core/text/print-line.ts';

export const failedCode = 1;

/** Runs the command with the arguments of this process. Never rejects. */
export async function runAsProgram(
  command: (args: readonly string[]) => Promise<void>,
  args: readonly string[] = process.argv.slice(2),
): Promise<void> {
  try {
    await command(args);
  } catch (error) {
    printErrorLine(errorText(error));
    process.exitCode = failedCode;
  }
}
