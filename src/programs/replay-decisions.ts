// `belay replay-decisions`: judges again who might stop what, from the transcripts alone, and says where the verdict differs from the recorded one.
import { replayDecision } from '../../machines/decision-replay.ts';
import type { CancelDecided, SequencedFact } from '../../machines/facts.ts';
import { printJson, printLine } from '../core/text/print-line.ts';
import { countText } from '../core/words/count-text.ts';
import { ConfigError } from './config-error.ts';
import { openStore, readCommandArguments, storeFlags, storeUsage } from './read-store.ts';
import { failedCode, runAsProgram } from './run-as-program.ts';

const usage = `belay replay-decisions  judges every recorded decision on who may stop what again, from its record alone

  --session NAME     this session alone
${storeUsage}

A line for each verdict that differs from the recorded one, then one with the counts. Exit codes: 0 all are equal, 1 one differs.
`;

const flags = { ...storeFlags, session: { type: 'string' } } as const;

/** The decisions of some sessions, counted. */
export interface ReplayCount {
  decisions: number;
  equal: number;
  /** Decisions with a verdict that differs from the recorded one. */
  differing: number;
  /** Decisions of a rule of the embedder, which is not in the transcript. */
  unknown: number;
}

/** Replays the decisions of the store, and sets the exit code. Rejects if there is no such store. */
export async function replayDecisionsCommand(args: readonly string[]): Promise<void> {
  const read = readCommandArguments(args, { usage, flags });
  if (!read) return;
  const { session: named, json } = read.values;
  const store = openStore(read.values);
  try {
    const stored = store.sessions().map(({ session }) => session);
    if (typeof named === 'string' && !stored.includes(named))
      throw new ConfigError(`There is no session ${named} in this store.`);
    const sessions = typeof named === 'string' ? [named] : stored;
    const count: ReplayCount = { decisions: 0, equal: 0, differing: 0, unknown: 0 };
    const lines: string[] = [];
    for (const session of sessions) replaySession(session, store.facts(session), count, (line) => lines.push(line));
    if (count.differing > 0) process.exitCode = failedCode;
    if (json === true) return printJson({ ...count, sessions: sessions.length, lines });
    for (const line of lines) printLine(line);
    const { decisions, equal, differing, unknown } = count;
    printLine(
      `${countText(decisions, 'decision')} in ${countText(sessions.length, 'session')}: ${equal} equal, ${differing} differ, ${unknown} by a rule of the embedder.`,
    );
  } finally {
    store.close();
  }
}

/** Adds the decisions of a session to the count, and prints a line for each verdict that differs. */
export function replaySession(
  session: string,
  facts: Iterable<SequencedFact>,
  count: ReplayCount,
  print: (line: string) => void,
): void {
  for (const { seq, fact } of facts) if (fact.type === 'cancel_decided') replay(fact, seq);

  function replay(decided: CancelDecided, seq: number): void {
    const differences = replayDecision(decided);
    count.decisions += 1;
    if (differences === null) count.unknown += 1;
    else if (differences.length === 0) count.equal += 1;
    else count.differing += 1;
    for (const { recorded, now } of differences ?? [])
      print(`${session} ${seq}: ${decided.by} over ${recorded.node}: recorded ${textOf(recorded)}, now ${textOf(now)}`);
  }
}

const textOf = ({ may, because }: { readonly may: boolean; readonly because: string }): string =>
  `${may ? 'may' : 'may not'} (${because})`;

if (import.meta.main) await runAsProgram(replayDecisionsCommand);
