// Renders the frames of cancels as plain lines.
import { findCall, findNode, nameOf, ownerText } from '../client/view/node-names.ts';
import { runTimes } from '../client/view/settled-receipts.ts';
import type { SessionSnapshot } from '../client/view/snapshot.ts';
import { listedNodes } from '../core/receipt/receipt.ts';
import { capitalize } from '../core/words/capitalize.ts';
import { durationText } from '../core/words/durations.ts';
import {
  causeText,
  hasStopped,
  pendingText,
  receiptText,
  refusedText,
  runsOnText,
  settledText,
} from '../core/words/receipt-words.ts';
import type { ServerFrameOf } from '../wire/server-frames.ts';
import { shorten } from './line-text.ts';
import { quotedWords } from './render-input.ts';
import { isRoutineStop } from './routine-stop.ts';
import type { Viewer } from './viewer.ts';

type Refusal = ServerFrameOf<'cancel_refused'>['refused'][number];

type CancelFrame = ServerFrameOf<
  'cancel_accepted' | 'cancel_refused' | 'cancel_settled' | 'already_settled' | 'unknown_target'
>;

/** The lines of a frame about a cancel. */
export function renderCancel(frame: CancelFrame, snapshot: SessionSnapshot, viewer: Viewer): readonly string[] {
  const nodeLine = (node: string, text: string, listed: readonly string[]) =>
    `  ${nodeTitle(snapshot, node, viewer, listed)}: ${text}`;
  const refusalLine = ({ node, reason }: Refusal, _: number, all: readonly Refusal[]) => {
    return nodeLine(node, refusedText(reason, ownerText(snapshot, node, viewer.speaker)), idsOf(all));
  };
  switch (frame.type) {
    case 'cancel_accepted':
      if (isRoutineStop(frame.source, listedNodes(frame), snapshot)) return [];
      return [
        ...stopLine(frame, viewer),
        ...frame.pending.map((node) => nodeLine(node, pendingLine(frame), frame.pending)),
        ...frame.refused.map(refusalLine),
        ...frame.detached.map((node) => nodeLine(node, runsOnText('detached'), frame.detached)),
      ];
    case 'cancel_refused': {
      const isOwn = viewer.isMine(frame.ref) || (frame.words !== undefined && frame.by === viewer.speaker);
      const asker = isOwn ? '' : ` (${causeText(frame.source, frame.by)} asked)`;
      return [`Nothing is stopped${asker}.`, ...frame.refused.map(refusalLine)];
    }
    case 'cancel_settled': {
      if (isRoutineStop(frame.cause.source, idsOf(frame.nodes), snapshot)) return [];
      const ran = runTimes(frame, snapshot);
      const listed = idsOf(frame.nodes);
      return [
        ...summaryLine(frame, ran),
        ...frame.nodes.map((node) => nodeLine(node.node, settledText(node, ran.get(node.node) ?? null), listed)),
      ];
    }
    case 'already_settled':
      return ['Nothing to stop: it has settled already.'];
    case 'unknown_target':
      return [`Nothing to stop: ${frame.target} is not known.`];
    default:
      frame satisfies never;
      return [];
  }
}

const idsOf = (nodes: readonly { readonly node: string }[]) => nodes.map(({ node }) => node);

/** The line for the whole receipt; none if nothing was stopped, or if the one node says it all. */
function summaryLine({ nodes }: ServerFrameOf<'cancel_settled'>, ran: ReadonlyMap<string, number>): readonly string[] {
  const stopped = nodes.filter(({ outcome }) => hasStopped(outcome));
  if (nodes.length < 2 || stopped.length === 0) return [];
  const times = stopped.flatMap(({ node }) => ran.get(node) ?? []);
  return [`${capitalize(receiptText(nodes, times.length === 0 ? null : Math.max(...times)))}:`];
}

/** A stop of the viewer by a key has had its line already; one by words has not. */
function stopLine({ ref, by, source, reason }: ServerFrameOf<'cancel_accepted'>, viewer: Viewer): string[] {
  if (viewer.isMine(ref)) return source === 'phrase' ? ['Stopping.'] : [];
  const speaker = by === null ? causeText(source, null) : by === viewer.speaker ? 'you, elsewhere' : by;
  return [`Stopping (${speaker}${reason ? `: ${shorten(reason)}` : ''})`];
}

const pendingLine = ({ pendingMs = 0 }: ServerFrameOf<'cancel_accepted'>) =>
  `${pendingText}, within ${durationText(pendingMs)}`;

/** Characters of arguments in a title. */
const maxArgumentChars = 40;

/**
 * Returns the title of a node: `your turn`, `ann's turn`, or the name of its tool or agent.
 * @param listed The nodes that are listed together: calls of one tool among them are distinguished by their arguments.
 */
function nodeTitle(snapshot: SessionSnapshot, id: string, viewer: Viewer, listed: readonly string[]): string {
  const node = findNode(snapshot, id);
  if (!node) return quotedWords(snapshot, id);
  if (node.kind === 'turn' && node.name === null)
    return node.owner === viewer.speaker ? 'your turn' : `${node.owner}'s turn`;
  const name = nameOf(snapshot, id);
  const hasNamesake = listed.some((other) => other !== id && nameOf(snapshot, other) === name);
  const callArguments = hasNamesake ? (findCall(snapshot, id)?.arguments ?? null) : null;
  return callArguments === null ? name : `${name} ${shorten(callArguments, maxArgumentChars)}`;
}
