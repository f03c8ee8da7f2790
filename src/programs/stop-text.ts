// The lines and the exit code of `belay stop`.
import type { Recovered } from '../core/session/session-spec.ts';
import { countText } from '../core/words/count-text.ts';
import { durationText } from '../core/words/durations.ts';
import { ranOn, refusalText } from '../core/words/receipt-words.ts';
import { cancelLines, indent, stoppedLines } from './report-lines.ts';
import type { StopResult } from './stop-session.ts';

const isAbandoned = (result: StopResult): boolean =>
  result.result === 'stopping' ||
  (result.result === 'stopped' && result.report.nodes.some(({ end }) => end !== null && ranOn(end.outcome)));
const isRefused = (result: StopResult): boolean =>
  result.result === 'refused' || ('report' in result && result.report.ranOn.some(({ why }) => why === 'refused'));

/** Returns the exit code: the gravest of all results. */
export function stopExitCode(results: readonly StopResult[]): number {
  if (results.some(isAbandoned)) return 3;
  if (results.some(isRefused)) return 2;
  return results.some(({ result }) => result === 'failed') ? 1 : 0;
}

/** Formats the results: the sum of all first, then what did not stop, then the rest. `ms`: how long the command took. */
export function stopLines(results: readonly StopResult[], ms: number): readonly string[] {
  const reports = results.flatMap((result) => ('report' in result ? [result] : []));
  const ends = reports.flatMap(({ report }) => report.nodes).filter(({ end }) => end !== null && !ranOn(end.outcome));
  const count = (of: (result: StopResult) => boolean) => results.filter(of).length;
  const isFailed = ({ result }: StopResult) => result === 'failed';
  const isQuiet = ({ result }: StopResult) => result === 'nothing_runs';
  const isBad = (result: StopResult) => isAbandoned(result) || isRefused(result);
  return [
    `${countText(ends.length, 'node')} stopped in ${countText(reports.length, 'session')}, within ${durationText(ms)}. Refused in ${count(isRefused)}, abandoned or not settled in ${count(isAbandoned)}, not reached ${count(isFailed)}; nothing ran in ${count(isQuiet)}.`,
    ...results.flatMap((result) => failureLines(result)),
    ...reports
      .toSorted((a, b) => Number(isBad(b)) - Number(isBad(a)))
      .flatMap(({ session, report }) => [...cancelLines(session, report), ...stoppedLines(report)]),
    ...results.filter(isQuiet).map(({ id }) => indent(`${id}: nothing runs`)),
  ];
}

function failureLines(result: StopResult): readonly string[] {
  if (result.result === 'failed') return [`NOT REACHED  ${result.id}: ${result.message}`];
  if (result.result !== 'refused') return [];
  const { id, message, refused } = result;
  return [
    `REFUSED  ${id}: ${message}`,
    ...refused.map(({ node, reason }) => indent(`RAN ON  ${node}: ${refusalText(reason, null)} (${reason})`)),
  ];
}

/** Formats what was done with a store whose gateway is dead. */
export function recoveryLine(path: string, { sessions, turns, processes }: Recovered): string {
  if (sessions + processes === 0) return `Nothing was open in the store ${path}.`;
  const counts = `recovered ${countText(sessions, 'session')}, closed ${countText(turns, 'turn')}, ended ${countText(processes, 'process', 'processes')}`;
  return `In the store ${path}: ${counts}.`;
}
