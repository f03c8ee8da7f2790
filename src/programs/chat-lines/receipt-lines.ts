// The receipt of a stop: how long it took, and a tree of what it has stopped, what runs on and why, and what had not started.
import {
  depthOf,
  findCall,
  findNode,
  findTurn,
  findWords,
  nameOf,
  ownerText,
  topmostRefusals,
} from '../../client/view/node-names.ts';
import { outcomeTones, statusMarks } from '../../client/view/node-status.ts';
import { runTimes } from '../../client/view/settled-receipts.ts';
import type { NodeView, ReceiptView, SessionSnapshot } from '../../client/view/snapshot.ts';
import { capitalize } from '../../core/words/capitalize.ts';
import { durationText } from '../../core/words/durations.ts';
import {
  endedBefore,
  hasStopped,
  lateText,
  ranText,
  refusedText,
  runsOnText,
  settledText,
  wasStopped,
} from '../../core/words/receipt-words.ts';
import type { ServerFrameOf } from '../../wire/server-frames.ts';
import { clipLine } from './line-width.ts';
import { callTitle, fitTitle, quoted, turnTitle } from './node-titles.ts';
import { lineOf, type StyledLine, span, type TextStyle } from './styled-text.ts';

type Settled = ServerFrameOf<'cancel_settled'>;
type SettledNode = Settled['nodes'][number];
type Refusal = ReceiptView['refused'][number];

interface Reader {
  readonly snapshot: SessionSnapshot;
  /** Who reads it. */
  readonly speaker: string;
  readonly columns: number;
}

/** Renders a receipt that has settled. */
export function receiptLines(frame: Settled, reader: Reader): readonly StyledLine[] {
  const { snapshot, columns } = reader;
  const receipt = snapshot.receipts.findLast(({ cancel }) => cancel === frame.cancel);
  const ran = runTimes(frame, snapshot);
  const rows = frame.nodes.filter((node) => isListed(node, frame, reader));
  const unstarted = frame.nodes
    .filter((node) => isUnstartedTurn(node, snapshot))
    .map(({ node }) => wordsOf(snapshot, node));
  const queue = receipt?.queue ?? [];
  const unread = queue.filter(
    ({ fate, input }) => fate === 'cancelled' && !frame.nodes.some(({ node }) => node === input),
  );
  const next = queue.filter(({ fate, input }) => fate === 'queued' && !isStopping(findNode(snapshot, input)));
  const ids = (entries: typeof queue) => entries.map(({ input }) => wordsOf(snapshot, input));
  const waiting = [
    ...waitingLines('not started', unstarted),
    ...waitingLines('not read by the model', ids(unread)),
    ...waitingLines('next', ids(next)),
  ];
  const stopped = [
    ...rows.map((node) => nodeLine(node, ran.get(node.node) ?? null, reader)),
    ...(receipt ? runsOnLines(receipt, reader) : []),
  ];
  const isOfWaiting = unstarted.length === frame.nodes.length && stopped.length === 0;
  const lines = isOfWaiting ? waiting : [headLine(frame, ran, reader), ...stopped, ...waiting];
  return lines.map((line) => clipLine(line, columns));
}

/** Whether another stop has taken a turn that would have been the next one. */
const isStopping = (node: NodeView | null): boolean => node?.state === 'stopping' || wasStopped(node?.outcome ?? null);

/** Renders a stop that was refused as a whole. */
export function refusalLines(frame: ServerFrameOf<'cancel_refused'>, reader: Reader): readonly StyledLine[] {
  const { speaker, columns } = reader;
  const asker = frame.by === null || frame.by === speaker ? '' : ` (${frame.by} asked)`;
  const head = [span(`${statusMarks.failed} Nothing was stopped${asker}.`, 'bad')];
  return [head, ...runsOnLines({ refused: frame.refused, detached: [] }, reader)].map((line) =>
    clipLine(line, columns),
  );
}

/** Returns the lines on what runs on: of a turn and its calls the turn alone, if they have one reason. */
function runsOnLines(
  { refused, detached }: Pick<ReceiptView, 'refused' | 'detached'>,
  reader: Reader,
): readonly StyledLine[] {
  return [
    ...topmostRefusals(reader.snapshot, refused).map((refusal) => refusedLine(refusal, reader)),
    ...detached.map((node) => onLine(node, runsOnText('detached'), reader)),
  ];
}

// -- the head

