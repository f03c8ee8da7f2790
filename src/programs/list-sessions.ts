// `belay sessions`: the sessions of a store, what is open in each first.

import { causeSources, outcomeKinds } from '../../machines/vocabulary.ts';
import type { StoredHolder } from '../adapters/stores/store-reader.ts';
import type { TurnSearch } from '../core/contracts/session-search.ts';
import type { NodeReport } from '../core/reports/node-report.ts';
import { findRuns } from '../core/reports/past-runs.ts';
import { type SessionReport, sessionReport } from '../core/reports/session-report.ts';
import { systemSources } from '../core/sources/system.ts';
import { printJson, printLine } from '../core/text/print-line.ts';
import { writeOutName } from '../core/text/printable.ts';
import { searchWords } from '../core/text/search-words.ts';
import { countText } from '../core/words/count-text.ts';
import { missingHostsText } from '../core/words/missing-hosts.ts';
import { ConfigError } from './config-error.ts';
import type { Flags } from './flags.ts';
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

Only those with a turn that is all of this, and these turns:
  --state STATE      how it ended: completed, cancelled, failed …; open: it has not
  --speaker NAME     whose it is
  --tool NAME        a tool or an agent that was called in it
  --cause SOURCE     why it, or something in it, was stopped: client, http, deadline …
  --since TIME       opened from then on: 30m, 12h, 7d ago, or 2026-11-22
  --until TIME       opened before then
  --words WORDS      a message of it, or the title of the session, has all of them

${gatewayUsage}
${storeUsage}

With --url alone it asks that gateway, also on another machine: it shows what the speaker of the token may read.
`;

const filterFlags = {
  state: { type: 'string' },
  speaker: { type: 'string' },
  tool: { type: 'string' },
  cause: { type: 'string' },
  since: { type: 'string' },
  until: { type: 'string' },
  words: { type: 'string' },
} as const;
const flags = { ...storeFlags, ...gatewayFlags, ...filterFlags };
const unitMs = new Map([
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

interface ListedSession extends SessionReport {
  readonly state: HolderState;
  readonly holder: StoredHolder | null;
  /** The turns that were asked for; null: none were. */
  readonly runs: readonly NodeReport[] | null;
}

/** Prints the sessions of the store. Rejects if there is no such store. */
export async function sessionsCommand(args: readonly string[]): Promise<void> {
  const read = readCommandArguments(args, { usage, flags });
  if (!read) return;
  const filter = filterOf(read.values);
  const store = await openReadableStore(read.values, { search: filter });
  try {
    const sessions = listSessions(store, filter);
    const { missing = [] } = store;
    if (read.values['json'] === true) return printJson({ sessions, missing });
    const open = sessions.filter(({ open }) => open.length > 0).length;
    printLine(`${countText(sessions.length, 'session')}; in ${open} something is open.`);
    for (const session of sessions) for (const line of linesOf(session)) printLine(line);
    const missingHosts = missingHostsText(missing);
    if (missingHosts !== null) printLine(missingHosts);
  } finally {
    store.close();
  }
}

/** Returns what the flags ask for; null: all sessions. Throws `ConfigError` if one has a wrong value. */
function filterOf(values: Flags['values']): TurnSearch | null {
  const { state, speaker, tool, cause, since, until, words } = values;
  if (Object.keys(filterFlags).every((flag) => values[flag] === undefined)) return null;
  return {
    outcome: oneOf('state', [...outcomeKinds, 'open'] as const, state),
    speaker: speaker === undefined ? undefined : String(speaker),
    tool: tool === undefined ? undefined : String(tool),
    cause: oneOf('cause', causeSources, cause),
    since: timeOf('since', since),
    until: timeOf('until', until),
    words: wordsOf(words),
  };
}

function oneOf<Word extends string>(flag: string, words: readonly Word[], given: unknown): Word | undefined {
  const found = words.find((word) => word === given);
  if (found === undefined && given !== undefined)
    throw new ConfigError(`--${flag} must be one of ${words.join(', ')}, and is ${given}.`);
  return found;
}

function timeOf(flag: string, given: unknown): number | undefined {
  if (given === undefined) return undefined;
  const [, count, unit = ''] = /^(\d+)([mhd])$/.exec(String(given)) ?? [];
  const ms = unitMs.get(unit);
  const time = ms === undefined ? Date.parse(String(given)) : systemSources.clock.now() - Number(count) * ms;
  if (Number.isNaN(time)) throw new ConfigError(`--${flag} must be like 30m, 12h, 7d or 2026-11-22, and is ${given}.`);
  return time;
}

function wordsOf(given: unknown): readonly string[] | undefined {
  if (given === undefined) return undefined;
  const words = searchWords(String(given));
  if (words.length === 0) throw new ConfigError(`--words must have a letter or a digit, and is "${given}".`);
  return words;
}

function listSessions(store: ReadableStore, filter: TurnSearch | null): readonly ListedSession[] {
  const sessions = store.sessions().flatMap(({ session, holder }) => {
    const facts = [...store.facts(session)];
    const runs = filter && findRuns(facts, filter);
    return runs?.length === 0 ? [] : [{ ...sessionReport(session, facts), state: holderState(holder), holder, runs }];
  });
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
  runs,
}: ListedSession): readonly string[] {
  const whose = owner === null ? '' : ` of ${writeOutName(owner)}`;
  const origin = forkedFrom === null ? '' : `, forked from ${forkedFrom.session}`;
  const counts = `${countText(turns, 'turn')}, ${countText(cancels, 'cancel')}, ${refusals} refused`;
  const last = lastAt === null ? '' : `, last ${timeText(lastAt)}`;
  return [
    `${session}${whose}${origin}: ${holderText(holder)}; ${counts}${last}`,
    ...(runs ?? open).map((node) => indent(nodeText(node, state === 'left'))),
  ];
}

if (import.meta.main) await runAsProgram(sessionsCommand);
