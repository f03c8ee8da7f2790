// `belay show ID`: what happened to a session, a turn, a call, a sub-agent or a cancel.

import type { SequencedFact } from '../../machines/facts.ts';
import type { StoredSession } from '../adapters/stores/store-reader.ts';
import { type CancelReport, cancelsOf } from '../core/reports/cancel-report.ts';
import { type NodeReport, nodesOf } from '../core/reports/node-report.ts';
import { sessionReport } from '../core/reports/session-report.ts';
import { truncate } from '../core/text/bound-text.ts';
import { printJson, printLine } from '../core/text/print-line.ts';
import { writeOutName } from '../core/text/printable.ts';
import { countText } from '../core/words/count-text.ts';
import { ConfigError } from './config-error.ts';
import { gatewayFlags, gatewayUsage } from './gateway-flags.ts';
import { openReadableStore, type ReadableStore } from './gateway-store.ts';
import { holderState, holderText, readCommandArguments, storeFlags, storeUsage } from './read-store.ts';
import { cancelLines, indent, nodeText, stoppedLines, timeText } from './report-lines.ts';
import { runAsProgram } from './run-as-program.ts';

const usage = `belay show ID         what happened to a session, a turn, a call, a sub-agent or a cancel

${gatewayUsage}
${storeUsage}

With --url alone it asks that gateway, also on another machine: it shows what the speaker of the token may read.
`;

const flags = { ...storeFlags, ...gatewayFlags };

/** The newest cancels and turns of a session that are shown. */
const shownOfEach = 5;
/** Characters of the arguments and of the result of a call that are shown to people. */
const shownChars = 2_000;

/** What a command shows, for people and for programs. */
interface Shown {
  readonly lines: readonly string[];
  readonly json: object;
}

/** Prints what happened. Rejects if the store has nothing of this id. */
export async function showCommand(args: readonly string[]): Promise<void> {
  const read = readCommandArguments(args, { usage, flags, least: 1, most: 1 });
  if (!read) return;
  const [id = ''] = read.positionals;
  const store = await openReadableStore(read.values, { id });
  try {
    const shown = find(store, id);
    if (!shown)
      throw new ConfigError(
        `There is nothing of the id ${id} in this store. belay sessions and belay cancels list ids.`,
      );
    if (read.values['json'] === true) return printJson(shown.json);
    for (const line of shown.lines) printLine(line);
  } finally {
    store.close();
  }
}

function find(store: ReadableStore, id: string): Shown | null {
  const sessions = store.sessions();
  const session = sessions.find((each) => each.session === id);
  if (session) return showSession(store, session);
  const holding = new Set(store.sessionsWith(id));
  for (const each of sessions) {
    if (!holding.has(each.session)) continue;
    const found = showCancel(store, each, id) ?? showNode(store, each, id);
    if (found) return found;
  }
  return null;
}

function showSession(store: ReadableStore, { session, holder }: StoredSession): Shown {
  const facts = [...store.facts(session)];
  const report = sessionReport(session, facts);
  const cancels = cancelsOf(facts).toReversed();
  const turns = [...nodesOf(facts).values()]
    .filter(({ kind, parent }) => kind === 'turn' && parent === null)
    .toReversed();
  const { owner, kind, policy, openedAt, open } = report;
  const isDead = holderState(holder) === 'left';
  const lines = [
    `session ${session}${owner === null ? '' : ` of ${writeOutName(owner)}`} (${kind}, ${policy}): ${holderText(holder)}`,
    `opened ${openedAt === null ? 'never' : timeText(openedAt)}; ${countText(report.turns, 'turn')}, ${countText(report.cancels, 'cancel')}, ${report.refusals} refused, ${countText(report.recoveries, 'recovery', 'recoveries')}, ${countText(report.lastSeq, 'fact')}`,
    ...section(
      `open: ${open.length}`,
      open.map((node) => nodeText(node, isDead)),
    ),
    ...(cancels.length === 0 ? ['cancels: none'] : [`cancels: ${cancels.length}, the newest first`]),
    ...cancels.slice(0, shownOfEach).flatMap((cancel) => cancelLines(session, cancel)),
    ...section(
      `turns: ${turns.length}, the newest first`,
      turns.slice(0, shownOfEach).map((turn) => nodeText(turn, isDead)),
    ),
  ];
  return { lines, json: { ...report, state: holderState(holder), holder, cancelled: cancels } };
}

