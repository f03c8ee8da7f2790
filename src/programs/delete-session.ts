// `belay delete SESSION`: deletes a session for good: by its gateway if one runs, and directly if none does.
import { existsSync } from 'node:fs';
import { keepAlive } from '../core/sources/system.ts';
import { printJson, printLine } from '../core/text/print-line.ts';
import { ConfigError } from './config-error.ts';
import type { Flags } from './flags.ts';
import { gatewayFlags, gatewayUsage, namesGatewayOnly, readToken, readUrl } from './gateway-flags.ts';
import { GatewayRequests } from './gateway-requests.ts';
import { readCommandArguments, storeFlags, storePath, storeUsage } from './read-store.ts';
import { runAsProgram } from './run-as-program.ts';
import { isStoreLocked } from './transcript-file.ts';
import { openUnusedStore } from './unused-store.ts';

const usage = `belay delete SESSION  deletes its transcript with its images, sounds and files, for good

${gatewayUsage}
${storeUsage}

If a gateway runs on the store, or --url alone names one, it deletes the session: for its owner, and for moderators in it. If none does, the file is
enough; what a dead gateway has left is recovered first. A session in which something runs is not deleted: belay stop SESSION.
`;

const flags = { ...storeFlags, ...gatewayFlags };

/** Deletes the session. Rejects if there is none, or something runs in it. */
export async function deleteCommand(args: readonly string[]): Promise<void> {
  const read = readCommandArguments(args, { usage, flags, least: 1, most: 1 });
  if (!read) return;
  const { values, positionals } = read;
  const [session = ''] = positionals;
  const path = namesGatewayOnly(values) ? null : storePath(values);
  if (path !== null && existsSync(path) && !isStoreLocked(path)) await deleteFromFile(session, path);
  else await deleteByGateway(session, values);
  if (values['json'] === true) printJson({ session, deleted: true });
  else printLine(`The session ${session} is deleted.`);
}

async function deleteFromFile(session: string, path: string): Promise<void> {
  await using stack = new AsyncDisposableStack();
  stack.defer(keepAlive());
  const { runtime } = await openUnusedStore(path, stack);
  if (!(await runtime.deleteSession(session, null))) throw unknownSession(session);
}

async function deleteByGateway(session: string, values: Flags['values']): Promise<void> {
  const gateway = new GatewayRequests({ url: readUrl(values), token: readToken(values) });
  const { status, message } = await gateway.send('DELETE', `/api/sessions/${encodeURIComponent(session)}`);
  if (status === 404) throw unknownSession(session);
  if (status >= 300) throw new Error(`The gateway did not delete ${session}: ${message}`);
}

const unknownSession = (session: string) => new ConfigError(`There is no session ${session}.`);

if (import.meta.main) await runAsProgram(deleteCommand);
