// `belay stop`: stops a session, a node or everything that runs, with the standing of whoever asks, and ends with the receipts.
import { type Client, connect } from '../client/client.ts';
import { ConnectionClosed } from '../client/errors.ts';
import { openSocket } from '../client/open-socket.ts';
import { systemSources } from '../sources/system.ts';
import { printJson, printLine } from '../text/print-line.ts';
import { ConfigError } from './config-error.ts';
import { gatewayFlags, gatewayUsage, tokenOf } from './gateway-flags.ts';
import { durationText } from './outcome-text.ts';
import { readArguments, storeFlags, storePath, storeUsage } from './read-store.ts';
import { cancelLines, indent, stoppedLines } from './report-lines.ts';
import { runAsProgram } from './run-as-program.ts';
import { type StopResult, stopTarget } from './stop-session.ts';
import { findStopTargets } from './stop-targets.ts';

const usage = `belay stop SESSION|NODE   stops it, and prints its receipt
belay stop --all          stops everything that runs, in every session

  --reason TEXT      for people and for the model
  --force            without a grace: what can be killed is killed now
  --wait SECONDS     for the receipts (60)
  --session NAME     of the node, where no store says it
${gatewayUsage}
${storeUsage}

It stops what its speaker may stop, like any client: without tokens all of it; with tokens a moderator stops in the sessions that it may join, and an
emergency everywhere. Exit codes: 0 everything has stopped, or nothing ran; 1 a CANCEL did not reach its session; 2 something was refused, and runs on;
3 something was abandoned, or has not settled.
`;

export const stopFlags = {
  ...storeFlags,
  ...gatewayFlags,
  all: { type: 'boolean', default: false },
  reason: { type: 'string' },
  force: { type: 'boolean', default: false },
  wait: { type: 'string', default: '60' },
  session: { type: 'string' },
} as const;

/** CANCELs that are under way at once: a connection may join so many sessions. */
const atOnce = 16;

/** Stops, prints the receipts, and sets the exit code. Rejects if there is no gateway, or nothing of that id. */
export async function stopCommand(args: readonly string[]): Promise<void> {
  const read = readArguments(args, { usage, flags: stopFlags, most: 1 });
  if (!read) return;
  const { values, positionals } = read;
  const [id = null] = positionals;
  const { session, reason, force } = values;
  if ((id === null) !== (values['all'] === true))
    throw new ConfigError(`Name one session or node, or --all.\n\n${usage}`);
  const waitMs = 1_000 * Number(values['wait']);
  if (!(waitMs > 0)) throw new ConfigError(`--wait must be a number of seconds, and is ${values['wait']}.`);
  const store = storePath(values);
  const targets = findStopTargets({ id, session: typeof session === 'string' ? session : undefined, store });
  const startedAt = systemSources.clock.now();
  const { client, socket } = await connectToStop(String(values['url']), tokenOf(values));
  const { promise: timeIsUp, resolve } = Promise.withResolvers<'late'>();
  const disarm = systemSources.clock.after(waitMs, () => resolve('late'));
  const options = { reason: typeof reason === 'string' ? reason : undefined, force: force === true };
  const results: StopResult[] = [];
  const queue = [...targets];
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift())
      results.push(await stopTarget({ client, socket: socket(), timeIsUp }, next, options));
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  disarm();
  await client.close();
  const exitCode = exitCodeOf(results);
  const ms = systemSources.clock.now() - startedAt;
  if (values['json'] === true) printJson({ ms, exitCode, results });
  else for (const line of linesOf(results, ms)) printLine(line);
  process.exitCode = exitCode;
}

async function connectToStop(
  url: string,
  token: string | undefined,
): Promise<{ client: Client; socket: () => WebSocket }> {
  let socket: WebSocket | null = null;
  const createSocket: typeof openSocket = (address, protocol) => {
    const opened = openSocket(address, protocol);
    socket = opened as unknown as WebSocket; // the platform's
    return opened;
  };
  try {
    const client = await connect({ url, token, reconnect: false, createSocket });
    return { client, socket: () => socket as WebSocket }; // the client has connected by it
  } catch (error) {
    if (!(error instanceof ConnectionClosed) || error.reason !== null) throw error;
    throw new Error(`${error.message} No gateway runs there: nothing can be running under it.`, { cause: error });
  }
}

const isAbandoned = (result: StopResult): boolean =>
  result.result === 'stopping' ||
  (result.result === 'stopped' && result.report.nodes.some(({ end }) => end?.outcome === 'abandoned'));
const isRefused = (result: StopResult): boolean =>
  result.result === 'refused' || ('report' in result && result.report.ranOn.some(({ why }) => why === 'refused'));

/** Returns the exit code: the gravest of all results. */
function exitCodeOf(results: readonly StopResult[]): number {
  if (results.some(isAbandoned)) return 3;
  if (results.some(isRefused)) return 2;
  return results.some(({ result }) => result === 'failed') ? 1 : 0;
}

/** The sum of all first, then what did not stop, then the rest. */
function linesOf(results: readonly StopResult[], ms: number): readonly string[] {
  const reports = results.flatMap((result) => ('report' in result ? [result] : []));
  const ends = reports
    .flatMap(({ report }) => report.nodes)
    .filter(({ end }) => end !== null && end.outcome !== 'abandoned');
  const count = (of: (result: StopResult) => boolean) => results.filter(of).length;
  const failed = results.flatMap((result) => (result.result === 'failed' ? [result] : []));
  const quiet = count(({ result }) => result === 'nothing_runs');
  const isBad = (result: StopResult) => isAbandoned(result) || isRefused(result);
  return [
    `${ends.length} nodes stopped in ${reports.length} sessions, within ${durationText(ms)}. Refused in ${count(isRefused)}, abandoned or not settled in ${count(isAbandoned)}, not reached ${failed.length}; nothing ran in ${quiet}.`,
    ...failed.map(({ session, message }) => `NOT REACHED  ${session}: ${message}`),
    ...reports
      .toSorted((a, b) => Number(isBad(b)) - Number(isBad(a)))
      .flatMap(({ session, report }) => [...cancelLines(session, report), ...stoppedLines(report)]),
    ...results.flatMap(({ session, result }) =>
      result === 'nothing_runs' ? [indent(`${session}: nothing runs`)] : [],
    ),
  ];
}

if (import.meta.main) await runAsProgram(stopCommand);