function showCancel(store: ReadableStore, { session }: StoredSession, id: string): Shown | null {
  const report = cancelsOf(store.facts(session)).find(({ cancel }) => cancel === id);
  if (!report) return null;
  return { lines: [...cancelLines(session, report), ...stoppedLines(report)], json: { session, ...report } };
}

function showNode(store: ReadableStore, { session, holder }: StoredSession, id: string): Shown | null {
  const facts = [...store.facts(session)];
  const nodes = [...nodesOf(facts).values()];
  const node = nodes.find((each) => each.node === id);
  if (!node) return null;
  const isDead = holderState(holder) === 'left';
  const below = nodes.filter(({ parent }) => parent === id);
  const cancels = cancelsOf(facts).filter((cancel) => names(cancel, id));
  const path = pathTo(node, nodes);
  const modelErrors = modelErrorsOf(facts, id);
  const work = workOf(facts, id);
  const lines = [
    `${node.kind} ${nodeText(node, isDead)}`,
    `in ${[session, ...path].join(' > ')}`,
    ...workLines(work, node),
    ...[...modelErrors].map(([index, message]) => `the provider of model call ${index} said: ${message}`),
    ...(cancels.length === 0 ? ['no cancel named it'] : cancels.flatMap((cancel) => cancelLines(session, cancel))),
    ...section(
      `below it: ${below.length}`,
      below.map((each) => nodeText(each, isDead)),
    ),
  ];
  return { lines, json: { session, ...node, below, cancels, modelErrors: Object.fromEntries(modelErrors), ...work } };
}

interface CallWork {
  /** The arguments with which it runs, as a JSON text. */
  readonly arguments?: string;
  readonly output?: string;
  /** Why it failed. */
  readonly message?: string;
  /** The process groups that it has started, by the pids of their leaders. */
  readonly processGroups?: readonly number[];
}

/** Returns what a call was asked, what it has started and what it has returned; nothing of a turn. */
function workOf(facts: readonly SequencedFact[], call: string): CallWork {
  let work: CallWork = {};
  for (const { fact } of facts) {
    if (!('node' in fact) || fact.node !== call) continue;
    if (fact.type === 'tool_call' || fact.type === 'tool_changed') work = { ...work, arguments: fact.arguments };
    else if (fact.type === 'process_started')
      work = { ...work, processGroups: [...(work.processGroups ?? []), fact.group] };
    else if (fact.type === 'tool_result' || fact.type === 'late_result' || fact.type === 'abandoned_ended') {
      const { output, message } = { message: undefined, ...fact };
      work = { ...work, ...(output !== undefined && { output }), ...(message !== undefined && { message }) };
    }
  }
  return work;
}

/** A process that has ended is not shown: another one may have its pid. */
function workLines({ arguments: asked, output = '', message, processGroups = [] }: CallWork, { goneAt }: NodeReport) {
  const returned = output.trimEnd();
  return [
    ...(asked === undefined ? [] : [`asked: ${truncate(asked, shownChars)}`]),
    ...(goneAt === null && processGroups.length > 0 ? [`process groups: ${processGroups.join(', ')}`] : []),
    ...(message === undefined ? [] : [`failed: ${truncate(message, shownChars)}`]),
    ...(returned === '' ? [] : [`returned: ${truncate(returned, shownChars)}`]),
  ];
}

/** Returns the errors of the model calls of a turn that failed, by their indexes: by the provider, if the facts have its words. */
function modelErrorsOf(facts: readonly SequencedFact[], turn: string): ReadonlyMap<number, string> {
  const errors = new Map<number, string>();
  for (const { fact } of facts) {
    if ((fact.type !== 'model_error' && fact.type !== 'model_ended') || fact.turn !== turn) continue;
    const { index, message } = fact;
    if (message !== undefined && !errors.has(index)) errors.set(index, message); // `model_error` is the first of the two
  }
  return errors;
}

const names = ({ target, nodes, ranOn }: CancelReport, id: string): boolean =>
  target === id || [...nodes, ...ranOn].some(({ node }) => node === id);

/** The ids above a node, from its root on. */
function pathTo({ parent }: NodeReport, nodes: readonly NodeReport[]): readonly string[] {
  const above = nodes.find(({ node }) => node === parent);
  return above ? [...pathTo(above, nodes), above.node] : [];
}

const section = (title: string, lines: readonly string[]): readonly string[] => [title, ...lines.map(indent)];

if (import.meta.main) await runAsProgram(showCommand);