function headLine(frame: Settled, ran: ReadonlyMap<string, number>, { speaker }: Reader): StyledLine {
  const { nodes, cause } = frame;
  const stopped = nodes.filter(({ outcome, effect }) => hasStopped(outcome) && effect !== 'not_started');
  const late = lateText(nodes);
  const rest = late === null ? '' : `; ${late}`;
  const by = cause.by === null || cause.by === speaker ? '' : ` by ${cause.by}`;
  const why = cause.by !== speaker && cause.reason ? ` (${cause.reason})` : '';
  if (stopped.length === 0) return [span(`${statusMarks.stopped} ${idleText(nodes)}${by}${why}${rest}`, 'strong')];
  const ms = Math.max(...stopped.map((node) => node.ms));
  const times = stopped.flatMap(({ node }) => ran.get(node) ?? []);
  const duration = ranText(times.length === 0 ? null : Math.max(...times));
  const forced = stopped.some((node) => node.forced) ? ' by force' : '';
  return [
    span(`${statusMarks.stopped} Stopped${forced}${by} in ${durationText(ms)}`, 'strong'),
    span(`${duration}${why}${rest}`, late === null ? 'soft' : 'warning'),
  ];
}

const idleText = (nodes: Settled['nodes']): string =>
  nodes.every(({ outcome }) => outcome === 'completed') ? capitalize(endedBefore) : 'Stopped before it started';

// -- a node

/** The turn of a sub-agent is one with its call, and the own turn with the head, unless there are several or it says more. */
function isListed(settled: SettledNode, { nodes }: Settled, { snapshot, speaker }: Reader): boolean {
  const node = findNode(snapshot, settled.node);
  if (node?.kind !== 'turn') return node !== null;
  if (node.parent !== null) return !nodes.some((other) => other.node === node.parent);
  if (isUnstartedTurn(settled, snapshot)) return false;
  const roots = nodes.filter((other) => isRoot(findNode(snapshot, other.node)) && !isUnstartedTurn(other, snapshot));
  return roots.length > 1 || node.owner !== speaker || !hasStopped(settled.outcome);
}

const isRoot = (node: NodeView | null): boolean => node?.kind === 'turn' && node.parent === null;

const isUnstartedTurn = ({ node, effect, outcome }: SettledNode, snapshot: SessionSnapshot): boolean =>
  effect === 'not_started' && wasStopped(outcome) && isRoot(findNode(snapshot, node));

function nodeLine(settled: SettledNode, ranMs: number | null, reader: Reader): StyledLine {
  const { mark, style } = lookOf(settled);
  const title = titleLineOf(settled.node, reader);
  const rest = [span('  '), span(settledText(settled, ranMs, true), style)];
  const depth = depthOf(reader.snapshot, settled.node);
  return fitTitle([span(`  ${'  '.repeat(Math.max(0, depth - 1))}${mark} `, style)], title, rest, reader.columns);
}

function lookOf({ outcome, effect }: SettledNode): { mark: string; style: TextStyle } {
  if (wasStopped(outcome) && !hasStopped(outcome)) return { mark: statusMarks.stopping, style: 'warning' };
  if (hasStopped(outcome) && effect === 'not_started') return { mark: statusMarks.waiting, style: 'soft' };
  const tone = outcomeTones[outcome];
  return { mark: statusMarks[tone], style: tone === 'failed' || tone === 'runs-on' ? 'bad' : 'soft' };
}

function titleLineOf(id: string, { snapshot, speaker }: Reader): StyledLine {
  const call = findCall(snapshot, id);
  if (call) return callTitle(call, speaker);
  const node = findNode(snapshot, id);
  return [span(node ? turnTitle(node, findTurn(snapshot, id)?.kind ?? null, speaker) : nameOf(snapshot, id), 'strong')];
}

// -- what was not stopped, and what had not started

const refusedLine = ({ node, reason }: Refusal, reader: Reader): StyledLine =>
  onLine(node, refusedText(reason, ownerText(reader.snapshot, node, reader.speaker)), reader);

const onLine = (node: string, text: string, reader: Reader): StyledLine =>
  fitTitle(
    [span(`  ${statusMarks['runs-on']} `, 'warning')],
    titleLineOf(node, reader),
    [span('  '), span(text, 'warning')],
    reader.columns,
  );

function wordsOf(snapshot: SessionSnapshot, id: string): string {
  const text = findWords(snapshot, id);
  return text ? quoted(text) : 'words from before';
}

const waitingLines = (what: string, words: readonly string[]): readonly StyledLine[] =>
  words.length === 0 ? [] : [lineOf(`  ${statusMarks.waiting} ${what}: ${words.join(', ')}`, 'soft')];
