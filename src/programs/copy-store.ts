// `belay copy TARGET`: copies all sessions with their blobs into another store: from a file into PostgreSQL, or back.
import { existsSync } from 'node:fs';
import { systemProcesses } from '../adapters/processes/system-processes.ts';
import { type CopiedSessionResult, copySessions, type SessionCopy } from '../core/runtime/copy-sessions.ts';
import { keepAlive, systemSources } from '../core/sources/system.ts';
import { printJson, printLine } from '../core/text/print-line.ts';
import { countText } from '../core/words/count-text.ts';
import { ConfigError } from './config-error.ts';
import { readCommandArguments, storeAddress, storeUsage } from './read-store.ts';
import { runAsProgram } from './run-as-program.ts';
import { openStoredLog } from './runtime-parts.ts';
import { parseStoreAddress } from './store-address.ts';

const usage = `belay copy TARGET     copies all sessions with their images, sounds and files into another store, with the same sequence numbers

TARGET is a file, or postgres://USER@HOST:PORT/DATABASE. The password is in the file that PGPASSFILE names, or in PGPASSWORD.

${storeUsage}

A session that a gateway has open, or has left open when it was killed, is not copied, and the exit code is 2: shut the gateway down, or start it once, and
run it again. What is there already is compared, and not written again.
`;

/** Copies the sessions. Rejects if one of the stores cannot be used. The exit code is 2 if there are sessions that were not copied. */
export async function copyCommand(args: readonly string[]): Promise<void> {
  const read = readCommandArguments(args, { usage, least: 1, most: 1 });
  if (!read) return;
  const isForPrograms = read.values['json'] === true;
  const from = storeAddress(read.values);
  const to = parseStoreAddress(read.positionals[0] ?? '');
  if (from.kind === 'memory' || to.kind === 'memory')
    throw new ConfigError('A store in memory is gone with its process: name a file or a database.');
  if (from.kind === 'file' && !existsSync(from.path)) throw new ConfigError(`There is no store ${from.path}.`);
  if (from.name === to.name) throw new ConfigError(`Both stores are ${from.name}. Name another one to copy into.`);
  await using stack = new AsyncDisposableStack();
  stack.defer(keepAlive());
  const copies = copySessions({
    from: await openStoredLog(from, stack),
    to: await openStoredLog(to, stack),
    processes: systemProcesses,
    clock: systemSources.clock,
    ids: systemSources.ids,
  });
  const done: SessionCopy[] = [];
  for await (const copy of copies) {
    done.push(copy);
    if (isForPrograms) printJson(copy);
    else if (copy.result === 'held' || copy.result === 'differs')
      printLine(`${copy.session}: not copied, ${problems[copy.result]}`);
  }
  if (!isForPrograms) printLine(summaryOf(done, to.name));
  if (done.some(({ result }) => result === 'held' || result === 'differs')) process.exitCode = 2;
}

const problems = {
  held: 'because a gateway has it open, or was killed with it',
  differs: 'because the other store has another session of this name',
} as const;

function summaryOf(copies: readonly SessionCopy[], target: string): string {
  const copied = copies.filter(({ result }) => result === 'copied');
  const sum = (field: 'events' | 'blobs') => copied.reduce((total, copy) => total + copy[field], 0);
  const count = (wanted: CopiedSessionResult) => copies.filter(({ result }) => result === wanted).length;
  const parts = [
    `${target} has ${countText(copied.length, 'new session')} with ${countText(sum('events'), 'event')} and ${countText(sum('blobs'), 'file')}`,
    ...(count('present') > 0 ? [`${count('present')} had been copied before`] : []),
    ...(count('held') + count('differs') > 0 ? [`${count('held') + count('differs')} were not copied`] : []),
  ];
  return `${parts.join('; ')}.`;
}

if (import.meta.main) await runAsProgram(copyCommand);
