// The receipt of a CANCEL under the turn that it has stopped: who asked, how long it took, what runs on.

import { durationText } from '../../client/view/durations.ts';
import { nameOf, ownerOf } from '../../client/view/node-names.ts';
import { isStopped, refusalText } from '../../client/view/node-status.ts';
import type { ReceiptView, SessionSnapshot, TurnView } from '../../client/view/snapshot.ts';
import { routeHref } from '../page-state/routing.ts';
import { useSession } from './session-context.ts';

interface ReceiptNoteProps {
  readonly turn: TurnView;
  readonly snapshot: SessionSnapshot;
}

/** The last receipt that names the turn or a call of it; nothing without one. */
export function ReceiptNote({ turn, snapshot }: ReceiptNoteProps) {
  const { speaker, opened } = useSession();
  const receipt = snapshot.receipts.findLast((each) => isAbout(each, turn));
  if (!receipt) return null;
  const runsOn = receipt.refused.map(
    ({ node, reason }) => `${nameOf(snapshot, node)} runs on: ${refusalText(reason, ownerOf(snapshot, node))}`,
  );
  const detached = receipt.detached.map((node) => `${nameOf(snapshot, node)} runs on: it is detached`);
  return (
    <div className="receipt">
      <p>
        {summary(receipt, speaker)}{' '}
        <a href={routeHref({ view: 'inspector', session: opened.id, place: ['cancel', receipt.cancel] })}>
          Show how it went down
        </a>
        {receipt.acknowledged?.emoji && (
          <span role="img" aria-label="It was understood">
            {' '}
            {receipt.acknowledged.emoji}
          </span>
        )}
      </p>
      {[...runsOn, ...detached].map((line) => (
        <p key={line}>{line}</p>
      ))}
    </div>
  );
}

const isAbout = ({ stopping, pending, refused }: ReceiptView, { node, calls }: TurnView): boolean => {
  const ids = new Set([node.id, ...calls.map((call) => call.node.id)]);
  return [...stopping, ...pending, ...refused.map((each) => each.node)].some((id) => ids.has(id));
};

function summary(receipt: ReceiptView, speaker: string | null): string {
  const { by, source, reason, settled, stopping, pending } = receipt;
  const who = by === null ? sourceTexts[source] : by === speaker ? 'You' : by;
  const why = reason ? ` (${reason})` : '';
  const asked = stopping.length + pending.length;
  if (!settled) return `${who} stopped this${why}: ${asked} ${asked === 1 ? 'is' : 'are'} stopping…`;
  const stopped = settled.filter(({ outcome }) => isStopped(outcome) && outcome !== 'abandoned');
  const longest = Math.max(0, ...stopped.map(({ ms }) => ms));
  const count = stopped.length === settled.length ? `all ${settled.length}` : `${stopped.length} of ${settled.length}`;
  const left = settled.filter(({ outcome }) => outcome === 'abandoned').length;
  const rest = left === 0 ? '' : ` ${left} did not stop in time.`;
  return `${who} stopped this${why}: ${settled.length === 1 ? 'stopped' : `${count} stopped`} in ${durationText(longest)}.${rest}`;
}

const sourceTexts: Readonly<Record<ReceiptView['source'], string>> = {
  client: 'A client',
  phrase: 'A stop phrase',
  http: 'A request over HTTP',
  disconnect: 'The lost connection of its owner',
  deadline: 'A time limit',
  superseded: 'A newer call',
  shutdown: 'The shutdown of the gateway',
  crash: 'A crash of the gateway',
};
