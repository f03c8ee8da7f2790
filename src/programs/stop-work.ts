// `belay stop`: stops a session, a node or everything that runs, with the standing of whoever asks, and ends with the receipts.
import { existsSync } from 'node:fs';
import { fieldsOf } from '../core/collections/fields.ts';
import type { NamedNode } from '../core/reports/cancel-report.ts';
import { msSince } from '../core/sources/monotonic-time.ts';
import { keepAlive, systemSources } from '../core/sources/system.ts';
import { printJson, printLine } from '../core/text/print-line.ts';
import { ConfigError } from './config-error.ts';
import { gatewayFlags, gatewayUsage, namesGatewayOnly, readToken, readUrl } from './gateway-flags.ts';
import { type GatewayReply, GatewayRequests, GatewayUnreachable, missingHostsOf } from './gateway-requests.ts';
import { readCommandArguments, storeFlags, storePath, storeUsage } from './read-store.ts';
import { runAsProgram } from './run-as-program.ts';
import {
  type SentStop,
  type StopOptions,
  type StopResult,
  type StopTarget,
  sendStop,
  settleStop,
} from './stop-session.ts';
import { recoveryLine, stopExitCode, stopLines } from './stop-text.ts';
import { isStoreLocked } from './transcript-file.ts';

const usage = `belay stop SESSION|NODE   stops it, and prints its receipt
belay stop --all          stops everything that runs, in every session

  --reason TEXT      for people and for the model
  --force            without a grace: what can be killed is killed now
  --wait SECONDS     for the receipts (60)
${gatewayUsage}
${storeUsage}

It stops what its speaker may stop, like any client: without tokens all of it; with tokens a moderator stops in the sessions that it may join, and an
emergency everywhere. If the gateway of the store is dead, --all ends the processes that it has left, and closes what was open.
Exit codes: 0 everything has stopped, or nothing ran; 1 a CANCEL did not reach its session; 2 something was refused, and runs on; 3 something was
abandoned, or has not settled.
`;

export const stopFlags = {
  ...storeFlags,
  ...gatewayFlags,
  all: { type: 'boolean', default: false },
  reason: { type: 'string' },
  force: { type: 'boolean', default: false },
  wait: { type: 'string', default: '60' },
} as const;

/** Requests that are in flight at once. */
const atOnce = 32;
/** Sessions that are listed by one request: as many as the gateway lists. */
const sessionsOfPage = 1_000;

/** Stops, prints the receipts, and sets the exit code. Rejects if no gateway is reached. */
export async function stopCommand(args: readonly string[]): Promise<void> {
  const read = readCommandArguments(args, { usage, flags: stopFlags, most: 1 });
  if (!read) return;
  const { values, positionals } = read;
  const [id = null] = positionals;
  const { reason, force } = values;
  if ((id === null) !== (values['all'] === true))
    throw new ConfigError(`Name one session or node, or --all.\n\n${usage}`);
  const waitMs = 1_000 * Number(values['wait']);
  if (!(waitMs > 0)) throw new ConfigError(`--wait must be a number of seconds, and is ${values['wait']}.`);
  const isForPrograms = values['json'] === true;
  const { clock, ids } = systemSources;
  const startedAt = clock.elapsed();
  const gateway = new GatewayRequests({ url: readUrl(values), token: readToken(values), waitMs });
  const options: StopOptions = {
    reason: typeof reason === 'string' ? reason : undefined,
    force: force === true,
    idempotencyKey: ids('stop'),
  };
  const release = keepAlive();
  try {
    const results = await stopTargets(gateway, id, options);
    const ms = msSince(clock, startedAt);
    const exitCode = stopExitCode(results);
    if (isForPrograms) printJson({ ms, exitCode, results });
    else for (const line of stopLines(results, ms)) printLine(line);
    process.exitCode = exitCode;
  } catch (error) {
    if (!(error instanceof GatewayUnreachable)) throw error;
    const path = namesGatewayOnly(values) ? null : storePath(values);
    await stopWithoutGateway(error, { path, isAll: id === null, isForPrograms });
  } finally {
    release();
  }
}

/** All CANCELs are sent before the first receipt is awaited. `id` null: everything. */
async function stopTargets(
  gateway: GatewayRequests,
  id: string | null,
  options: StopOptions,
): Promise<readonly StopResult[]> {
  const names = await namesOfRunning(gateway);
  const { targets, missing } =
    id === null ? await awakeSessions(gateway) : { targets: [{ kind: 'session', id } as const], missing: [] };
  const sent = await inParallel(targets, (target) => sendStop(gateway, target, options));
  const [only] = sent;
  const isUnknown = id !== null && only?.result === 'failed' && only.code === 'access_denied';
  const all = isUnknown ? [await stopNode(gateway, id, options)] : sent;
  const stopped = await inParallel(all, async (stop) =>
    stop.result === 'accepted' ? settleStop(gateway, stop, options, names) : stop,
  );
  return [...stopped, ...missing.map(missingHost)];
}

