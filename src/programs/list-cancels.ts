// `belay cancels`: who stopped what, when, how long it took, what was refused, what ran on. The newest first.

import { type CancelReport, cancelsOf } from '../core/reports/cancel-report.ts';
import { printJson, printLine } from '../core/text/print-line.ts';
import { countText } from '../core/words/count-text.ts';
import { ConfigError } from './config-error.ts';
import { gatewayFlags, gatewayUsage } from './gateway-flags.ts';
import { openReadableStore, type ReadableStore } from './gateway-store.ts';
import { readCommandArguments, storeFlags, storeUsage } from './read-store.ts';
import { cancelLines } from './report-lines.ts';
import { runAsProgram } from './run-as-program.ts';

const usage = `belay cancels [SESSION]   who stopped what, when, how long it took, what was refused, what ran on; the newest first

  --limit N          how many (20); 0: all
${gatewayUsage}
${storeUsage}

With --url alone it asks that gateway, also on another machine: it shows what the speaker of the token may read.
`;

const flags = { ...storeFlags, ...gatewayFlags, limit: { type: 'string', default: '20' } } as const;

export interface ListedCancel extends CancelReport {
  readonly session: string;
}

/** Prints the cancels of the store, or of one session. Rejects if there is no such store or session. */
export async function cancelsCommand(args: readonly string[]): Promise<void> {
  const read = readCommandArguments(args, { usage, flags, most: 1 });
  if (!read) return;
  const { values, positionals } = read;
  const limit = Number(values['limit']);
  if (!Number.isSafeInteger(limit) || limit < 0)
    throw new ConfigError(`--limit must be a whole number, and is ${values['limit']}.`);
  const store = await openReadableStore(values, { id: positionals[0] });
  try {
    const all = listCancels(store, positionals[0]);
    const shown = limit === 0 ? all : all.slice(0, limit);
    if (values['json'] === true) return printJson({ cancels: shown });
    for (const cancel of shown) for (const line of cancelLines(cancel.session, cancel)) printLine(line);
    printLine(`${shown.length} of ${countText(all.length, 'cancel')}. What became of each node: belay show ID`);
  } finally {
    store.close();
  }
}

/** Returns the cancels of a store, or of one session of it: the newest first. Throws `ConfigError` if there is no such session. */
export function listCancels(store: ReadableStore, named?: string): readonly ListedCancel[] {
  const sessions = store.sessions().map(({ session }) => session);
  if (named !== undefined && !sessions.includes(named))
    throw new ConfigError(`There is no session ${named} in this store.`);
  return sessions
    .filter((session) => named === undefined || session === named)
    .flatMap((session) => cancelsOf(store.facts(session)).map((cancel) => ({ session, ...cancel })))
    .sort((a, b) => b.at - a.at || b.seq - a.seq);
}

if (import.meta.main) await runAsProgram(cancelsCommand);
