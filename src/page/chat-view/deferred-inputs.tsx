// Words that were said to a turn while it ran: with their fate, and a stop while they wait.
import type { InputView, SessionSnapshot } from '../../client/view/snapshot.ts';
import { fateText } from '../../core/words/receipt-words.ts';
import { ContentParts, wordsOf } from './content-parts.tsx';
import { Unstopped } from './receipt-note.tsx';
import { useSession, useStopRequest } from './session-context.ts';

/** Returns the note on the fate of words; empty: their place in the conversation says it. */
function fateNote(fate: InputView['fate']): string {
  if (fate === 'waiting') return 'the model reads it with its next call';
  return fate === 'cancelled' ? fateText(fate) : '';
}

interface DeferredInputLinesProps {
  readonly inputs: readonly InputView[];
  readonly snapshot: SessionSnapshot;
}

/** The inputs, each as a line. Those that have opened a turn of their own are shown there. */
export const DeferredInputLines = ({ inputs, snapshot }: DeferredInputLinesProps) =>
  inputs
    .filter(({ fate }) => fate !== 'queued')
    .map((input) => <DeferredInput key={input.id} input={input} snapshot={snapshot} />);

interface DeferredInputProps {
  readonly input: InputView;
  readonly snapshot: SessionSnapshot;
}

function DeferredInput({ input, snapshot }: DeferredInputProps) {
  const { speaker, stops } = useSession();
  const request = useStopRequest(input.id);
  const isMine = input.owner === speaker;
  const fate = fateNote(input.fate);
  return (
    <div className="said" data-mine={isMine}>
      <p className="said-by">
        {isMine ? 'You' : input.owner}
        {fate !== '' && ` · ${fate}`}
      </p>
      {input.text !== null && <p className="said-text">{wordsOf(input.text, input.parts)}</p>}
      <ContentParts parts={input.parts} />
      <Unstopped words={input.id} snapshot={snapshot} />
      {input.fate === 'waiting' && (
        <button
          type="button"
          className="button button-small button-stop"
          aria-disabled={request.kind === 'sent'}
          onClick={() => void stops.stop(input.id)}
        >
          Take it back
        </button>
      )}
      {request.kind === 'refused' && (
        <p className="problem" role="alert">
          {request.text}
        </p>
      )}
    </div>
  );
}
