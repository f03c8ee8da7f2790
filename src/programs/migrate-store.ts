// `belay migrate`: brings the tables of a database to the version of this program, while gateways run on it.
import { keepAlive } from '../core/sources/system.ts';
import { errorText } from '../core/text/error-text.ts';
import { printJson, printLine } from '../core/text/print-line.ts';
import { countText } from '../core/words/count-text.ts';
import { readCommandArguments, storeAddress } from './read-store.ts';
import { runAsProgram } from './run-as-program.ts';

const usage = `belay migrate     brings the tables of a database (--store postgres://USER@HOST/DATABASE) to this version of Belay

  --store ADDRESS    the database; gateways of this version and of the one before may be running on it
  --json             for a program: JSON on standard output
  --config FILE      and the environment: as for belay serve
  --help

Replace all gateways by this version first: it runs on the tables of the version before, too. A run that was ended is gone on with by the next one.
A store in a file needs no command: a gateway brings it forward when it opens it.
`;

/** Migrates the store. Rejects if it cannot be used. */
export async function migrateCommand(args: readonly string[]): Promise<void> {
  const read = readCommandArguments(args, { usage });
  if (!read) return;
  const address = storeAddress(read.values);
  if (address.kind !== 'postgres') {
    printLine(`The store ${address.name} is no database: there is nothing to do.`);
    return;
  }
  const { migratePostgresLog } = await import('../adapters/stores/postgres/postgres.ts');
  using stack = new DisposableStack();
  stack.defer(keepAlive()); // the connections of the database keep no process alive
  let sessions = 0;
  const { from, to } = await migratePostgresLog(address.options, () => sessions++).catch((error: unknown) => {
    throw new Error(`The store ${address.name} cannot be migrated: ${errorText(error)}`, { cause: error });
  });
  if (read.values['json'] === true) printJson({ store: address.name, from, to, sessions });
  else if (from === to) printLine(`${address.name} has version ${to} already.`);
  else printLine(`${address.name} has version ${to} now, and had ${from}. ${countText(sessions, 'session')} indexed.`);
}

if (import.meta.main) await runAsProgram(migrateCommand);
