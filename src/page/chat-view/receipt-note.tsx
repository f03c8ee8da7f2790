// The receipt of a CANCEL under the turn that it has stopped: who asked, how long it took, what runs on.

import { nameOf, ownerOf } from '../../client/view/node-names.ts';
import type { ReceiptView, SessionSnapshot, TurnView } from '../../client/view/snapshot.ts';
import { listedNodes } from '../../core/receipt/receipt.ts';
import { refusedText, runsOnText } from '../../core/words/receipt-words.ts';
import { routeHref } from '../page-state/routing.ts';
import { receiptSentence } from './receipt-text.ts';
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
    ({ node, reason }) => `${nameOf(snapshot, node)} ${refusedText(reason, ownerOf(snapshot, node))}`,
  );
  const detached = receipt.detached.map((node) => `${nameOf(snapshot, node)} ${runsOnText('detached')}`);
  return (
    <div className="receipt">
      <p>
        {receiptSentence(receipt, speaker)}{' '}
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

const isAbout = (receipt: ReceiptView, { node, calls }: TurnView): boolean => {
  const ids = new Set([node.id, ...calls.map((call) => call.node.id)]);
  return [...listedNodes(receipt), ...receipt.refused.map((each) => each.node)].some((id) => ids.has(id));
};
