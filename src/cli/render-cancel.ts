// Renders the frames of cancels as lines of a terminal.
import { nameOf, ownerOf } from '../client/view/node-names.ts';
import type { SessionSnapshot } from '../client/view/snapshot.ts';
import type { ServerFrame, ServerFrameOf } from '../protocol/server-frames.ts';
import { outcomeText, secondsText, shorten, stripControls } from './outcome-text.ts';
import type { Viewer } from './viewer.ts';

/** The lines of a frame about a cancel; none for any other. */
export function renderCancel(frame: ServerFrame, snapshot: SessionSnapshot, viewer: Viewer): readonly string[] {
  const nodeLine = (node: string, text: string) => `  ${nameOf(snapshot, node)} (${node}): ${text}`;
  const refusalLine = ({ node, reason }: { readonly node: string; readonly reason: string }) =>
    nodeLine(node, `not stopped, ${refusalText(reason, ownerOf(snapshot, node))}`);
  switch (frame.type) {
    case 'cancel_accepted':
      return [
        ...stopLine(frame, viewer),
        ...frame.pending.map((node) => nodeLine(node, pendingText(frame))),
        ...frame.refused.map(refusalLine),
        ...frame.detached.map((node) => nodeLine(node, 'detached, runs on')),
      ];
    case 'cancel_refused': {
      const asker = viewer.isMine(frame.ref) ? '' : ` (${frame.by ?? frame.source} asked)`;
      return [`Nothing is stopped${asker}.`, ...frame.refused.map(refusalLine)];
    }
    case 'cancel_settled':
      return frame.nodes.map((node) => nodeLine(node.node, outcomeText(node)));
    case 'already_settled':
      return ['Nothing to stop: it has settled already.'];
    case 'unknown_target':
      return [`Nothing to stop: ${stripControls(frame.target)} is not known.`];
    default:
      return [];
  }
}

/** The viewer's own stop has had its line already. */
function stopLine({ ref, by, source, reason }: ServerFrameOf<'cancel_accepted'>, viewer: Viewer): string[] {
  if (viewer.isMine(ref)) return [];
  const speaker = by === null ? source : by === viewer.speaker ? 'you, elsewhere' : by;
  return [`Stopping (${speaker}${reason ? `: ${shorten(reason)}` : ''})`];
}

const pendingText = ({ pendingMs = 0 }: ServerFrameOf<'cancel_accepted'>) =>
  `pending: it may not be interrupted now, and will be stopped within ${secondsText(pendingMs)}`;

function refusalText(reason: string, owner: string | null): string {
  if (reason === 'not_owner' && owner !== null) return `it belongs to ${owner}`;
  return reason === 'not_allowed' ? 'the rule of this session does not allow it' : reason;
}
