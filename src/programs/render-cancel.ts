// Renders the frames of cancels as plain lines.
import { ownerOf } from '../client/view/node-names.ts';
import { isRoutineStop, runTimes } from '../client/view/settled-receipts.ts';
import type { SessionSnapshot } from '../client/view/snapshot.ts';
import type { ServerFrame, ServerFrameOf } from '../wire/server-frames.ts';
import { nodeTitle } from './node-title.ts';
import { durationText, hasStopped, ranText, receiptText, secondsText, shorten } from './outcome-text.ts';
import type { Viewer } from './viewer.ts';

type Refusal = ServerFrameOf<'cancel_refused'>['refused'][number];

/** The lines of a frame about a cancel; none for any other. */
export function renderCancel(frame: ServerFrame, snapshot: SessionSnapshot, viewer: Viewer): readonly string[] {
  const nodeLine = (node: string, text: string, listed: readonly string[]) =>
    `  ${nodeTitle(snapshot, node, viewer, listed)}: ${text}`;
  const refusalLine = ({ node, reason }: Refusal, _: number, all: readonly Refusal[]) => {
    const text = `not stopped, ${refusalText(reason, ownerOf(snapshot, node))}`;
    return nodeLine(node, text, idsOf(all));
  };
  switch (frame.type) {
    case 'cancel_accepted':
      if (isRoutineStop(frame.source, [...frame.stopping, ...frame.pending], snapshot)) return [];
      return [
        ...stopLine(frame, viewer),
        ...frame.pending.map((node) => nodeLine(node, pendingText(frame), frame.pending)),
        ...frame.refused.map(refusalLine),
        ...frame.detached.map((node) => nodeLine(node, 'detached, runs on', frame.detached)),
      ];
    case 'cancel_refused': {
      const asker = viewer.isMine(frame.ref) ? '' : ` (${frame.by ?? frame.source} asked)`;
      return [`Nothing is stopped${asker}.`, ...frame.refused.map(refusalLine)];
    }
    case 'cancel_settled': {
      if (isRoutineStop(frame.cause.source, idsOf(frame.nodes), snapshot)) return [];
      const ran = runTimes(frame, snapshot);
      const listed = idsOf(frame.nodes);
      return [
        ...summaryLine(frame, ran),
        ...frame.nodes.map((node) => nodeLine(node.node, receiptText(node, ran.get(node.node) ?? null), listed)),
      ];
    }
    case 'already_settled':
      return ['Nothing to stop: it has settled already.'];
    case 'unknown_target':
      return [`Nothing to stop: ${frame.target} is not known.`];
    default:
      return [];
  }
}

const idsOf = (nodes: readonly { readonly node: string }[]) => nodes.map(({ node }) => node);

/** The line for the whole receipt; none if nothing was stopped, or if the one node says it all. */
function summaryLine({ nodes }: ServerFrameOf<'cancel_settled'>, ran: ReadonlyMap<string, number>): readonly string[] {
  const stopped = nodes.filter(({ outcome }) => hasStopped(outcome));
  if (nodes.length < 2 || stopped.length === 0) return [];
  const count = stopped.length === nodes.length ? `All ${nodes.length}` : `${stopped.length} of ${nodes.length}`;
  const times = stopped.flatMap(({ node }) => ran.get(node) ?? []);
  const duration = durationText(Math.max(...stopped.map(({ ms }) => ms)));
  const left = nodes.filter(({ outcome }) => outcome === 'abandoned').length;
  const leftText = left === 0 ? '' : `; ${left} ${left === 1 ? 'has' : 'have'} not stopped yet`;
  return [`${count} stopped in ${duration}${ranText(times.length === 0 ? null : Math.max(...times))}${leftText}:`];
}

/** A stop of the viewer by a key has had its line already; one by words has not. */
function stopLine({ ref, by, source, reason }: ServerFrameOf<'cancel_accepted'>, viewer: Viewer): string[] {
  if (viewer.isMine(ref)) return source === 'phrase' ? ['Stopping.'] : [];
  const speaker = by === null ? source : by === viewer.speaker ? 'you, elsewhere' : by;
  return [`Stopping (${speaker}${reason ? `: ${shorten(reason)}` : ''})`];
}

const pendingText = ({ pendingMs = 0 }: ServerFrameOf<'cancel_accepted'>) =>
  `pending: it may not be interrupted now, and will be stopped within ${secondsText(pendingMs)}`;

function refusalText(reason: string, owner: string | null): string {
  if (reason === 'not_owner' && owner !== null) return `it belongs to ${owner}`;
  return reason === 'not_allowed' ? 'the rule of this session does not allow it' : reason;
}
