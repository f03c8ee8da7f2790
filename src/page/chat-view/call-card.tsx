// The card of a tool call or a sub-agent: its title, status, time and stop; inside, what it was asked and what it says.
import { memo, type ReactNode, useId, useState } from 'react';
import { titleOf } from '../../client/view/call-title.ts';
import { ranMs } from '../../client/view/node-names.ts';
import { isFollowed, statusMarks, statusOf } from '../../client/view/node-status.ts';
import type { CallView, SessionSnapshot, TurnView } from '../../client/view/snapshot.ts';
import { writeOutHidden } from '../../core/text/printable.ts';
import { wasStopped } from '../../core/words/receipt-words.ts';
import { CallDetails } from './call-details.tsx';
import { Elapsed } from './elapsed.tsx';
import { QuestionCard } from './question-card.tsx';
import { useSession } from './session-context.ts';
import { StopButton, StopRefusal } from './stop-button.tsx';
import { RunAgainButton } from './turn-actions.tsx';

interface CallCardProps {
  readonly call: CallView;
  /** The turn that has asked for it. */
  readonly turn: TurnView;
  readonly snapshot: SessionSnapshot;
  /** The turn of a sub-agent, where there is one. */
  readonly children?: ReactNode;
}

/** A card; that of a sub-agent has its turn inside. */
export const CallCard = memo(function CallCard({ call, turn, snapshot, children }: CallCardProps) {
  const { speaker } = useSession();
  const { node } = call;
  const body = useId();
  const status = statusOf(snapshot, node, speaker);
  const isOver = node.state === 'settled' || node.state === 'abandoned';
  const [choice, setChoice] = useState<boolean | null>(null); // null: as its state has it
  const isOpen = choice ?? !isOver;
  const { name, detail } = titleOf(call);
  const title = { name: writeOutHidden(name), detail: writeOutHidden(detail) };
  const question = snapshot.questions.find((each) => each.node === node.id);
  return (
    <section className="card" data-tone={status.tone} aria-label={`${title.name} ${title.detail}`.trim()}>
      <div className="card-head">
        <button
          type="button"
          className="card-toggle"
          aria-expanded={isOpen}
          aria-controls={body}
          onClick={() => setChoice(!isOpen)}
        >
          <span className="card-mark" aria-hidden="true">
            {statusMarks[status.tone]}
          </span>
          <span className="card-name">{title.name}</span>
          <span className="card-detail">{title.detail}</span>
        </button>
        <span className="card-status">
          <span>{status.text}</span>
          {(isOver || isFollowed(snapshot)) && (
            <Elapsed
              node={node.id}
              state={isOver ? (wasStopped(node.outcome) ? 'stopped' : 'done') : 'running'}
              totalMs={ranMs(snapshot, node.id)}
            />
          )}
        </span>
        <StopButton node={node} name={title.name} isSeen={isFollowed(snapshot)} />
        <RunAgainButton call={call} turn={turn} />
      </div>
      <StopRefusal target={node.id} />
      {question && <QuestionCard key={question.id ?? question.node} question={question} />}
      <div id={body} hidden={!isOpen} className="card-body">
        {isOpen && <CallDetails call={call} isOver={isOver} />}
        {isOpen && children}
      </div>
    </section>
  );
});
