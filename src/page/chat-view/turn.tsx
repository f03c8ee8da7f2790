// A root turn of a conversation: what somebody said, what came of it, and how it ended.
import { memo, useState } from 'react';
import { isFollowed, statusOf } from '../../client/view/node-status.ts';
import type { SessionSnapshot, TurnView } from '../../client/view/snapshot.ts';
import { usageText } from '../../client/view/usage-text.ts';
import { targetOf } from '../../core/receipt/cancel-target.ts';
import { durationText } from '../../core/words/durations.ts';
import { speakerColor } from '../page-state/speaker-color.ts';
import { ContentParts, wordsOf } from './content-parts.tsx';
import { CopyButton } from './copy-button.tsx';
import { EditButton, EditForm } from './edit-words.tsx';
import { Elapsed } from './elapsed.tsx';
import { ReceiptNotes, Unstopped } from './receipt-note.tsx';
import { useSession } from './session-context.ts';
import { StopButton, StopRefusal } from './stop-button.tsx';
import { ForkButton, Forks, ResumeButton } from './turn-actions.tsx';
import { TurnResponse } from './turn-response.tsx';

interface TurnProps {
  readonly turn: TurnView;
  readonly snapshot: SessionSnapshot;
}

/** A turn with its end. It is rendered anew when something in it has changed: a delta of one turn touches no other. */
export const TurnArticle = memo(function TurnArticle({ turn, snapshot }: TurnProps) {
  const { speaker } = useSession();
  const isMine = turn.node.owner === speaker;
  return (
    <article className="turn" data-kind={turn.kind} aria-label={labelOf(turn, isMine)}>
      {turn.kind === 'say' && turn.text !== null && (
        <Said turn={turn} isMine={isMine} previous={lastEndedBefore(snapshot, turn)} />
      )}
      <Unstopped words={turn.node.id} snapshot={snapshot} />
      <TurnResponse turn={turn} snapshot={snapshot} />
      <TurnFoot turn={turn} snapshot={snapshot} />
    </article>
  );
}, isUnchanged);

function labelOf({ kind, node }: TurnView, isMine: boolean): string {
  if (kind === 'acknowledgement') return 'Reply to the stop';
  if (kind === 'call') return 'Run elsewhere';
  if (kind === 'agent') return `${node.name ?? 'An agent'}, detached`;
  return isMine ? 'Your turn' : `${node.owner}'s turn`;
}

interface SaidProps {
  readonly turn: TurnView;
  readonly isMine: boolean;
  /** The turn that had ended last when this one was opened; null: none had. */
  readonly previous: string | null;
}

function Said({ turn, isMine, previous }: SaidProps) {
  const [isEdited, setIsEdited] = useState(false);
  const words = wordsOf(turn.text ?? '', turn.parts);
  return (
    <div className="said" data-mine={isMine} data-speaker-color={speakerColor(turn.node.owner)}>
      <p className="said-by">
        <span className="speaker-name" data-speaker-color={speakerColor(turn.node.owner)}>
          {isMine ? 'You' : turn.node.owner}
        </span>
        {turn.resumes !== null && ' · resumed'}
      </p>
      {isEdited ? (
        <EditForm turn={turn} words={words} previous={previous} onClose={() => setIsEdited(false)} />
      ) : (
        words !== '' && <p className="said-text">{words}</p>
      )}
      <ContentParts parts={turn.parts} />
      {!isEdited && isMine && turn.node.outcome !== null && <EditButton onPress={() => setIsEdited(true)} />}
    </div>
  );
}

/** Returns the root turn that had ended last when a turn started: a fork from it has what the model knew then, and nothing of that turn. */
function lastEndedBefore({ turns }: SessionSnapshot, { node }: TurnView): string | null {
  const start = node.since;
  const ended = turns.filter(
    (each) =>
      each.node.parent === null &&
      each.node.id !== node.id &&
      each.kind !== 'acknowledgement' &&
      each.endedAt !== null &&
      each.endedAt <= start,
  );
  const last = ended.reduce<TurnView | null>(
    (latest, each) => ((latest?.endedAt ?? 0) > (each.endedAt ?? 0) ? latest : each),
    null,
  );
  return last?.node.id ?? null;
}

function TurnFoot({ turn, snapshot }: TurnProps) {
  const { speaker } = useSession();
  const { node } = turn;
  const status = statusOf(snapshot, node, speaker);
  const isOver = node.outcome !== null;
  const name = node.owner === speaker ? 'your turn' : `${node.owner}'s turn`;
  const answer = turn.blocks.flatMap(({ text }) => (text === '' ? [] : [text])).join('\n\n');
  return (
    <footer className="turn-foot">
      <StopRefusal target={node.id} />
      <StopRefusal target={targetOf('tools', node.id)} />
      <StopRefusal target={targetOf('lane', node.id)} />
      {turn.message !== null && (
        <p className="problem">
          {turn.message} {turn.code !== null && <span className="soft">({turn.code})</span>}
        </p>
      )}
      <ReceiptNotes turn={turn} snapshot={snapshot} />
      <div className="turn-line">
        <span className="turn-status" data-tone={status.tone}>
          {isOver && node.outcome === 'completed' ? '' : status.text}
        </span>
        {!isOver && isFollowed(snapshot) && <Elapsed node={node.id} state="running" totalMs={null} />}
        {isOver && <span className="soft">{endText(turn)}</span>}
        <StopButton node={node} name={name} isSeen={isFollowed(snapshot)} />
        <ResumeButton turn={turn} />
        <ForkButton turn={turn} />
        {isOver && answer !== '' && <CopyButton text={answer} what="the answer" />}
      </div>
      <Forks turn={turn} />
    </footer>
  );
}

function endText({ ms, usage, blocks }: TurnView): string {
  const models = new Set(blocks.flatMap(({ model }) => model ?? []));
  const duration = ms === null ? '' : durationText(ms);
  return [duration, [...models].join(', '), usage ? usageText(usage) : ''].filter((part) => part !== '').join(' · ');
}

interface ShownTurn {
  readonly turn: TurnView;
  readonly snapshot: SessionSnapshot;
}

/** Whether nothing that a turn shows has changed, so that a long conversation costs no more than the turn that changes: itself, the turns of its sub-agents, receipts, refusals and questions. */
function isUnchanged(before: ShownTurn, after: ShownTurn): boolean {
  if (before.turn !== after.turn) return false;
  const [old, now] = [before.snapshot, after.snapshot];
  if (old === now) return true;
  if (old.state !== now.state) return false;
  if (old.receipts !== now.receipts || old.refusals !== now.refusals || old.questions !== now.questions) return false;
  return old.turns === now.turns || isSameTree(after.turn, old, now);
}

/** Whether the turns below the calls of a turn are the same values in both. */
function isSameTree({ calls }: TurnView, old: SessionSnapshot, now: SessionSnapshot): boolean {
  return calls.every(({ node }) => {
    if (node.kind !== 'sub-agent') return true;
    const inner = innerTurn(now, node.id);
    if (inner !== innerTurn(old, node.id)) return false;
    return !inner || isSameTree(inner, old, now);
  });
}

const innerTurn = ({ turns }: SessionSnapshot, call: string): TurnView | undefined =>
  turns.find(({ node }) => node.parent === call);
