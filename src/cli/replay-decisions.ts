// `belay replay-decisions`: judges again who might stop what, from the transcripts alone, and says where the verdict differs from the recorded one.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { replayDecision } from '../../machines/decision.ts';
import type { CancelDecided } from '../../machines/facts.ts';
import { factOf, readLogPages } from '../session/read-log.ts';
import { keepAlive } from '../sources/system.ts';
import { printLine } from '../text/print-line.ts';
import type { Log } from '../transcript/log.ts';
import { configFrom } from './config.ts';
import { ConfigError } from './config-error.ts';
import { readFlags } from './flags.ts';
import { failedCode, runAsProgram } from './run-as-program.ts';
import { openStoredLog } from './runtime-parts.ts';

const usage = `belay replay-decisions  judges every recorded decision on who may stop what again, from its record alone

  --store FILE       the SQLite file of the transcripts; a gateway may be running on it
  --session NAME     this session alone
  --config FILE      and the environment: as for belay serve
  --help

A line for each verdict that differs from the recorded one, then one with the counts. Exit codes: 0 all are equal, 1 one differs.
`;

const flags = {
  store: { type: 'string' },
  session: { type: 'string' },
  config: { type: 'string' },
  help: { type: 'boolean' },
} as const;

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
  const { values } = readFlags(args, flags);
  if (values['help']) return void process.stdout.write(usage);
  const { store } = configFrom({ store: values['store'], config: values['config'] }, process.env);
  const path = resolve(store);
  if (store === 'memory' || !existsSync(path))
    throw new ConfigError(
      `There is no store ${store === 'memory' ? 'in memory to read' : path}. Another one: --store <file>.`,
    );
  await using stack = new AsyncDisposableStack();
  stack.defer(keepAlive());
  const log = await openStoredLog(path, stack);
  const named = values['session'];
  const sessions = typeof named === 'string' ? [named] : await sessionsOf(log);
  const count: ReplayCount = { decisions: 0, equal: 0, differing: 0, unknown: 0 };
  for (const session of sessions) await replaySession(log, session, count, printLine);
  const { decisions, equal, differing, unknown } = count;
  printLine(
    `${decisions} decisions in ${sessions.length} sessions: ${equal} equal, ${differing} differ, ${unknown} by a rule of the embedder.`,
  );
  if (differing > 0) process.exitCode = failedCode;
}

const pageSize = 1_000;

async function sessionsOf(log: Log): Promise<readonly string[]> {
  const all: string[] = [];
  for (;;) {
    const page = (await log.listSessions?.(all.at(-1) ?? null, pageSize)) ?? [];
    all.push(...page);
    if (page.length < pageSize) return all;
  }
}

/** Adds the decisions of a session to the count, and prints a line for each verdict that differs. */
export async function replaySession(
  log: Log,
  session: string,
  count: ReplayCount,
  print: (line: string) => void,
): Promise<void> {
  for await (const page of readLogPages(log, session))
    for (const { seq, fact } of page.map(factOf)) if (fact.type === 'cancel_decided') replay(fact, seq);

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
