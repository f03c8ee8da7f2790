// Taking up again what was stopped: a turn by RESUME, a call by words that ask for it.
import type { CallView, TurnView } from '../../client/view/snapshot.ts';

/** Whether a speaker may take up a turn again: it can be, and it is theirs, or they moderate. */
export const isResumable = (turn: TurnView, speaker: string | null, isModerator: boolean): boolean =>
  turn.isResumable && (turn.node.owner === speaker || isModerator);

/** Returns the words that ask for a stopped call again. Its arguments stand in them: the model is to change nothing. */
export function runAgainText({ node, arguments: text }: CallView): string {
  const what = text === null || text === '' || text === '{}' ? '' : ` with ${text}`;
  return `Run ${node.name ?? 'the call'} again${what}: it was stopped.`;
}
