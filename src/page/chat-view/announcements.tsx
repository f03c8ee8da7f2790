// Announcements of a screen reader: that a turn has ended, that something asks. Never the text while it streams.

import { statusOf } from '../../client/view/node-status.ts';
import { questionWords } from '../../client/view/questions.ts';
import type { SessionSnapshot } from '../../client/view/snapshot.ts';
import { useSession } from './session-context.ts';

/** Characters of a question that are read out: its card has all of them. */
const maxChars = 2_000;

/** A polite live region with the last thing that has happened. */
export function Announcements({ snapshot }: { readonly snapshot: SessionSnapshot }) {
  const { speaker } = useSession();
  return (
    <p className="visually-hidden" role="status" aria-live="polite">
      {announcement(snapshot, speaker)}
    </p>
  );
}

function announcement(snapshot: SessionSnapshot, speaker: string | null): string {
  const question = snapshot.questions.findLast(({ to }) => to === speaker);
  if (question) return `You are asked: ${questionWords(question).slice(0, maxChars)}`;
  const last = snapshot.turns.findLast(({ node }) => node.parent === null);
  if (!last || last.node.state === 'running' || last.node.state === 'waiting') return '';
  const whose = last.node.owner === speaker ? 'Your turn' : `${last.node.owner}'s turn`;
  if (last.node.outcome !== 'completed') return `${whose}: ${statusOf(snapshot, last.node, speaker).text}`;
  return `${whose} has ended. ${last.blocks.at(-1)?.text ?? ''}`;
}
