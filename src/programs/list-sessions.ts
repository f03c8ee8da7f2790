// `belay sessions`: the sessions of a store, what is open in each first.

import type { StoredHolder } from '../adapters/stores/store-reader.ts';
import { type SessionReport, sessionReport } from '../core/reports/session-report.ts';
import { printJson, printLine } from '../core/text/print-line.ts';
import { writeOutName } from '../core/text/printable.ts';
import { countText } from '../core/words/count-text.ts';
import { gatewayFlags, gatewayUsage } from './gateway-flags.ts';
import { openReadableStore, type ReadableStore } from './gateway-store.ts';
import {
  type HolderState,
  holderState,
  holderText,
  readCommandArguments,
  storeFlags,
  storeUsage,
} from './read-store.ts';
import { indent, nodeText, timeText } from './report-lines.ts';
import { runAsProgram } from './run-as-program.ts';

const usage = `belay sessions        the sessions of a store: those in which something is open first, then the newest

${gatewayUsage}
${storeUsage}

With --url alone it asks that gateway, also on another machine: it shows what the speaker of the token may read.
`;

const flags = { ...storeFlags, ...gatewayFlags };

interface ListedSession extends SessionReport {
  readonly state: HolderState;
  readonly holder: StoredHolder | null;
}

/** Prints the sessions of the store. Rejects if there is no such store. */
export async function sessionsCommand(args: readonly string[]): Promise<void> {
  const read = readCommandArguments(args, { usage, flags });
  if (!read) return;
  const store = await openReadableStore(read.values);
  try {
    const sessions = listSessions(store);
    if (read.values['json'] === true) return printJson({ sessions });
    const open = sessions.filter(({ open }) => open.length > 0).length;
    printLine(`${countText(sessions.length, 'session')}; in ${open} something is open.`);
    for (const session of sessions) for (const line of linesOf(session)) printLine(line);
  } finally {
    store.close();
  }
}

function listSessions(store: ReadableStore): readonly ListedSession[] {
  const sessions = store.sessions().map(({ session, holder }) => ({
    ...sessionReport(session, store.facts(session)),
    state: holderState(holder),
    holder,
  }));
  const isOpen = ({ open }: SessionReport) => Number(open.length > 0);
  return sessions.sort((a, b) => isOpen(b) - isOpen(a) || (b.lastAt ?? 0) - (a.lastAt ?? 0));
}

function linesOf({
  session,
  owner,
  forkedFrom,
  lastAt,
  turns,
  cancels,
  refusals,
  open,
  holder,
  state,
}: ListedSession): readonly string[] {
  const whose = owner === null ? '' : ` of ${writeOutName(owner)}`;
  const origin = forkedFrom === null ? '' : `, forked from ${forkedFrom.session}`;
  const counts = `${countText(turns, 'turn')}, ${countText(cancels, 'cancel')}, ${refusals} refused`;
  const last = lastAt === null ? '' : `, last ${timeText(lastAt)}`;
  return [
    `${session}${whose}${origin}: ${holderText(holder)}; ${counts}${last}`,
    ...open.map((node) => indent(nodeText(node, state === 'left'))),
  ];
}

if (import.meta.main) await runAsProgram(sessionsCommand);
