// How a command ends that cannot go on: a setting that is wrong, a port that is taken. A sentence says it, a stack does not.

export const failedCode = 1;

/** Runs a command with the arguments of this process. What it throws is told in a sentence, and the exit code is 1. */
export async function inSentences(
  command: (args: readonly string[]) => Promise<void>,
  args: readonly string[] = process.argv.slice(2),
): Promise<void> {
  try {
    await command(args);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = failedCode;
  }
}