async function stopNode(gateway: GatewayRequests, id: string, options: StopOptions): Promise<SentStop> {
  const stop = await sendStop(gateway, { kind: 'node', id }, options);
  if (stop.result !== 'failed' || stop.code !== 'unknown_target') return stop;
  return { ...stop, message: 'No session and no node of a session that is awake has this id, or you may not stop it.' };
}

/** Returns the result of a host whose sessions are not in the list of what is awake. */
const missingHost = (host: string): StopResult => ({
  id: host,
  result: 'failed',
  code: null,
  message: 'The host did not reply in time, and what runs there was not stopped.',
});

interface AwakeSessions {
  readonly targets: readonly StopTarget[];
  /** The names of the hosts that did not reply in time. */
  readonly missing: readonly string[];
}

/** Returns the sessions that are awake and in which the speaker may stop something: those with turns first. */
async function awakeSessions(gateway: GatewayRequests): Promise<AwakeSessions> {
  const found: { readonly id: string; readonly activeTurns: number }[] = [];
  const missing = new Set<string>();
  const query = { action: 'cancel', state: 'awake', limit: String(sessionsOfPage) };
  for (let after: unknown = null, isFirst = true; isFirst || typeof after === 'string'; isFirst = false) {
    const page = await gateway.send('GET', '/api/sessions', {
      query: { ...query, ...(typeof after === 'string' && { after }) },
    });
    for (const { session, activeTurns } of rowsOf(page, 'sessions'))
      found.push({ id: String(session), activeTurns: Number(activeTurns) });
    for (const host of missingHostsOf(page.body)) missing.add(host);
    after = page.body['next'];
  }
  const targets = found
    .sort((a, b) => b.activeTurns - a.activeTurns)
    .map(({ id }) => ({ kind: 'session', id }) as const);
  return { targets, missing: [...missing] };
}

/** Returns the names and owners of what runs, where the speaker may read it. */
async function namesOfRunning(gateway: GatewayRequests): Promise<ReadonlyMap<string, NamedNode>> {
  const names = new Map<string, NamedNode>();
  for (const { turn, agent, owner, calls } of rowsOf(await gateway.send('GET', '/api/turns/active'), 'turns')) {
    const node = String(turn);
    names.set(node, { node, kind: 'turn', name: typeof agent === 'string' ? agent : 'turn', owner: String(owner) });
    for (const call of Array.isArray(calls) ? calls : []) {
      const { node: id, kind, name, owner: whose } = fieldsOf(call);
      names.set(String(id), {
        node: String(id),
        kind: kind === 'sub-agent' ? kind : 'tool-call',
        name: typeof name === 'string' ? name : null,
        owner: String(whose),
      });
    }
  }
  return names;
}

/** Returns the rows of a list. Throws if the reply is none. */
function rowsOf({ body, message }: GatewayReply, list: string): readonly ReturnType<typeof fieldsOf>[] {
  const rows = body[list];
  if (!Array.isArray(rows)) throw new Error(`What listens there is no gateway of this version: ${message}.`);
  return rows.map(fieldsOf);
}

async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  const queue = [...items.entries()];
  const workOff = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) results[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: atOnce }, workOff));
  return results;
}

interface LeftStore {
  /** The path of the gateway's store; null: none is known. */
  readonly path: string | null;
  readonly isAll: boolean;
  readonly isForPrograms: boolean;
}

/** A gateway that was killed has left processes: whoever opens its store ends them. */
async function stopWithoutGateway(error: Error, { path, isAll, isForPrograms }: LeftStore): Promise<void> {
  if (path === null || !existsSync(path))
    throw new Error(`${error.message} If it is dead, this ends what it has left: belay stop --all --store FILE.`);
  if (isStoreLocked(path))
    throw new Error(`${error.message} A gateway has the store ${path}: name its address with --url.`);
  if (!isAll) throw new Error(`${error.message} It is dead: belay stop --all ends what it has left.`);
  await using stack = new AsyncDisposableStack();
  const { openUnusedStore } = await import('./unused-store.ts');
  const { recovered } = await openUnusedStore(path, stack);
  if (isForPrograms) printJson({ exitCode: 0, results: [], recovered });
  else printLine(`${error.message} ${recoveryLine(path, recovered)}`);
}

if (import.meta.main) await runAsProgram(stopCommand);
