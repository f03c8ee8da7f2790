// `belay delete SESSION`: deletes a session for good: by its gateway if one runs, and directly if none does.
import { existsSync } from 'node:fs';
import { noUsage } from '../../machines/vocabulary.ts';
import { fieldsOf } from '../collections/untrusted-fields.ts';
import type { Provider } from '../model/provider.ts';
import { createRuntime } from '../runtime/runtime.ts';
import { keepAlive } from '../sources/system.ts';
import { printJson, printLine } from '../text/print-line.ts';
import { ConfigError } from './config-error.ts';
import type { Flags } from './flags.ts';
import { gatewayFlags, gatewayUsage, httpAddress, tokenOf } from './gateway-flags.ts';
import { readArguments, storeFlags, storePath, storeUsage } from './read-store.ts';
import { runAsProgram } from './run-as-program.ts';
import { openStoredLog } from './runtime-parts.ts';
import { isStoreLocked, lockStore } from './transcript-file.ts';

const usage = `belay delete SESSION  deletes its transcript with its images, sounds and files, for good

${gatewayUsage}
${storeUsage}

If a gateway runs on the store, it deletes the session: for its owner, and for moderators in it. If none does, the file is enough; what a dead gateway has left
is recovered first. A session in which something runs is not deleted: belay stop SESSION.
`;

const flags = { ...storeFlags, ...gatewayFlags };

/** Deletes the session. Rejects if there is none, or something runs in it. */
export async function deleteCommand(args: readonly string[]): Promise<void> {
  const read = readArguments(args, { usage, flags, least: 1, most: 1 });
  if (!read) return;
  const { values, positionals } = read;
  const [session = ''] = positionals;
  const path = storePath(values);
  if (path !== null && existsSync(path) && !isStoreLocked(path)) await deleteFromFile(session, path);
  else await deleteByGateway(session, values);
  if (values['json'] === true) printJson({ session, deleted: true });
  else printLine(`The session ${session} is deleted.`);
}

/** Nothing is said in a runtime that only deletes. */
const noModel: Provider = {
  name: 'none',
  stream: async () => ({ kind: 'failed', code: 'model_unreachable', message: 'There is no model.', usage: noUsage }),
};

async function deleteFromFile(session: string, path: string): Promise<void> {
  await using stack = new AsyncDisposableStack();
  stack.defer(keepAlive());
  lockStore(path, stack);
  const log = await openStoredLog(path, stack);
  const runtime = await createRuntime({ log, provider: noModel });
  stack.defer(() => runtime.close());
  if (!(await runtime.deleteSession(session, null))) throw unknownSession(session);
}

async function deleteByGateway(session: string, values: Flags['values']): Promise<void> {
  const token = tokenOf(values);
  const address = httpAddress(values, `/api/sessions/${encodeURIComponent(session)}`);
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(address, { method: 'DELETE', headers }).catch((error: unknown) => {
    throw new Error(
      `No gateway can be reached at ${values['url']}, and its store cannot be opened here. Another one: --url URL.`,
      { cause: error },
    );
  });
  if (response.ok) return;
  if (response.status === 404) throw unknownSession(session);
  const { detail, title } = fieldsOf(await response.json().catch(() => null));
  throw new Error(`The gateway did not delete ${session}: ${detail ?? title ?? `HTTP ${response.status}`}`);
}

const unknownSession = (session: string) => new ConfigError(`There is no session ${session}.`);

if (import.meta.main) await runAsProgram(deleteCommand);
