// `belay delete`: deletes a session or a speaker for good: by the gateway if one runs, and directly if none does.
import { existsSync } from 'node:fs';
import { type QuoteRule, quoteRules, type Remains } from '../../machines/vocabulary.ts';
import type { SpeakerDeletionReport } from '../core/session/session-archive.ts';
import { keepAlive } from '../core/sources/system.ts';
import { printJson, printLine } from '../core/text/print-line.ts';
import { ConfigError } from './config-error.ts';
import type { Flags } from './flags.ts';
import { gatewayFlags, gatewayUsage, namesGatewayOnly, readToken, readUrl } from './gateway-flags.ts';
import { GatewayRequests } from './gateway-requests.ts';
import { readCommandArguments, storeFlags, storePath, storeUsage } from './read-store.ts';
import { runAsProgram } from './run-as-program.ts';
import { isStoreLocked } from './transcript-file.ts';
import { openUnusedStore, type UnusedStore } from './unused-store.ts';

const usage = `belay delete SESSION         deletes its transcript with its images, sounds and files, for good
belay delete --speaker NAME  deletes the sessions of a speaker, and what they have said in others, with their name

  --quotes RULE      words of models and tools that may quote the speaker: own removes those of the speaker's turns and the summaries of them (the
                     default), all also those of later turns of others, keep none. The report names each
${gatewayUsage}
${storeUsage}

If a gateway runs on the store, or --url alone names one, it deletes: a session for its owner, and for moderators in it; a speaker for themselves,
and without tokens for everybody. If none does, the file is enough; what a dead gateway has left is recovered first. A session in which something runs
is not deleted: belay stop SESSION. What the speaker has running is stopped first; where others go on, the exit code is 2: run it again.
`;

export const deleteFlags = {
  ...storeFlags,
  ...gatewayFlags,
  speaker: { type: 'string' },
  quotes: { type: 'string', default: 'own' },
} as const;

/** Deletes the session or the speaker. Rejects if there is no such session, or something runs in it. */
export async function deleteCommand(args: readonly string[]): Promise<void> {
  const read = readCommandArguments(args, { usage, flags: deleteFlags, most: 1 });
  if (!read) return;
  const { values, positionals } = read;
  const [session] = positionals;
  const { speaker } = values;
  if (typeof speaker === 'string' && session === undefined)
    return printSpeaker(await deleteBy(values, speakerDeletion(speaker, quotesOf(values))), values['json'] === true);
  if (session === undefined || speaker !== undefined)
    throw new ConfigError(`Name one session, or a speaker with --speaker.\n\n${usage}`);
  const remains = await deleteBy(values, sessionDeletion(session));
  if (values['json'] === true) printJson({ session, deleted: true, remains });
  else printLine(`The session ${session} is deleted.${remainsText(remains)}`);
}

/** A deletion, by a gateway or by this process. */
interface DeletionWay<Report> {
  byGateway(gateway: GatewayRequests): Promise<Report>;
  inFile(store: UnusedStore): Promise<Report>;
}

async function deleteBy<Report>(values: Flags['values'], way: DeletionWay<Report>): Promise<Report> {
  const path = namesGatewayOnly(values) ? null : storePath(values);
  if (path === null || !existsSync(path) || isStoreLocked(path))
    return way.byGateway(new GatewayRequests({ url: readUrl(values), token: readToken(values) }));
  await using stack = new AsyncDisposableStack();
  stack.defer(keepAlive());
  return await way.inFile(await openUnusedStore(path, stack)); // before the store is closed
}

const sessionDeletion = (session: string): DeletionWay<Remains> => ({
  async byGateway(gateway) {
    const { status, message, body } = await gateway.send('DELETE', `/api/sessions/${encodeURIComponent(session)}`);
    if (status === 404) throw unknownSession(session);
    if (status >= 300) throw new Error(`The gateway did not delete ${session}: ${message}`);
    return status === 200 ? (body['remains'] as Remains) : 'nothing'; // as its schema says
  },
  async inFile({ runtime }) {
    if (!(await runtime.deleteSession(session, null))) throw unknownSession(session);
    return (await runtime.deletions()).purge();
  },
});

const speakerDeletion = (speaker: string, quotes: QuoteRule): DeletionWay<SpeakerDeletionReport> => ({
  async byGateway(gateway) {
    const path = `/api/speakers/${encodeURIComponent(speaker)}`;
    const { status, message, body } = await gateway.send('DELETE', path, { query: { quotes } });
    if (status !== 200) throw new Error(`The gateway did not delete the speaker ${speaker}: ${message}`);
    return body as unknown as SpeakerDeletionReport; // as its schema says
  },
  async inFile({ runtime }) {
    return (await runtime.deletions()).deleteSpeaker(speaker, null, quotes);
  },
});

function quotesOf({ quotes: given }: Flags['values']): QuoteRule {
  const quotes = quoteRules.find((rule) => rule === given);
  if (quotes === undefined) throw new ConfigError(`--quotes must be one of ${quoteRules.join(', ')}, and is ${given}.`);
  return quotes;
}

function printSpeaker(report: SpeakerDeletionReport, isForPrograms: boolean): void {
  const { pseudonym, deleted, redacted, quotes, left, named, remains } = report;
  if (left.length > 0) process.exitCode = 2;
  if (isForPrograms) return printJson(report);
  printLine(`The speaker is deleted, and is ${pseudonym} in what stays.${remainsText(remains)}`);
  for (const session of deleted) printLine(`  deleted    ${session}`);
  for (const { session, facts } of redacted) printLine(`  redacted   ${session}: ${facts} facts`);
  for (const { session, seq, type, turn, became } of quotes)
    printLine(
      `  ${became.padEnd(9)}  ${session} #${seq} ${type}${turn === null ? '' : ` of ${turn}`}: it may quote them`,
    );
  for (const session of named) printLine(`  ITS ID     ${session} has the name in it, and keeps it`);
  for (const session of left)
    printLine(`  NOT YET    ${session}: something runs there. Run this again, or start the gateway again`);
}

const remainsText = (remains: Remains): string =>
  ({
    nothing: '',
    until_read: ' Its words may remain in the file until a reader of it has ended: they are removed then.',
    until_rewritten: ' Its words may remain in the file until it can be rewritten: at the latest by the next start.',
  })[remains];

const unknownSession = (session: string) => new ConfigError(`There is no session ${session}.`);

if (import.meta.main) await runAsProgram(deleteCommand);
