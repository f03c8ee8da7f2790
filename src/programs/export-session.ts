// `belay export SESSION`: all facts of a session, a line of JSON each.
import { printJson } from '../core/text/print-line.ts';
import { ConfigError } from './config-error.ts';
import { openStore, readCommandArguments, storeFlags, storeUsage } from './read-store.ts';
import { runAsProgram } from './run-as-program.ts';

const usage = `belay export SESSION  all facts of a session in their order, a line of JSON each: {"session", "seq", "fact"}

  --blobs            then its images, sounds and files: {"session", "blob", "base64"}
${storeUsage}

The words of the conversation are in it. Every line is JSON, also without --json.
`;

const flags = { ...storeFlags, blobs: { type: 'boolean', default: false } } as const;

/** Prints the facts. Rejects if there is no such session. */
export async function exportCommand(args: readonly string[]): Promise<void> {
  const read = readCommandArguments(args, { usage, flags, least: 1, most: 1 });
  if (!read) return;
  const [session = ''] = read.positionals;
  const store = openStore(read.values);
  try {
    let count = 0;
    for (const { seq, fact } of store.facts(session)) {
      printJson({ session, seq, fact });
      count += 1;
    }
    if (count === 0) throw new ConfigError(`There is no session ${session} in this store.`);
    if (read.values['blobs'] !== true) return;
    for (const { id, data } of store.blobs(session))
      printJson({ session, blob: id, base64: Buffer.from(data).toString('base64') });
  } finally {
    store.close();
  }
}

if (import.meta.main) await runAsProgram(exportCommand);
