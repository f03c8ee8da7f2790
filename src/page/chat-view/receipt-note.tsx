// Notes under a turn on the CANCELs that reached it or passed it by: who asked, what became of it, what runs on.
import type { SessionSnapshot, TurnView } from '../../client/view/snapshot.ts';
import { routeHref } from '../page-state/routing.ts';
import { useSession } from './session-context.ts';
import { stopNotes, unstoppedText } from './stop-notes.ts';

interface ReceiptNotesProps {
  readonly turn: TurnView;
  readonly snapshot: SessionSnapshot;
}

/** A note for each; nothing where no CANCEL was about the turn. */
export function ReceiptNotes({ turn, snapshot }: ReceiptNotesProps) {
  const { speaker, opened } = useSession();
  return stopNotes(snapshot, turn, speaker).map(({ receipt, text, rest }) => (
    <div key={receipt?.cancel ?? 'refused'} className="receipt">
      <p>
        {text}{' '}
        {receipt && (
          <a href={routeHref({ view: 'inspector', session: opened.id, place: ['cancel', receipt.cancel] })}>
            Show how it went down
          </a>
        )}
        {receipt?.acknowledged?.emoji && (
          <span role="img" aria-label="It was understood">
            {' '}
            {receipt.acknowledged.emoji}
          </span>
        )}
      </p>
      {rest.map((line) => (
        <p key={line}>{line}</p>
      ))}
    </div>
  ));
}

interface UnstoppedProps {
  /** The turn or the input of the words. */
  readonly words: string;
  readonly snapshot: SessionSnapshot;
}

/** Says of words that asked for a stop that they have stopped nothing, and why; nothing of any others. */
export function Unstopped({ words, snapshot }: UnstoppedProps) {
  const { speaker } = useSession();
  const text = unstoppedText(snapshot, words, speaker);
  if (text === null) return null;
  return (
    <p className="problem" role="alert">
      {text}
    </p>
  );
}
